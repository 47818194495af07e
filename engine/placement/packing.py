"""Fills what is left of the GPU's memory with experts: as many bytes as can be, exactly."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from engine.placement.units import ExpertTensor

_MOST_STEPS = 1 << 22  # bits of a sum; finer sizes are rounded up to that


def fullest(experts: Sequence[ExpertTensor], room: int) -> frozenset[ExpertTensor]:
    """The experts to take, so that no other choice within `room` bytes holds more. More room never holds less.

    A subset sum over the few sizes there are: a bit for each sum that can be reached. Of equal sizes the first
    layers' are taken.
    """
    if room <= 0 or not experts:
        return frozenset()
    total = sum(expert.size for expert in experts)
    if total <= room:
        return frozenset(experts)
    step = max(math.gcd(*(expert.size for expert in experts)), -(-total // _MOST_STEPS))
    counts = Counter(expert.size for expert in experts)
    taken = _counts(counts, room // step, step)
    chosen = []
    for expert in sorted(experts, key=lambda expert: expert.layer):
        if taken[expert.size]:
            taken[expert.size] -= 1
            chosen.append(expert)
    return frozenset(chosen)


def _counts(counts: Counter[int], room: int, step: int) -> Counter[int]:
    """How many of each size fill `room` steps best."""
    items = [(size, part) for size, count in counts.items() for part in _binary(count)]
    mask, reached = (1 << (room + 1)) - 1, [1]
    for size, part in items:
        reached.append((reached[-1] | reached[-1] << (part * -(-size // step))) & mask)
    at = reached[-1].bit_length() - 1
    taken: Counter[int] = Counter()
    for (size, part), before in zip(reversed(items), reversed(reached[:-1]), strict=True):
        if not before >> at & 1:
            taken[size] += part
            at -= part * -(-size // step)
    return taken


def _binary(count: int) -> list[int]:
    """Parts that any number up to `count` is a sum of."""
    parts, power = [], 1
    while count > power:
        parts.append(power)
        count -= power
        power *= 2
    return [*parts, count]
