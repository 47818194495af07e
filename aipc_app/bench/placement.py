"""Plans for models too large to be here, beside llama.cpp's own fitting; and a small mixture of experts measured.

The large models are header files with the real tensor tables and no weights. Their speeds come from the bandwidth
model that both plans are put through: a calculation, not a measurement.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from aipc_app import paths
from aipc_app.bench.report import Bar, BenchReport, this_machine
from aipc_app.bench.small_mixture import make_mixture
from aipc_app.workers.spawn import child_command
from engine.client.plan import PlanTasks
from engine.errors import EngineError
from engine.types.model import DeviceKind, HostBuffer, LoadPlan
from engine.types.plan import PlacementPlan, PlanWishes

GIB = 1 << 30
MODELS = ("qwen3-30b-a3b", "qwen3-235b-a22b", "deepseek-v3-671b")
QUANTS = ("Q4_K_M", "Q2_K")  # a GPU in software computes all of the second, so its cells can be compared there
VRAM_GIB, RAM_GIB = (8, 16, 24, 80), (64, 192, 512)
CONTEXT = 16_384
SMALL_VRAM_MIB = (128, 192, 256, 512)
SMALL_CONTEXT, SMALL_SOURCE = 2_048, "smollm2-135m-instruct-q4_1.gguf"
MODELLED = (
    "decode and prefill speeds of both plans are calculated by one bandwidth model with the same figures; "
    "they are a model and not a measurement"
)
_TOLERANCE = 1 + 1e-9


class _Cell(Struct, frozen=True, kw_only=True):
    """One model within one pair of limits. Bytes; `theirs` None where llama.cpp's fitting is out of reach."""

    model: str
    vram_gib: int
    ram_gib: int
    ours: dict[str, Any]
    theirs: dict[str, Any] | None = None
    why_not: str = ""
    limits_kept: bool = True
    plan_s: float = 0.0


def run(data: Path | None = None) -> BenchReport:
    """Every cell; what is missing is listed under `skipped`."""
    skipped: list[str] = []
    with tempfile.TemporaryDirectory(prefix="aipc-bench-") as folder:
        tasks = PlanTasks(child_command("plan"), Path(folder) / "measured", Path(folder) / "plan.log")
        inventory = tasks.probe()
        files = list(_header_files(data, Path(folder), skipped))
        cells = [cell for name, path in files for cell in _cells(tasks, name, path)]
        gpu = next((device for device in inventory.devices if device.kind is DeviceKind.GPU), None)
        small = list(_small(tasks, Path(folder), skipped)) if gpu else []
    if gpu is None:
        skipped.append("both plans measured on a small mixture of experts: this build of llama.cpp sees no GPU")
    skipped += [f"{c.model}, {c.vram_gib} GiB VRAM, {c.ram_gib} GiB RAM: {_why_not(c)}" for c in cells if _why_not(c)]
    compared = [cell for cell in cells if not _why_not(cell)]
    return BenchReport(
        bench="placement",
        machine={**this_machine(), "gpu": f"{gpu.description}, {gpu.memory_free >> 20} MiB free" if gpu else "none"},
        results={
            "compared": "this program's plans with llama.cpp's common_fit_params at the same context, step and KV type",
            "speeds": MODELLED,
            "context": CONTEXT,
            "cells": cells,
            "cells_compared": len(compared),
            "small_mixture_measured": small,
            "plan_seconds": {"median": statistics.median(c.plan_s for c in cells), "max": max(c.plan_s for c in cells)}
            if cells
            else {},
        },
        skipped=tuple(skipped),
        bars=tuple(_bars(cells, compared)),
    )


def _bars(cells: list[_Cell], compared: list[_Cell]) -> Iterator[Bar]:
    broken = sum(1 for cell in cells if not cell.limits_kept)
    yield Bar(name="cells where our plan breaks a limit", value=broken, bar="== 0", holds=bool(cells) and not broken)
    if compared:
        more = sum(1 for cell in compared if _reads_more(cell))
        yield Bar(
            name="cells where ours reads more from RAM per token than llama.cpp's fitting", value=more, bar="== 0",
            holds=not more,
        )  # fmt: skip
    if cells:
        slowest = max(cell.plan_s for cell in cells)
        yield Bar(name="slowest plan from a header (s)", value=slowest, bar="<= 1.0", holds=slowest <= 1.0)


def _why_not(cell: _Cell) -> str:
    """Why the cell says nothing about both; "" when it does. Weights that a GPU can't compute stay in RAM uncounted."""
    if cell.theirs is None or cell.theirs["vram_limit_kept"]:
        return cell.why_not
    return "llama.cpp's own fitting goes over the VRAM here, as it does where the GPU can't compute a kind of weights."


def _reads_more(cell: _Cell) -> bool:
    read = "ram_read_per_token"
    return cell.theirs is not None and cell.ours[read] > cell.theirs[read] * _TOLERANCE


def _header_files(data: Path | None, folder: Path, skipped: list[str]) -> Iterator[tuple[str, Path]]:
    tool = _data_folder(data) / "tools" / "make_header_gguf.py"
    for model in MODELS:
        for quant in QUANTS:
            name = f"{model} {quant}"
            path = folder / f"{model}-{quant}.gguf"
            if not tool.is_file():
                skipped.append(f"{name}: {tool.name} is not in the tools folder of the test data")
                continue
            command = [sys.executable, str(tool), model, str(path), "--quant", quant]
            made = subprocess.run(command, capture_output=True, check=False, timeout=120)
            if made.returncode == 0:
                yield name, path
            else:
                skipped.append(f"{name}: its header file could not be made")


