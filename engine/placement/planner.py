"""Places a model: (layout, inventory, wishes) to a plan. Pure.

What every token needs goes to the GPU first, then the cache, then longer steps of a prompt, then as many experts as
the rest holds. Of the placements within the limits the one that decodes fastest is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from engine.errors import OutOfMemory, RequestInvalid
from engine.models.layout import KV_BYTES, Layout
from engine.placement.advice import what_would_help, why_not
from engine.placement.candidate import UBATCHES, Candidate, Limits, Problem, candidates, gpu_layers
from engine.placement.explain import explanation
from engine.placement.parts import parts_of
from engine.placement.patterns import cpu_patterns
from engine.placement.units import units_of
from engine.types.machine import Inventory
from engine.types.model import Device, DeviceKind, HostBuffer, LoadPlan, LoadRequest
from engine.types.plan import ComputeShape, PlacementPlan, PlanFacts, PlanWishes, Prediction

MIB = 1 << 20
BATCH_TOKENS = 512
LEAST_CONTEXT, USUAL_CONTEXT = 2_048, 16_384
NAMED_GPU = "GPU0"
_GPU_MARGIN_BYTES, _RAM_MARGIN_BYTES = 512 * MIB, 768 * MIB
_MOST_SHELF_BYTES = 2_048 * MIB
_CACHE_SHARE_OF_RAM = 4  # a cache takes at most such a part of RAM when the weights alone are more than it holds
_NO_WISHES, _NO_FACTS = PlanWishes(), PlanFacts()


def place(
    layout: Layout, inventory: Inventory, wishes: PlanWishes = _NO_WISHES, facts: PlanFacts = _NO_FACTS
) -> PlacementPlan:
    """Place the model; a plan that doesn't fit says so and what would.

    Raises RequestInvalid for an unknown type of the KV cache or a limit that is none.
    """
    _check(wishes)
    limits = limits_of(inventory, wishes)
    wanted = _wanted_context(layout, wishes)
    problems = [
        _problem(layout, inventory, limits, wishes, facts, context)
        for context in _contexts(wanted, fixed=wishes.context_tokens is not None)
    ]
    problem = _problem_with_room(problems)
    found = _best(problem)
    if found is None:
        return _refused(problem, lambda context, kv_type: _would_fit(problem, wishes, context, kv_type))
    return _plan(problem, found, wishes, wanted)


def plan_load(
    layout: Layout, inventory: Inventory, request: LoadRequest, facts: PlanFacts = _NO_FACTS
) -> PlacementPlan:
    """The plan of a load. Raises OutOfMemory when not even a short context fits, with what would."""
    made = place(layout, inventory, wishes_of(request, inventory), facts)
    if made.load is None:
        raise OutOfMemory(" ".join(made.explanation))
    return made


def wishes_of(request: LoadRequest, inventory: Inventory) -> PlanWishes:
    """A request's wishes, its limits no higher than what is free now: a load can't use what isn't there."""
    free = limits_of(inventory, _NO_WISHES)
    vram, ram = request.vram_limit_bytes, request.ram_limit_bytes
    return PlanWishes(
        vram_bytes=None if vram is None else min(vram, free.vram),
        ram_bytes=None if ram is None else min(ram, free.ram),
        context_tokens=request.context_tokens, threads=request.threads, kv_type=request.kv_type,
    )  # fmt: skip


def limits_of(inventory: Inventory, wishes: PlanWishes) -> Limits:
    """What may be used: as the user set it, else what is free with a margin for others. One GPU, the roomiest."""
    gpu = best_gpu(inventory)
    ram = wishes.ram_bytes
    if ram is None:
        ram = max(0, inventory.memory_available - _RAM_MARGIN_BYTES)
    if wishes.vram_bytes is not None:
        return Limits(wishes.vram_bytes, ram, (gpu.name if gpu else NAMED_GPU) if wishes.vram_bytes else "")
    if gpu is None:
        return Limits(0, ram, "")
    return Limits(max(0, gpu.memory_free - _GPU_MARGIN_BYTES), ram, gpu.name)


def best_gpu(inventory: Inventory) -> Device | None:
    """The GPU with memory of its own that has most of it free."""
    gpus = [device for device in inventory.devices if device.kind is DeviceKind.GPU]
    return max(gpus, key=lambda device: device.memory_free, default=None)


def some_layers(layout: Layout, plan: PlacementPlan) -> int:
    """How many layers, as llama.cpp counts them, lie on the GPU where they are some of all; else 0."""
    count = plan.load.gpu_layers if plan.load else 0
    return count if count <= layout.layers else 0


