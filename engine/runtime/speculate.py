"""Prompt-lookup speculation: what an answer quotes stands in its prompt, so tokens are guessed and checked together.

After A. Saxena, "Prompt Lookup Decoding" (2023). See decisions/0003-speculation-is-asked-for.md.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from statistics import median

import numpy as np

from engine.native.context import Logits

SHORTEST_MATCH = 3  # tokens
LONGEST_MATCH = 16
LONGEST_DRAFT = 8
CLEAR = 0.6  # logits; a batch moved the lead of the best token by at most 0.57 (1.5B, 2,200 tokens, see the decision)
GAIN = 1.05  # expected, below which a draft isn't worth its trouble
_SAMPLES = 15
_MATCHES = (5, 9)  # lengths from which a match counts as middling and as long
_HOPES = (0.6, 0.8, 0.9)  # of a drafted token to be right, before anything was seen
_HOPES_WEIGHT = 4.0
_FIRST_GUESS = 0.45  # share of a single token's time that one more token in the batch takes, before it was measured


class Lookup:
    """Finds where the last tokens of a growing text stood before."""

    def __init__(self, tokens: Sequence[int]) -> None:
        self._tokens: list[int] = []
        self._ends: dict[tuple[int, ...], list[int]] = {}
        self.extend(tokens)

    def extend(self, tokens: Sequence[int]) -> None:
        """The text has grown."""
        for token in tokens:
            self._tokens.append(token)
            end = len(self._tokens)
            if end >= SHORTEST_MATCH:
                self._ends.setdefault(tuple(self._tokens[end - SHORTEST_MATCH :]), []).append(end)

    @property
    def length(self) -> int:
        return len(self._tokens)

    def find(self) -> tuple[int, int]:
        """(tokens that match, where what followed them begins) of the longest earlier match, the latest among equals;
        (0, 0) for none."""
        end = len(self._tokens)
        best = (0, 0)
        for other in self._ends.get(tuple(self._tokens[end - SHORTEST_MATCH :]), ()):
            if other < end:
                best = max(best, (self._matching(other, end), other))
        return best

    def following(self, start: int, most: int) -> list[int]:
        """Up to `most` tokens from `start` on."""
        return self._tokens[start : start + most]

    def _matching(self, one: int, other: int) -> int:
        length = SHORTEST_MATCH
        while length < min(one, LONGEST_MATCH) and self._tokens[one - length - 1] == self._tokens[other - length - 1]:
            length += 1
        return length


class DecodeCosts:
    """How long this machine takes with this model for a batch of so many tokens, in a single token's time.

    `known` fixes it; else it is learned from the work itself.
    """

    def __init__(self, known: Mapping[int, float] | None = None) -> None:
        self._known = known
        self._seconds: dict[int, deque[float]] = {}

    def note(self, tokens: int, seconds: float) -> None:
        """A batch of so many tokens took so long."""
        self._seconds.setdefault(tokens, deque(maxlen=_SAMPLES)).append(seconds)

    def measured(self) -> set[int]:
        """Sizes of batch that were noted."""
        return set(self._seconds)

    def of(self, tokens: int) -> float:
        """A guess, from the nearest size that was measured, before this one was."""
        if self._known is not None:
            return self._known[tokens]
        if tokens == 1:
            return 1.0
        single = self._median(1)
        if tokens in self._seconds and single:
            return max(1.0, self._median(tokens) / single)
        near = max((known for known in self._seconds if known > 1), key=lambda known: -abs(known - tokens), default=0)
        each = (self._median(near) / single - 1) / (near - 1) if near and single else _FIRST_GUESS
        return 1.0 + max(0.0, each) * (tokens - 1)

    def _median(self, tokens: int) -> float:
        return median(self._seconds[tokens]) if tokens in self._seconds else 0.0


class Speculation:
    """One answer's guesses: what to draft, how far to believe it, and whether it pays."""

    def __init__(self, prompt: Sequence[int], costs: DecodeCosts) -> None:
        self._lookup, self._costs = Lookup(prompt), costs
        self._right, self._tried = [hope * _HOPES_WEIGHT for hope in _HOPES], [_HOPES_WEIGHT] * len(_HOPES)
        self._kind = 0
        self.drafted = self.accepted = 0

    def draft(self, tokens: Sequence[int], most: int) -> list[int]:
        """What may follow `tokens`, at most `most`; nothing where there is no guess or it wouldn't pay."""
        self._lookup.extend(tokens[self._lookup.length :])
        matching, start = self._lookup.find()
        if not matching:
            return []
        self._kind = sum(matching >= least for least in _MATCHES)
        guess = self._lookup.following(start, min(most, LONGEST_DRAFT))
        return guess[: self._worth(len(guess))]

    def note(self, drafted: int, right: int) -> None:
        """So many of the last draft's tokens were right."""
        self.drafted += drafted
        self.accepted += right
        self._right[self._kind] += right
        self._tried[self._kind] += min(drafted, right + 1)  # what comes after the first wrong one says nothing

    def _worth(self, most: int) -> int:
        """The length of draft that promises most tokens for the time; 0 when none promises more than plain decoding."""
        hope = self._right[self._kind] / self._tried[self._kind]
        best, best_gain = 0, GAIN
        for length in range(1, most + 1):
            gain = sum(hope**i for i in range(length + 1)) / self._costs.of(length + 1)
            if gain > best_gain:
                best, best_gain = length, gain
        return best


def lead(logits: Logits) -> float:
    """By how much the likeliest token leads, in logits."""
    second, first = np.partition(logits, -2)[-2:]
    return float(first - second)
