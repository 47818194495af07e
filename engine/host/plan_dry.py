"""Dry runs for a plan: each shape that the planner may compare, so that one visit is enough."""

from __future__ import annotations

from itertools import product

from engine.hardware.facts import FactsStore
from engine.models.layout import Layout
from engine.native.devices import devices
from engine.native.dry_run import dry_runs
from engine.native.library import Library
from engine.placement.candidate import UBATCHES
from engine.placement.compute import leaves_weights
from engine.placement.units import sequences
from engine.types.model import DeviceKind, HostBuffer, LoadPlan
from engine.types.plan import ComputeBuffers, ComputeShape, PlacementPlan, PlanWishes

ALL_EXPERTS = (r"\.ffn_(up|down|gate|gate_up)_(ch|)exps",)


def keep_dry_runs(
    library: Library, path: str, layout: Layout, plan: PlacementPlan, wishes: PlanWishes, store: FactsStore
) -> int:
    """Measure the buffers of every shape at the plan's context and keep them; returns how many.

    Without a GPU only the CPU's own are measured; the GPU's are then estimated from them. Raises EngineError.
    """
    gpu = next((device.name for device in devices(library) if device.kind is DeviceKind.GPU), "")
    wanted = list(_shapes(layout, gpu, plan, wishes))
    plans = [
        _load(layout, shape, gpu, plan.context, ubatch, wishes.kv_type, fetched) for shape, fetched, ubatch in wanted
    ]
    ran = dry_runs(library, path, plans, sequences(layout))
    found = tuple(
        ComputeBuffers(
            shape, plan.context, ubatch, wishes.kv_type, measured.compute_gpu_bytes, measured.compute_cpu_bytes,
            fetched=fetched,
        )
        for (shape, fetched, ubatch), measured in zip(wanted, ran, strict=True)
    )
    store.keep_compute(layout.digest, found)
    return len(found)


def _shapes(
    layout: Layout, gpu: str, plan: PlacementPlan, wishes: PlanWishes
) -> list[tuple[ComputeShape, bool, int]]:
    ubatches = (wishes.ubatch_tokens,) if wishes.ubatch_tokens else UBATCHES
    shapes = [ComputeShape.NOTHING]
    if gpu:
        shapes += [ComputeShape.SOME_LAYERS, ComputeShape.EVERYTHING]
        shapes += [ComputeShape.WITHOUT_EXPERTS] if layout.experts else []
    ways = [(shape, fetched) for shape in shapes for fetched in ((True, False) if leaves_weights(shape) else (True,))]
    return [(shape, fetched, ubatch) for (shape, fetched), ubatch in product(ways, ubatches)]


def _load(
    layout: Layout, shape: ComputeShape, gpu: str, context: int, ubatch: int, kv_type: str, fetched: bool
) -> LoadPlan:
    layers = {
        ComputeShape.NOTHING: 0,
        ComputeShape.SOME_LAYERS: layout.layers // 2 + 1,
        ComputeShape.WITHOUT_EXPERTS: layout.layers + 1,
        ComputeShape.EVERYTHING: layout.layers + 1,
    }[shape]
    experts = layout.experts and shape in (ComputeShape.WITHOUT_EXPERTS, ComputeShape.SOME_LAYERS)
    return LoadPlan(
        gpu_layers=layers, context_tokens=context, threads=1, batch_tokens=max(ubatch, 512), ubatch_tokens=ubatch,
        kv_type=kv_type, reasons=(), device=gpu if layers else "",
        host_buffer=HostBuffer.PINNED if fetched else HostBuffer.REPACKED,
        cpu_tensors=ALL_EXPERTS if experts else (),
    )  # fmt: skip
