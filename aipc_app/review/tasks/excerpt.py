"""The part of a found passage that a small model is shown: the sentences that share most with what was looked for.

A passage may have two thousand characters; five whole ones would take a minute to read on a CPU, and their beginnings
hide the sentence that answers.
"""

from __future__ import annotations

from collections.abc import Sequence

from aipc_app.answer.material import Source
from aipc_app.answer.units import Unit, Units, cut_units
from aipc_app.text.language import language_of
from aipc_app.text.tokens import query_tokens

_LONGEST = {"zh": 260, "en": 640}  # characters; about 150 tokens


def excerpts(sources: Sequence[Source], query: str) -> list[tuple[int, int]]:
    """Of each source where its excerpt begins and ends on the page."""
    units = cut_units(sources)
    asked = frozenset(query_tokens(query))
    return [_best(units, number, source, asked) for number, source in enumerate(sources)]


def _best(units: Units, number: int, source: Source, asked: frozenset[str]) -> tuple[int, int]:
    """Neighbouring sentences within the length that share most; of two alike the fuller, else the first."""
    longest = _LONGEST.get(language_of(source.text), _LONGEST["zh"])
    sentences = [unit for unit in units.items if unit.source == number]
    if not sentences:
        return source.start, min(source.end, source.start + longest)
    windows = [_window(sentences, first, longest) for first in range(len(sentences))]
    best = max(windows, key=lambda window: (_worth(units, window, asked), window[-1].end - window[0].start))
    return best[0].start, min(best[-1].end, best[0].start + longest)


def _window(sentences: Sequence[Unit], first: int, longest: int) -> Sequence[Unit]:
    last = first
    while last + 1 < len(sentences) and sentences[last + 1].end - sentences[first].start <= longest:
        last += 1
    return sentences[first : last + 1]


def _worth(units: Units, window: Sequence[Unit], asked: frozenset[str]) -> float:
    return units.total(asked & frozenset[str]().union(*(unit.tokens for unit in window)))
