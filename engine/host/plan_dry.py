"""Dry runs for a plan: each shape that the planner may compare, so that one visit is enough."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import msgspec

from engine.hardware.facts import FactsStore
from engine.models.layout import Layout
from engine.native.devices import devices
from engine.native.dry_run import dry_runs
from engine.native.library import Library
from engine.placement.candidate import UBATCHES
from engine.placement.compute import leaves_weights
from engine.placement.planner import some_layers
from engine.placement.units import sequences
from engine.types.model import DeviceKind, HostBuffer, LoadPlan
from engine.types.plan import ComputeBuffers, ComputeShape, PlacementPlan, PlanWishes

ALL_EXPERTS = (r"\.ffn_(up|down|gate|gate_up)_(ch|)exps",)


def keep_dry_runs(
    library: Library, path: str, layout: Layout, plan: PlacementPlan, wishes: PlanWishes, store: FactsStore
) -> int:
    """Measure the buffers of every shape at the plan's context and keep them; returns how many.

    Of a plan with some layers on the GPU just so many are measured besides: which kinds of layers are left to the CPU
    decides what the GPU fetches. Without a GPU only the CPU's own are measured; the GPU's are then estimated from them.
    Raises EngineError.
    """
    gpu = next((device.name for device in devices(library) if device.kind is DeviceKind.GPU), "")
    wanted = [*_shapes(layout, gpu, plan.context, wishes), *_own(layout, gpu, plan, wishes)]
    known = {_without_sizes(buffers) for buffers in store.of_model(layout.digest, "").compute}
    wanted = [one for one in wanted if one not in known]
    ran = dry_runs(library, path, [_load(layout, gpu, one) for one in wanted], sequences(layout))
    found = tuple(
        msgspec.structs.replace(one, gpu_bytes=measured.compute_gpu_bytes, cpu_bytes=measured.compute_cpu_bytes)
        for one, measured in zip(wanted, ran, strict=True)
    )
    store.keep_compute(layout.digest, found)
    return len(found)


def _without_sizes(buffers: ComputeBuffers) -> ComputeBuffers:
    return msgspec.structs.replace(buffers, gpu_bytes=0, cpu_bytes=0)


def _own(layout: Layout, gpu: str, plan: PlacementPlan, wishes: PlanWishes) -> Iterator[ComputeBuffers]:
    count = some_layers(layout, plan)
    if gpu and count and plan.load:
        for fetched in (True, False):
            yield ComputeBuffers(
                ComputeShape.SOME_LAYERS, plan.context, plan.load.ubatch_tokens, wishes.kv_type, 0, 0,
                fetched=fetched, gpu_layers=count,
            )  # fmt: skip


def _shapes(layout: Layout, gpu: str, context: int, wishes: PlanWishes) -> Iterator[ComputeBuffers]:
    ubatches = (wishes.ubatch_tokens,) if wishes.ubatch_tokens else UBATCHES
    shapes = [ComputeShape.NOTHING]
    if gpu:
        shapes += [ComputeShape.SOME_LAYERS, ComputeShape.EVERYTHING]
        shapes += [ComputeShape.WITHOUT_EXPERTS] if layout.experts else []
    ways = [(shape, fetched) for shape in shapes for fetched in ((True, False) if leaves_weights(shape) else (True,))]
    for (shape, fetched), ubatch in product(ways, ubatches):
        yield ComputeBuffers(shape, context, ubatch, wishes.kv_type, 0, 0, fetched=fetched)


def _load(layout: Layout, gpu: str, wanted: ComputeBuffers) -> LoadPlan:
    layers = wanted.gpu_layers or {
        ComputeShape.NOTHING: 0,
        ComputeShape.SOME_LAYERS: layout.layers // 2 + 1,
        ComputeShape.WITHOUT_EXPERTS: layout.layers + 1,
        ComputeShape.EVERYTHING: layout.layers + 1,
    }[wanted.shape]
    experts = layout.experts and wanted.shape in (ComputeShape.WITHOUT_EXPERTS, ComputeShape.SOME_LAYERS)
    return LoadPlan(
        gpu_layers=layers, context_tokens=wanted.context_tokens, threads=1,
        batch_tokens=max(wanted.ubatch_tokens, 512), ubatch_tokens=wanted.ubatch_tokens, kv_type=wanted.kv_type,
        reasons=(), device=gpu if layers else "",
        host_buffer=HostBuffer.PINNED if wanted.fetched else HostBuffer.REPACKED,
        cpu_tensors=ALL_EXPERTS if experts else (),
    )  # fmt: skip
