"""A placement that others made, in the same figures as ours."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from engine.models.layout import Layout
from engine.models.tensor_class import TensorClass
from engine.placement.speed import Load, Speed, speed_of
from engine.placement.units import units_of
from engine.types.machine import Inventory


class Outside(Struct, frozen=True):
    """Weights on the GPU, cache and weights in RAM, what a token reads of the weights in RAM. Bytes."""

    gpu_weights: int
    gpu_memory: int
    cpu_weights: int
    cpu_memory: int
    ram_read: int
    speed: Speed


def assess(
    layout: Layout, inventory: Inventory, *, gpu_layers: int, cpu_patterns: Sequence[str], context: int, kv_type: str,
    ubatch: int, ram: int, filled: float,
) -> Outside:  # fmt: skip
    """What llama.cpp does with so many layers on the GPU and these tensors in RAM, by our model of speed.

    `ram` is what RAM holds; what is over is counted as read from the disk. `filled` is the filled share of the cache.
    """
    units = units_of(layout, context, kv_type)
    first = max(0, layout.layers + 1 - gpu_layers)
    patterns = [re.compile(pattern) for pattern in cpu_patterns]
    counted: dict[tuple[bool, bool], int] = {(gpu, routed): 0 for gpu in (True, False) for routed in (True, False)}
    for tensor in layout.tensors:
        if tensor.kind is TensorClass.UNUSED or tensor.kind is TensorClass.EMBEDDING:
            continue
        layer = tensor.layer if tensor.layer >= 0 else layout.layers
        on_gpu = bool(gpu_layers) and layer >= first and not any(pattern.search(tensor.name) for pattern in patterns)
        counted[on_gpu, tensor.kind is TensorClass.ROUTED_EXPERTS] += tensor.size
    shared = units.output - units.output_in_file if gpu_layers else 0
    counted[True, False] += shared
    gpu_memory = sum(unit.memory for layer, unit in enumerate(units.layers) if gpu_layers and layer >= first)
    cpu_memory = units.memory - gpu_memory
    share = layout.expert_share
    always = counted[False, False] + (0 if gpu_layers else units.output - units.output_in_file)
    ram_read = always + int(counted[False, True] * share)
    cpu_weights = counted[False, False] + counted[False, True] + units.embedding
    gpu_read = counted[True, False] + int(counted[True, True] * share)
    overflow = max(0, cpu_weights + cpu_memory - ram)
    mixtures = sum(1 for unit in units.layers[first:] if unit.experts) if counted[False, True] else 0
    active = layout.active_parameters / max(1, gpu_read + ram_read)
    load = Load(
        gpu_read=gpu_read + int(gpu_memory * filled), ram_read=ram_read + int(cpu_memory * filled),
        disk_read=min(overflow, counted[False, True]) * share,
        syncs=(1 + mixtures) if gpu_layers and (first or mixtures) else 0,
        gpu_parameters=int(active * gpu_read), cpu_parameters=int(active * ram_read),
        cpu_weights=cpu_weights - units.embedding, disk_weights=overflow, ubatch=ubatch,
    )  # fmt: skip
    speed = speed_of(load, inventory, has_gpu=bool(gpu_layers))
    gpu_weights = counted[True, False] + counted[True, True]
    return Outside(gpu_weights, gpu_memory, cpu_weights, cpu_memory, ram_read, speed)
