"""The lines of a plan: what lies where, how many bytes, and the reason of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.placement.candidate import Candidate, Problem
from engine.placement.patterns import ranges
from engine.placement.units import ExpertTensor
from engine.types.plan import ComputeShape, Part, PartKind

CPU, DISK = "CPU", "disk"
_NO_GPU = "There is no GPU to use."
_NO_ROOM = "The GPU has no room left for these layers."
_ON_GPU = {
    PartKind.ATTENTION: "Every token goes through attention, so it lies in the fastest memory.",
    PartKind.RECURRENT: "Every token goes through these layers, so they lie in the fastest memory.",
    PartKind.SHARED_EXPERTS: "Every token goes through the shared experts, so they lie beside attention.",
    PartKind.DENSE_FFN: "Every token goes through these layers, so they lie in the fastest memory.",
}
_EMBEDDING = "A token reads one row of it, so RAM is fast enough."
_OUTPUT_GPU = "Every token is compared with the whole vocabulary, so it lies in the fastest memory."
_CACHE = "The cache lies where the attention of its layer is computed."
_MEASURED = "Measured by a dry run of llama.cpp that loads nothing."
_ESTIMATED = "An estimate: this computer has no such device for a dry run of llama.cpp."
_EXPERTS_GPU = "The GPU's memory that is left holds experts of these layers, so fewer are read from RAM."
_ALL_GPU = "The whole model fits on the GPU."
_DISK_EXPERTS = "RAM has no room for these experts; a token that needs one waits for the disk."
_DISK_WEIGHTS = "RAM has no room for these weights; they are read from the disk again and again."


def parts_of(problem: Problem, found: Candidate) -> Iterator[Part]:
    """All lines, the fastest place first; lines without bytes are left out."""
    lines = [*_gpu(problem, found), *_cpu(problem, found)]
    return (part for part in lines if part.bytes)


def _gpu(problem: Problem, found: Candidate) -> Iterator[Part]:
    if found.shape is ComputeShape.NOTHING:
        return
    units, gpu, first = problem.units, problem.limits.gpu, found.first_gpu_layer
    for kind in _ON_GPU:
        yield _layers(problem, kind, range(first, len(units.layers)), gpu, _ON_GPU[kind])
    why = _ALL_GPU if found.shape is ComputeShape.EVERYTHING else _EXPERTS_GPU
    yield _experts(found.gpu_experts, gpu, why)
    yield Part(tensors=PartKind.OUTPUT, layers="", device=gpu, bytes=units.output, reason=_OUTPUT_GPU)
    yield _memory(problem, range(first, len(units.layers)), gpu)
    extra = problem.facts.correction.gpu_bytes
    yield _compute(found, gpu, found.compute.gpu_bytes + extra)


def _cpu(problem: Problem, found: Candidate) -> Iterator[Part]:
    units, first = problem.units, found.first_gpu_layer
    why = _NO_ROOM if problem.limits.gpu else _NO_GPU
    disk = found.overflow
    routed = [expert for expert in units.experts if expert not in found.gpu_experts]
    of_experts = min(disk, sum(expert.size for expert in routed))
    others = disk - of_experts  # taken from the layers, last of all
    for kind in _ON_GPU:
        part = _layers(problem, kind, range(first), CPU, why)
        cut = min(others, part.bytes)
        others -= cut
        yield _less(part, cut)
    reason = _routed_reason(problem, found)
    yield _less(_experts(routed, CPU, reason), of_experts)
    if of_experts:
        yield Part(
            tensors=PartKind.ROUTED_EXPERTS, layers=ranges([e.layer for e in _once(routed)]), device=DISK,
            bytes=of_experts, reason=_DISK_EXPERTS,
        )  # fmt: skip
    if disk - of_experts:
        yield Part(
            tensors=PartKind.DENSE_FFN, layers=ranges(list(range(first))), device=DISK, bytes=disk - of_experts,
            reason=_DISK_WEIGHTS,
        )  # fmt: skip
    yield Part(tensors=PartKind.EMBEDDING, layers="", device=CPU, bytes=units.embedding, reason=_EMBEDDING)
    if found.shape is ComputeShape.NOTHING:
        yield Part(tensors=PartKind.OUTPUT, layers="", device=CPU, bytes=units.output_in_file, reason=why)
    yield _memory(problem, range(first), CPU)
    yield _compute(found, CPU, found.compute.cpu_bytes)


def _routed_reason(problem: Problem, found: Candidate) -> str:
    if not problem.limits.gpu:
        return _NO_GPU
    layout = problem.layout
    return f"A token uses {layout.experts_used} of {layout.experts} experts, so RAM is fast enough for them."


def _layers(problem: Problem, kind: PartKind, layers: range, device: str, reason: str) -> Part:
    held = [layer for layer in layers if problem.units.layers[layer].always.get(kind)]
    size = sum(problem.units.layers[layer].always[kind] for layer in held)
    return Part(tensors=kind, layers=ranges(held), device=device, bytes=size, reason=reason)


def _experts(experts: Iterable[ExpertTensor], device: str, reason: str) -> Part:
    held = list(experts)
    return Part(
        tensors=PartKind.ROUTED_EXPERTS, layers=ranges([e.layer for e in _once(held)]), device=device,
        bytes=sum(expert.size for expert in held), reason=reason,
    )  # fmt: skip


def _once(experts: Iterable[ExpertTensor]) -> list[ExpertTensor]:
    return list({expert.layer: expert for expert in experts}.values())


def _memory(problem: Problem, layers: range, device: str) -> Part:
    held = [layer for layer in layers if problem.units.layers[layer].memory]
    size = sum(problem.units.layers[layer].memory for layer in held)
    return Part(tensors=PartKind.KV_CACHE, layers=ranges(held), device=device, bytes=size, reason=_CACHE)


def _compute(found: Candidate, device: str, size: int) -> Part:
    reason = _MEASURED if found.compute.measured else _ESTIMATED
    return Part(tensors=PartKind.COMPUTE, layers="", device=device, bytes=size, reason=reason)


def _less(part: Part, cut: int) -> Part:
    return Part(
        tensors=part.tensors, layers=part.layers, device=part.device, bytes=part.bytes - cut, reason=part.reason
    )
