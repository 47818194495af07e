"""Our plan beside llama.cpp's own fitting, within the same VRAM and for the same context."""

from __future__ import annotations

from engine.errors import EngineError
from engine.models.layout import Layout
from engine.native.dry_run import dry_runs
from engine.native.fit import fit, fitting_gpu
from engine.native.library import Library
from engine.placement.outside import assess
from engine.placement.units import sequences
from engine.types.machine import Inventory
from engine.types.model import LoadPlan
from engine.types.plan import PlacementPlan, PlanWishes
from engine.wire.plan_messages import FitCompared

_FILLED_TOKENS = 2_048
_MOST_TRIES = 4
_DRIFT_BYTES = 512 << 20  # of what a device reports as free, from one look to the next: one in software has RAM's


def compare(
    library: Library, path: str, layout: Layout, plan: PlacementPlan, wishes: PlanWishes, inventory: Inventory,
) -> FitCompared:  # fmt: skip
    """Figures of llama.cpp's fitting; `why_not` where it can't be asked or finds no way.

    Its limit is free memory less a margin. Where that has moved between our look and its own, so that it goes a
    little over, it is asked for as much less.
    """
    limit = asked = wishes.vram_bytes or 0
    for _ in range(_MOST_TRIES):
        found = _fitted(library, path, layout, plan, wishes, inventory, asked)
        over = found.vram_bytes - limit
        if found.why_not or not 0 < over < _DRIFT_BYTES:
            break
        asked -= over
    return found


def _fitted(
    library: Library, path: str, layout: Layout, plan: PlacementPlan, wishes: PlanWishes, inventory: Inventory,
    vram_bytes: int,
) -> FitCompared:  # fmt: skip
    if plan.load is None:
        return FitCompared(why_not="This program found no placement to compare with.")
    try:
        fitted = fit(library, path, plan.load, sequences(layout), vram_bytes)
    except EngineError as error:
        return FitCompared(why_not=error.message)
    layers = min(fitted.gpu_layers, layout.layers + 1)
    seen = assess(
        layout, inventory, gpu_layers=layers, cpu_patterns=fitted.cpu_patterns, context=plan.context,
        kv_type=wishes.kv_type, ubatch=plan.load.ubatch_tokens, ram=wishes.ram_bytes or inventory.memory_available,
        filled=min(1.0, _FILLED_TOKENS / plan.context),
    )  # fmt: skip
    compute = _compute(library, path, layout, plan.load, layers, fitted.cpu_patterns)
    return FitCompared(
        gpu_weight_bytes=seen.gpu_weights, vram_bytes=seen.gpu_weights + seen.gpu_memory + compute[0],
        ram_read_per_token=seen.ram_read, ram_bytes=seen.cpu_weights + seen.cpu_memory + compute[1],
        decode_tokens_per_s=seen.speed.decode, prefill_tokens_per_s=seen.speed.prefill,
        gpu_layers=layers, cpu_patterns=fitted.cpu_patterns,
    )  # fmt: skip


def _compute(
    library: Library, path: str, layout: Layout, load: LoadPlan, layers: int, patterns: tuple[str, ...]
) -> tuple[int, int]:
    theirs = LoadPlan(
        gpu_layers=layers, context_tokens=load.context_tokens, threads=1, batch_tokens=load.batch_tokens,
        ubatch_tokens=load.ubatch_tokens, kv_type=load.kv_type, reasons=(), device=fitting_gpu(library).name,
        cpu_tensors=patterns, host_buffer=load.host_buffer,
    )  # fmt: skip
    found = next(iter(dry_runs(library, path, [theirs], sequences(layout))))
    return found.compute_gpu_bytes, found.compute_cpu_bytes
