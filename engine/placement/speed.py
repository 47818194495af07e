"""How fast a placement will be: what each token must read, over the speed of where it lies.

llama.cpp computes one place after the other, so the times add up. The shape of this model is common to what people
calculate by hand for mixtures of experts; what it leaves out is put right by the correction a measured run gives.
"""

from __future__ import annotations

from msgspec import Struct

from engine.types.machine import Inventory

_EFFICIENCY = 0.75  # of a memory's speed that a matrix times a vector reaches
_SYNC_S, _STEP_S = 60e-6, 200e-6  # a change of place in a layer; what a token costs besides
_CORE_FLOPS = {"AVX512": 0.24e12, "AVX2": 0.1e12, "": 0.04e12}  # of a core on quantised weights, measured once
_GPU_FLOPS_PER_BYTE = 60  # of a second's reading: what GPUs of one generation have in common
_LEAST_GPU_LEAD = 1.5  # a discrete GPU's memory is always faster than the RAM beside it


class Load(Struct, frozen=True, kw_only=True):
    """What one token costs in a placement, and what a batch of prompt tokens must touch. Bytes and parameters."""

    gpu_read: int  # weights and cache on the GPU
    ram_read: int
    disk_read: float
    syncs: int
    gpu_parameters: int
    cpu_parameters: int
    cpu_weights: int  # that a batch touches, at most
    disk_weights: int
    ubatch: int


class Speed(Struct, frozen=True):
    """Tokens per second. `streams`: a prompt is best computed by the GPU, which fetches the CPU's weights."""

    decode: float
    prefill: float
    streams: bool


def speed_of(load: Load, inventory: Inventory, *, has_gpu: bool, correction: tuple[float, float] = (1, 1)) -> Speed:
    """The speeds of one sequence, the cache filled to a few thousand tokens."""
    speeds = inventory.speeds
    gpu = max(speeds.gpu, _LEAST_GPU_LEAD * speeds.ram)
    decode_s = (
        load.gpu_read / (gpu * _EFFICIENCY)
        + load.ram_read / (speeds.ram * _EFFICIENCY)
        + load.disk_read / speeds.disk
        + load.syncs * _SYNC_S
        + _STEP_S
    )
    cpu_s = 2 * load.cpu_parameters / cpu_flops(inventory)
    streams = False
    if has_gpu:
        gpu_flops = max(gpu * _GPU_FLOPS_PER_BYTE, cpu_flops(inventory))
        fetched_s = load.cpu_weights / (load.ubatch * speeds.link) + 2 * load.cpu_parameters / gpu_flops
        streams = fetched_s < cpu_s
        prefill_s = 2 * load.gpu_parameters / gpu_flops + min(fetched_s, cpu_s)
    else:
        prefill_s = cpu_s
    prefill_s += load.disk_weights / (load.ubatch * speeds.disk) + _STEP_S / load.ubatch
    return Speed(correction[0] / decode_s, correction[1] / prefill_s, streams)


def cpu_flops(inventory: Inventory) -> float:
    """Of all cores together, on a batch."""
    features = inventory.cpu_features
    best = next((kind for kind in ("AVX512", "AVX2") if kind in features), "" if features else "AVX2")
    return inventory.usable_cores * _CORE_FLOPS[best]