def shelf_bytes(inventory: Inventory) -> int:
    """RAM for states of prompts set aside: an eighth of what is free once the model is loaded, at most 2 GiB."""
    return min(_MOST_SHELF_BYTES, inventory.memory_available // 8)


def _check(wishes: PlanWishes) -> None:
    if wishes.kv_type not in KV_BYTES:
        raise RequestInvalid(f"{wishes.kv_type} is no type for the KV cache; use one of {', '.join(KV_BYTES)}.")
    tokens = [count for count in (wishes.context_tokens, wishes.threads, wishes.ubatch_tokens) if count is not None]
    if min(wishes.vram_bytes or 0, wishes.ram_bytes or 0) < 0 or min(tokens, default=1) < 1:
        raise RequestInvalid("A limit of memory can't be less than nothing, a context not less than one token.")


def _problem(
    layout: Layout, inventory: Inventory, limits: Limits, wishes: PlanWishes, facts: PlanFacts, context: int
) -> Problem:
    units = units_of(layout, context, wishes.kv_type)
    ubatches = (wishes.ubatch_tokens,) if wishes.ubatch_tokens else UBATCHES
    return Problem(layout, units, inventory, limits, facts, context, wishes.kv_type, ubatches)


def _best(problem: Problem) -> Candidate | None:
    """The fastest within the limits: the cache and the buffers must be in memory, weights may come from the disk."""
    fitting = [c for c in candidates(problem) if c.needed <= problem.limits.ram]
    return max(fitting, key=lambda candidate: candidate.speed.decode, default=None)


def _problem_with_room(problems: Sequence[Problem]) -> Problem:
    """The longest context that leaves room for the weights.

    RAM alone decides, unless the GPU takes everything: were a longer context taken because of more VRAM, it would
    drive experts out of it again, and more memory would make a slower plan.
    """
    for problem in problems:
        found = _best(problem)
        if found is not None and (found.shape is ComputeShape.EVERYTHING or _on_cpu(problem).overflow == 0):
            return problem
    for problem in problems:
        if _on_cpu(problem).needed * _CACHE_SHARE_OF_RAM <= problem.limits.ram:
            return problem
    return problems[-1]


def _on_cpu(problem: Problem) -> Candidate:
    return next(candidates(problem))


def _would_fit(problem: Problem, wishes: PlanWishes, context: int, kv_type: str) -> bool:
    other = msgspec.structs.replace(wishes, kv_type=kv_type)
    return _best(_problem(problem.layout, problem.inventory, problem.limits, other, problem.facts, context)) is not None


def _wanted_context(layout: Layout, wishes: PlanWishes) -> int:
    longest = layout.train_context_tokens or USUAL_CONTEXT
    return max(256, min(wishes.context_tokens or USUAL_CONTEXT, longest))


def _contexts(wanted: int, *, fixed: bool) -> tuple[int, ...]:
    """Contexts to try, longest first; only the wanted one when the user set it."""
    steps = [wanted]
    while not fixed and steps[-1] // 2 >= LEAST_CONTEXT:
        steps.append(steps[-1] // 2)
    return tuple(steps)


def _plan(problem: Problem, found: Candidate, wishes: PlanWishes, wanted: int) -> PlacementPlan:
    layout = problem.layout
    host_buffer = _host_buffer(found)
    told = explanation(problem, found, host_buffer, wanted)
    advice = what_would_help(problem, found, lambda better: _faster(layout, problem, wishes, better))
    threads = wishes.threads or problem.inventory.usable_cores
    load = LoadPlan(
        gpu_layers=0 if found.shape is ComputeShape.NOTHING else gpu_layers(layout, found.first_gpu_layer),
        context_tokens=problem.context, threads=threads,
        batch_tokens=max(BATCH_TOKENS, found.ubatch), ubatch_tokens=found.ubatch, kv_type=problem.kv_type,
        reasons=(*told, *advice), device="" if found.shape is ComputeShape.NOTHING else problem.limits.gpu,
        host_buffer=host_buffer, cpu_tensors=cpu_patterns(problem.units, found),
    )  # fmt: skip
    return PlacementPlan(
        model=layout.name, architecture=layout.architecture, parameters=layout.parameters,
        active_parameters=layout.active_parameters, file_bytes=layout.file_bytes, fits=True,
        placement=tuple(parts_of(problem, found)),
        predicted=Prediction(
            vram_bytes=found.vram, ram_bytes=found.ram, disk_bytes=found.overflow,
            decode_tokens_per_s=found.speed.decode, prefill_tokens_per_s=found.speed.prefill,
        ),
        context=problem.context, kv_bytes_per_token=layout.kv_bytes_per_token(problem.kv_type),
        explanation=(*told, *advice), gpu_weight_bytes=found.gpu_weights, ram_read_per_token=found.ram_read, load=load,
    )  # fmt: skip


def _faster(layout: Layout, problem: Problem, wishes: PlanWishes, limits: Limits) -> float:
    """Decode speed within other limits, the context kept."""
    other = _problem(layout, problem.inventory, limits, wishes, problem.facts, problem.context)
    found = _best(other)
    return found.speed.decode if found else 0.0


def _host_buffer(found: Candidate) -> HostBuffer:
    if found.overflow:
        return HostBuffer.MAPPED  # a copy would not fit
    if found.shape is ComputeShape.NOTHING or not found.speed.streams:
        return HostBuffer.REPACKED
    return HostBuffer.PINNED


def _refused(problem: Problem, fits: Callable[[int, str], bool]) -> PlacementPlan:
    layout = problem.layout
    return PlacementPlan(
        model=layout.name, architecture=layout.architecture, parameters=layout.parameters,
        active_parameters=layout.active_parameters, file_bytes=layout.file_bytes, fits=False, placement=(),
        predicted=Prediction(
            vram_bytes=0, ram_bytes=0, disk_bytes=0, decode_tokens_per_s=0.0, prefill_tokens_per_s=0.0
        ),
        context=problem.context, kv_bytes_per_token=layout.kv_bytes_per_token(problem.kv_type),
        explanation=tuple(why_not(problem, fits)),
    )  # fmt: skip
