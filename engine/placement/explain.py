"""A plan in sentences for a person; their Chinese is in assets/translations."""

from __future__ import annotations

from engine.placement.candidate import Candidate, Problem
from engine.types.model import HostBuffer
from engine.types.plan import ComputeShape

_GIB = 1 << 30


def explanation(problem: Problem, found: Candidate, host_buffer: HostBuffer, wanted: int) -> tuple[str, ...]:
    """Where the model goes, how long the context is, where the CPU's weights lie, what the figures rest on."""
    explanation = (
        _where(problem, found),
        *_overflow(problem, found),
        _context(problem.context, wanted),
        *_host(problem, found, host_buffer),
        _threads(problem),
        _speeds(problem, found),
        *_estimated(found),
    )
    return explanation  # noqa: RET504 - the name is what the list of sentences goes by


def _where(problem: Problem, found: Candidate) -> str:
    limits, layout, count = problem.limits, problem.layout, len(problem.units.layers)
    if found.shape is ComputeShape.NOTHING:
        if limits.gpu:
            return "The model doesn't fit into the GPU's memory, so it runs on the CPU."
        return "No GPU was found."
    if found.shape is ComputeShape.EVERYTHING:
        return f"All {count} layers and the context fit into the {size(limits.vram)} of {limits.gpu}."
    if found.shape is ComputeShape.SOME_LAYERS:
        return f"{count - found.first_gpu_layer} of {count} layers fit into the {size(limits.vram)} of {limits.gpu}."
    if not found.gpu_experts:
        return f"Everything but the routed experts lies on {limits.gpu}; the CPU computes the experts in RAM."
    part = sum(expert.size for expert in found.gpu_experts) / problem.units.expert_bytes
    return (
        f"Everything but the routed experts lies on {limits.gpu}, and {part:.0%} of the {layout.experts} experts "
        "besides; the CPU computes the others in RAM."
    )


def _overflow(problem: Problem, found: Candidate) -> tuple[str, ...]:
    if not found.overflow:
        return ()
    return (
        f"{size(found.overflow)} of the weights are more than the {size(problem.limits.ram)} of RAM hold: they "
        f"are read from the disk at {rate(problem.inventory.speeds.disk)}, again and again, slowly.",
    )


def _context(context: int, wanted: int) -> str:
    if context < wanted:
        return f"The context is {context} tokens, not {wanted}: more doesn't fit."
    return f"The context is {context} tokens."


def _host(problem: Problem, found: Candidate, host_buffer: HostBuffer) -> tuple[str, ...]:
    if found.shape in (ComputeShape.NOTHING, ComputeShape.EVERYTHING):
        return ()
    if host_buffer is HostBuffer.PINNED:
        return (
            "Weights in RAM lie where the GPU can fetch them, so it computes long prompts, "
            f"{found.ubatch} tokens at a time.",
        )
    if host_buffer is HostBuffer.REPACKED:
        return (
            "Weights in RAM are reordered for the CPU, which computes prompts faster here than the GPU could fetch "
            "them.",
        )
    return ()


def _threads(problem: Problem) -> str:
    return f"{problem.inventory.usable_cores} threads, one for each physical core this program may use."


def _estimated(found: Candidate) -> tuple[str, ...]:
    if found.compute.measured or found.shape is ComputeShape.NOTHING:
        return ()
    return ("The GPU's working memory is an estimate with some room to spare.",)


def _speeds(problem: Problem, found: Candidate) -> str:
    if problem.facts.correction.runs:
        return "The speeds rest on what this model reached on this computer."
    measured = problem.inventory.speeds.measured
    if "ram" in measured and (found.shape is ComputeShape.NOTHING or "link" in measured):
        return "The speeds are calculated from this computer's memory and disk; the first load will correct them."
    return "The speeds are calculated for a usual PC of today, as some of this one were not measured."


def size(count: float) -> str:
    return f"{count / _GIB:.1f} GiB"


def rate(bytes_per_s: float) -> str:
    return f"{bytes_per_s / 1e9:.1f} GB/s"
