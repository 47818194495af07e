"""Finds the verbatim spans a claim rests on. Pure: units and a claim in, spans with their figures out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from statistics import median

from msgspec import Struct

from aipc_app.answer.claim import Claim
from aipc_app.answer.units import Unit, Units
from aipc_app.text.facts import Fact, supports

MOST_UNITS = 3  # a quote longer than three sentences points at nothing
MOST_SPANS = 3
_FACT_WEIGHT = 1.0  # all facts held counts as much as all words said
_EMPTY = frozenset("的了是在有和与人不一为其该这那之及或于上下中第" + "abcdefghijklmnopqrstuvwxyz")
_WORD = re.compile(r"[\u3400-\u9fff]{2,}|[a-z]{3,}")
_SAYS_SOMETHING = 2  # words
_LENGTH_COST = 0.06  # a further sentence must bring more than this share of the claim
_NEAR_CREDIT = 0.9  # a word of the question that stands beside the quote, not in it


class Span(Struct, frozen=True, kw_only=True):
    """Units `first` to `last` of one source, in order; `start` and `end` are offsets into its page."""

    source: int
    first: int
    last: int
    start: int
    end: int


class Alignment(Struct, frozen=True, kw_only=True):
    """`coverage`: share of what the claim says, by weight, that the spans say too. `missing`: hard facts in none.

    `lift`: where words can't tell, how much nearer in meaning the best sentence is than the material's middle one.
    """

    spans: tuple[Span, ...]
    coverage: float
    missing: tuple[Fact, ...]
    lift: float = 0.0


def align(claim: Claim, units: Units, similarities: Mapping[int, float] | None = None) -> Alignment:
    """The best window of up to three sentences, then a further span for each fact it lacks.

    `similarities`: by unit index, for a claim in another language than its source; they stand in for words.
    """
    best = max(_windows(units), key=lambda w: _worth(claim, units, w, similarities), default=None)
    if best is None:
        return Alignment(spans=(), coverage=0.0, missing=claim.hard)
    spans = [best]
    missing = _lacking(claim, claim.hard, _inside(units, best))
    while missing and len(spans) < MOST_SPANS:
        further = _unit_with(missing, claim, units, best)
        if further is None:
            break
        spans.append(further)
        missing = _lacking(claim, missing, _inside(units, further))
    window = [unit for span in spans for unit in _inside(units, span)]
    return Alignment(
        spans=tuple(spans),
        coverage=_coverage(claim, units, window),
        missing=missing,
        lift=_nearest(best, similarities) - median(similarities.values()) if similarities else 0.0,
    )


def context(units: Units, span: Span, characters: int = 200) -> str:
    """The span with a little of the page around it, for a reader or a judge to understand it by."""
    source = units.sources[span.source]
    start = max(source.start, span.start - characters)
    end = min(source.end, span.end + characters)
    return source.page_text[start:end].strip()


def speaks_of(claim: Claim, unit: Unit) -> bool:
    """Has the unit anything to do with the claim, its figures apart?

    "Handed in on 20 May" is no date of a contract, though both stand in one list. A sentence that is nothing but
    the figure takes its sense from what is around it and passes; so does one in another language.
    """
    if claim.language != unit.language:
        return True
    words, own = words_of(unit.tokens), words_of(claim.tokens)
    if len(words) < _SAYS_SOMETHING or len(own) < _SAYS_SOMETHING:
        return True  # "until 4 March" takes its sense from the question, and that perhaps from the one before
    said = own | words_of(claim.asked)
    return bool(words & said) or bool(_characters(words) & _characters(said))


@lru_cache(maxsize=20_000)
def words_of(tokens: frozenset[str]) -> frozenset[str]:
    """The tokens that are words, figures and single characters left out."""
    return frozenset(token for token in tokens if _WORD.fullmatch(token))


@lru_cache(maxsize=20_000)
def _characters(words: frozenset[str]) -> frozenset[str]:
    """Han characters: 已还 and 还了 speak of the same, though a dictionary cuts them into different words."""
    return frozenset("".join(words)) - _EMPTY


def _inside(units: Units, span: Span) -> tuple[Unit, ...]:
    return units.items[span.first : span.last + 1]


def _windows(units: Units) -> Iterator[Span]:
    for first, unit in enumerate(units.items):
        for last in range(first, min(first + MOST_UNITS, len(units.items))):
            end = units.items[last]
            if end.source != unit.source:
                break
            yield Span(source=unit.source, first=first, last=last, start=unit.start, end=end.end)


def _worth(claim: Claim, units: Units, span: Span, similarities: Mapping[int, float] | None) -> float:
    window = _inside(units, span)
    said = _nearest(span, similarities) if similarities else _coverage(claim, units, window)
    held = 1 - len(_lacking(claim, claim.hard, window)) / len(claim.hard) if claim.hard else 0.0
    return said + _FACT_WEIGHT * held - _LENGTH_COST * (span.last - span.first)


def _nearest(span: Span, similarities: Mapping[int, float]) -> float:
    return max(similarities.get(i, 0.0) for i in range(span.first, span.last + 1))


def _coverage(claim: Claim, units: Units, window: Sequence[Unit]) -> float:
    """Fresh words must be in the window; words of the question may stand beside it."""
    whole = units.total(claim.tokens)
    if not whole or not window:
        return 0.0
    inside = frozenset[str]().union(*(unit.tokens for unit in window))
    beside = frozenset[str]().union(*(unit.near for unit in window)) - inside
    said = units.total(claim.tokens & inside) + _NEAR_CREDIT * units.total(claim.topic & beside)
    return said / whole


def _lacking(claim: Claim, facts: Sequence[Fact], window: Sequence[Unit]) -> tuple[Fact, ...]:
    """Facts that no sentence of the window states, or only one that speaks of something else."""
    speaking = [unit for unit in window if speaks_of(claim, unit)] if facts else ()
    return tuple(fact for fact in facts if not any(supports(known, fact) for unit in speaking for known in unit.facts))


def _unit_with(missing: Sequence[Fact], claim: Claim, units: Units, near: Span) -> Span | None:
    """The unit that states most of the missing facts; ties go to shared words, then to the same source."""

    def worth(index: int) -> tuple[int, float, bool]:
        unit = units.items[index]
        held = len(missing) - len(_lacking(claim, missing, (unit,)))
        return held, units.total(claim.tokens & unit.near), unit.source == near.source

    best = max(range(len(units.items)), key=worth, default=None)
    if best is None or worth(best)[0] == 0:
        return None
    unit = units.items[best]
    return Span(source=unit.source, first=best, last=best, start=unit.start, end=unit.end)
