"""Ways to place a model, each as good as it can be within the limits."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import msgspec
from msgspec import Struct

from engine.models.layout import Layout
from engine.placement.compute import compute_of, counts_run_dry
from engine.placement.packing import fullest
from engine.placement.speed import Load, Speed, speed_of
from engine.placement.units import ExpertTensor, Units
from engine.types.machine import Inventory
from engine.types.plan import ComputeBuffers, ComputeShape, PlanFacts

UBATCHES = (2_048, 1_024, 512)
_EVERYTHING = ComputeShape.EVERYTHING
_REFERENCE_TOKENS = 2_048  # in the cache when a speed is told


class Limits(Struct, frozen=True):
    """What may be used. Bytes; `gpu` "" when there is none."""

    vram: int
    ram: int
    gpu: str


class Candidate(Struct, frozen=True, kw_only=True):
    """One placement. `first_gpu_layer` equals the number of layers when none is there. Bytes."""

    shape: ComputeShape
    ubatch: int
    first_gpu_layer: int
    gpu_experts: frozenset[ExpertTensor]
    compute: ComputeBuffers
    vram: int
    gpu_weights: int
    cpu_weights: int
    cpu_memory: int
    needed: int  # RAM that caches and buffers must have
    overflow: int  # weights that RAM has no room for
    ram_read: int
    speed: Speed

    @property
    def ram(self) -> int:
        return self.cpu_weights - self.overflow + self.cpu_memory + self.compute.cpu_bytes


class Problem(Struct, frozen=True):
    """What is to be placed, and on what."""

    layout: Layout
    units: Units
    inventory: Inventory
    limits: Limits
    facts: PlanFacts
    context: int
    kv_type: str
    ubatches: tuple[int, ...]

    def compute(self, shape: ComputeShape, ubatch: int, *, fetched: bool, gpu_layers: int = 0) -> ComputeBuffers:
        return compute_of(
            self.layout, self.units, self.facts, shape, ubatch, self.context, self.kv_type, fetched=fetched,
            gpu_layers=gpu_layers,
        )  # fmt: skip

    def gpu_compute(self, shape: ComputeShape, ubatch: int) -> int:
        """VRAM set aside for buffers, wherever the weights in RAM will lie: that is decided by the speed."""
        return max(found.gpu_bytes for found in self._all(shape, ubatch))

    def cpu_compute(self, shape: ComputeShape) -> int:
        """RAM set aside for buffers: those of the longest step, so that a longer one never drives out weights."""
        ubatches = (min(self.ubatches),) if shape is ComputeShape.NOTHING else self.ubatches
        return max(found.cpu_bytes for ubatch in ubatches for found in self._all(shape, ubatch))

    def _all(self, shape: ComputeShape, ubatch: int) -> Iterator[ComputeBuffers]:
        """Of all numbers of layers: were room set aside for each number's own, more memory could be a slower plan."""
        for fetched, count in itertools.product((True, False), counts_run_dry(self.facts, shape)):
            yield self.compute(shape, ubatch, fetched=fetched, gpu_layers=count)


def candidates(problem: Problem) -> Iterator[Candidate]:
    """Every placement worth comparing; only those within the VRAM limit, whatever RAM they need."""
    units, limits = problem.units, problem.limits
    count = len(units.layers)
    yield _candidate(problem, ComputeShape.NOTHING, min(problem.ubatches), count, frozenset())
    if not limits.gpu:
        return
    everything = _first_fitting(problem, ComputeShape.EVERYTHING, _dense_bytes(units) + units.expert_bytes)
    if everything is not None:
        yield _candidate(problem, ComputeShape.EVERYTHING, everything, 0, frozenset(units.experts))
    if units.experts:
        yield from _without_experts(problem)
    yield from _some_layers(problem)


def _dense_bytes(units: Units) -> int:
    return units.always_bytes + units.output + units.memory


def _first_fitting(problem: Problem, shape: ComputeShape, bytes_: int) -> int | None:
    """The largest step of a prompt whose buffers still fit beside so many bytes."""
    room = problem.limits.vram - bytes_ - problem.facts.correction.gpu_bytes
    return next((u for u in problem.ubatches if problem.gpu_compute(shape, u) <= room), None)


def _without_experts(problem: Problem) -> Iterator[Candidate]:
    """All that every token goes through, then longer steps of a prompt, then experts, in this order.

    The order is fixed so that more memory never takes anything away: were experts placed before the steps have
    reached their length, the longer steps would later drive them out again.
    """
    dense = _dense_bytes(problem.units)
    ubatch = _first_fitting(problem, ComputeShape.WITHOUT_EXPERTS, dense)
    if ubatch is None:
        return
    experts: frozenset[ExpertTensor] = frozenset()
    if ubatch == problem.ubatches[0]:
        buffers = (problem.gpu_compute(shape, ubatch) for shape in (ComputeShape.WITHOUT_EXPERTS, _EVERYTHING))
        used = dense + max(buffers)
        experts = fullest(problem.units.experts, problem.limits.vram - used - problem.facts.correction.gpu_bytes)
    if len(experts) < len(problem.units.experts):
        yield _candidate(problem, ComputeShape.WITHOUT_EXPERTS, ubatch, 0, experts)


