"""What would make a model fit, or run faster."""

from __future__ import annotations

from collections.abc import Callable

from engine.placement.candidate import Candidate, Limits, Problem, candidates
from engine.placement.explain import size

_WORTH = 1.5
_HEADROOM = 1 << 30
_LEAST_CONTEXT = 256


def what_would_help(problem: Problem, found: Candidate, faster: Callable[[Limits], float]) -> tuple[str, ...]:
    """Sentences for a plan that reads from the disk; none for one that doesn't."""
    if not found.overflow:
        return ()
    limits = problem.limits
    reached = faster(Limits(limits.vram, limits.ram + found.overflow + _HEADROOM, limits.gpu))
    advice = []
    if reached > _WORTH * found.speed.decode:
        advice.append(f"With {size(found.overflow)} more RAM it would answer at about {reached:.1f} tokens a second.")
    advice.append("A file of the same model with fewer bits to a weight needs less memory.")
    return tuple(advice)


def why_not(problem: Problem, fits: Callable[[int, str], bool]) -> tuple[str, ...]:
    """Sentences for a model that doesn't fit: what is lacking, and what would fit."""
    context, kv_type = problem.context, problem.kv_type
    needed, ram = _least(problem), problem.limits.ram
    explanation = [
        f"A context of {context} tokens needs {size(needed)}, but only {size(ram)} of memory are free; "
        "close other programs or choose a smaller context."
    ]
    shorter = context // 2
    while shorter >= _LEAST_CONTEXT and not fits(shorter, kv_type):
        shorter //= 2
    if shorter >= _LEAST_CONTEXT:
        explanation.append(f"A context of {shorter} tokens would fit.")
    if kv_type not in ("q8_0", "q4_0") and fits(context, "q8_0"):
        explanation.append("With the KV cache in q8_0 this context would fit.")
    explanation.append(f"So would {size(max(0, needed - ram))} more RAM.")
    return tuple(explanation)


def _least(problem: Problem) -> int:
    return min(candidate.needed for candidate in candidates(problem))