def _data_folder(data: Path | None) -> Path:
    root = paths.checkout()
    named = data or os.environ.get("AIPC_BENCH_DATA")
    return Path(named) if named else (root.parent if root else Path.cwd()) / "shared"


def _cells(tasks: PlanTasks, name: str, path: Path) -> Iterator[_Cell]:
    tasks.plan_measured(str(path), PlanWishes(vram_bytes=VRAM_GIB[0] * GIB, context_tokens=CONTEXT))  # dry runs, kept
    for vram in VRAM_GIB:
        for ram in RAM_GIB:
            wishes = PlanWishes(vram_bytes=vram * GIB, ram_bytes=ram * GIB, context_tokens=CONTEXT)
            started = time.monotonic()
            plan = tasks.plan(str(path), wishes)
            took = time.monotonic() - started
            yield _compared(tasks, name, path, wishes, plan, (vram, ram), took)


def _compared(
    tasks: PlanTasks, name: str, path: Path, wishes: PlanWishes, plan: PlacementPlan, limits: tuple[int, int],
    took: float,
) -> _Cell:  # fmt: skip
    theirs, why_not = None, ""
    try:
        fitted = tasks.compare(str(path), wishes)
        why_not = fitted.why_not
        if not why_not:
            theirs = {
                "gpu_weight_bytes": fitted.gpu_weight_bytes, "vram_bytes": fitted.vram_bytes,
                "ram_read_per_token": fitted.ram_read_per_token, "ram_bytes": fitted.ram_bytes,
                "ram_limit_kept": fitted.ram_bytes <= limits[1] * GIB,
                "vram_limit_kept": fitted.vram_bytes <= limits[0] * GIB,
                "decode_tokens_per_s": fitted.decode_tokens_per_s, "prefill_tokens_per_s": fitted.prefill_tokens_per_s,
            }  # fmt: skip
    except EngineError as error:
        why_not = error.message
    predicted = plan.predicted
    ours = {
        "gpu_weight_bytes": plan.gpu_weight_bytes, "vram_bytes": predicted.vram_bytes,
        "ram_read_per_token": plan.ram_read_per_token, "ram_bytes": predicted.ram_bytes,
        "disk_bytes": predicted.disk_bytes, "decode_tokens_per_s": predicted.decode_tokens_per_s,
        "prefill_tokens_per_s": predicted.prefill_tokens_per_s,
    }  # fmt: skip
    kept = predicted.vram_bytes <= limits[0] * GIB and predicted.ram_bytes <= limits[1] * GIB
    return _Cell(
        model=name, vram_gib=limits[0], ram_gib=limits[1], ours=ours, theirs=theirs, why_not=why_not,
        limits_kept=kept, plan_s=took,
    )  # fmt: skip


def _small(tasks: PlanTasks, folder: Path, skipped: list[str]) -> Iterator[dict[str, Any]]:
    """Both plans of a mixture that runs here, loaded and timed in turn."""
    source = next((place / SMALL_SOURCE for place in _model_folders() if (place / SMALL_SOURCE).is_file()), None)
    if source is None:
        skipped.append(f"both plans measured on a small mixture of experts: {SMALL_SOURCE} is not here")
        return
    path = folder / "mixture.gguf"
    make_mixture(source, path)
    for mib in SMALL_VRAM_MIB:
        wishes = PlanWishes(vram_bytes=mib << 20, context_tokens=SMALL_CONTEXT, ubatch_tokens=512)
        try:
            plan = tasks.plan_measured(str(path), wishes)
            fitted = tasks.compare(str(path), wishes)
            yield {"vram_mib": mib, "ours": _timed(tasks, path, plan.load), "planned_vram_bytes":
                   plan.predicted.vram_bytes, "theirs": fitted.why_not or _timed(tasks, path, _theirs(plan, fitted))}
        except EngineError as error:
            skipped.append(f"a small mixture of experts within {mib} MiB: {error.message}")


def _theirs(plan: PlacementPlan, fitted: Any) -> LoadPlan | None:
    if plan.load is None:
        return None
    return LoadPlan(
        gpu_layers=fitted.gpu_layers, context_tokens=plan.load.context_tokens, threads=plan.load.threads,
        batch_tokens=plan.load.batch_tokens, ubatch_tokens=plan.load.ubatch_tokens, kv_type=plan.load.kv_type,
        reasons=(), device=plan.load.device or "", host_buffer=HostBuffer.PINNED, cpu_tensors=fitted.cpu_patterns,
    )  # fmt: skip


def _timed(tasks: PlanTasks, path: Path, load: LoadPlan | None) -> dict[str, Any]:
    if load is None:
        return {}
    ran = tasks.measure(str(path), load)
    return {
        "vram_bytes": ran.vram_bytes, "ram_bytes": ran.ram_bytes, "decode_tokens_per_s": ran.decode_tokens_per_s,
        "prefill_tokens_per_s": ran.prefill_tokens_per_s,
    }  # fmt: skip


def _model_folders() -> tuple[Path, ...]:
    return paths.model_folders(paths.home())