def _some_layers(problem: Problem) -> Iterator[Candidate]:
    """The last layers that fit, and each fewer of them: where the GPU gains little, changing to it costs more.

    The output goes with them; llama.cpp counts from the end.
    """
    units, ubatch = problem.units, min(problem.ubatches)
    buffers = problem.gpu_compute(ComputeShape.SOME_LAYERS, ubatch)
    room = problem.limits.vram - units.output - buffers - problem.facts.correction.gpu_bytes
    sizes = [layer.always_bytes + layer.memory for layer in reversed(units.layers)]
    fitting = sum(1 for total in itertools.accumulate(sizes) if total <= room)
    for count in range(1, min(fitting, len(units.layers) - 1) + 1):
        yield _candidate(problem, ComputeShape.SOME_LAYERS, ubatch, len(units.layers) - count, frozenset())


def _candidate(
    problem: Problem, shape: ComputeShape, ubatch: int, first: int, gpu_experts: frozenset[ExpertTensor]
) -> Candidate:
    units = problem.units
    has_gpu = shape is not ComputeShape.NOTHING
    expert_bytes = units.expert_bytes if len(gpu_experts) == len(units.experts) else sum(e.size for e in gpu_experts)
    cpu_dense, cpu_memory = units.always_before[first], units.memory_before[first]
    gpu_memory = units.memory - cpu_memory if has_gpu else 0
    gpu_weights = units.always_bytes - cpu_dense + units.output + expert_bytes if has_gpu else 0
    cpu_output = 0 if has_gpu else units.output_in_file
    cpu_experts = units.expert_bytes - expert_bytes
    cpu_weights = cpu_dense + units.embedding + cpu_output + cpu_experts
    needed = cpu_memory + problem.cpu_compute(shape)
    room = max(0, problem.limits.ram - needed)
    overflow = max(0, cpu_weights - room)
    always = cpu_dense + (units.output if not has_gpu else 0)
    share = problem.layout.expert_share
    ram_read = always + int(cpu_experts * share)
    load = Load(
        gpu_read=gpu_weights - expert_bytes + int(expert_bytes * share) + _filled(problem, gpu_memory),
        ram_read=ram_read + _filled(problem, cpu_memory),
        disk_read=_disk_read(overflow, always, cpu_experts, share),
        syncs=_syncs(units, first, cpu_experts, has_gpu=has_gpu),
        gpu_parameters=_parameters(problem, gpu_weights - expert_bytes + int(expert_bytes * share)),
        cpu_parameters=_parameters(problem, ram_read),
        cpu_weights=cpu_dense + cpu_experts,
        disk_weights=overflow,
        ubatch=ubatch,
    )
    correction = problem.facts.correction
    speed = speed_of(load, problem.inventory, has_gpu=has_gpu, correction=(correction.decode, correction.prefill))
    compute = _buffers(
        problem, shape, ubatch, first, fetched=bool(overflow) or speed.streams, experts=bool(gpu_experts)
    )
    vram = gpu_weights + gpu_memory + compute.gpu_bytes + (correction.gpu_bytes if has_gpu else 0)
    return Candidate(
        shape=shape, ubatch=ubatch, first_gpu_layer=first, gpu_experts=gpu_experts, compute=compute,
        vram=vram if has_gpu else 0, gpu_weights=gpu_weights, cpu_weights=cpu_weights, cpu_memory=cpu_memory,
        needed=needed, overflow=overflow, ram_read=ram_read, speed=speed,
    )  # fmt: skip


def _buffers(
    problem: Problem, shape: ComputeShape, ubatch: int, first: int, *, fetched: bool, experts: bool
) -> ComputeBuffers:
    """Of a placement with or without experts on the GPU; where some are, it also has what they are computed in.

    Mapped weights are fetched like pinned ones.
    """
    layers = gpu_layers(problem.layout, first) if shape is ComputeShape.SOME_LAYERS else 0
    found = problem.compute(shape, ubatch, fetched=fetched, gpu_layers=layers)
    if not experts:
        return found
    whole = problem.compute(_EVERYTHING, ubatch, fetched=True)
    return msgspec.structs.replace(found, gpu_bytes=max(found.gpu_bytes, whole.gpu_bytes))


def gpu_layers(layout: Layout, first: int) -> int:
    """As llama.cpp counts them: the last layers, those that are not loaded included, and the output as one more."""
    return layout.layers - first + 1


def _filled(problem: Problem, memory: int) -> int:
    """What a token reads of so large a cache when it holds a few thousand."""
    return int(memory * min(1.0, _REFERENCE_TOKENS / max(1, problem.context)))


def _parameters(problem: Problem, read: int) -> int:
    """Active parameters behind so many bytes; all weights are taken to be of the same width."""
    units = problem.units
    always = units.always_bytes + units.output
    active = always + int(units.expert_bytes * problem.layout.expert_share)
    return int(problem.layout.active_parameters * read / max(1, active))


def _disk_read(overflow: int, always: int, cpu_experts: int, share: float) -> float:
    """Bytes of one token from the disk: what every token needs stays in RAM, experts take what room is left."""
    if not overflow:
        return 0.0
    of_experts = min(overflow, cpu_experts)
    read = of_experts * share if cpu_experts else 0.0
    return read + min(always, 2 * (overflow - of_experts))  # read one after the other, pages leave before they return


def _syncs(units: Units, first: int, cpu_experts: int, *, has_gpu: bool) -> int:
    """How often a token changes between GPU and CPU: none when all of it lies in one place."""
    if not has_gpu or (first == 0 and not cpu_experts):
        return 0
    mixtures = units.mixtures_before[-1] - units.mixtures_before[first]
    return 1 + (mixtures if cpu_experts else 0)
