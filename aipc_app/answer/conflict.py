"""Does another document say the same of it with another figure? Then the reader sees both. Pure.

Looked for where the other sentence has nearly the words of the quoted one, so that it speaks of the same thing, and
where neither document has the other's figure anywhere: one that reports both sides contradicts nobody.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from aipc_app.answer.align import Span, words_of
from aipc_app.answer.claim import Claim
from aipc_app.answer.units import Unit, Units
from aipc_app.text.facts import DateValue, Fact, FactKind, compatible
from aipc_app.text.values import Quantity

_KINDS = (
    FactKind.AMOUNT, FactKind.DATE, FactKind.PERCENT, FactKind.RATE, FactKind.MULTIPLE, FactKind.DURATION,
    FactKind.NUMBER,
)  # fmt: skip
_ALIKE = 0.6  # of the weight of both sentences' words, figures apart
_FEWEST_WORDS = 2


class Conflict(Struct, frozen=True, kw_only=True):
    """`said` in the quoted document, `other` in the one that `span` is of."""

    said: str
    document: str
    other: str
    other_document: str
    span: Span


def contradicted(claim: Claim, units: Units, spans: Sequence[Span]) -> Conflict | None:
    """The first figure of the claim that another document states otherwise."""
    for fact in claim.hard:
        if fact.kind not in _KINDS or (isinstance(fact.value, DateValue) and fact.value.day is None):
            continue
        quoted = next((i for i in _inside(spans) if _states(units.items[i], fact)), None)
        if quoted is None or len(_of_kind(units.items[quoted], fact)) != 1:
            continue
        for index in _alike(units, quoted):
            other = _of_kind(units.items[index], fact)
            if len(other) == 1 and _only_there(units, quoted, index, fact, other[0]) and not _said(claim, other[0]):
                return _conflict(units, quoted, index, fact, other[0])
    return None


def _inside(spans: Sequence[Span]) -> Iterator[int]:
    for span in spans:
        yield from range(span.first, span.last + 1)


def _alike(units: Units, quoted: int) -> Iterator[int]:
    """Sentences of other documents, the library's apart, in nearly the quoted one's words."""
    mine = words_of(units.items[quoted].tokens)
    document = _document(units, quoted)
    if len(mine) < _FEWEST_WORDS:
        return
    whole = units.total(mine)
    for index, unit in enumerate(units.items):
        source = units.sources[unit.source]
        if source.library or source.document_id == document or unit.language != units.items[quoted].language:
            continue
        theirs = words_of(unit.tokens)
        if units.total(mine & theirs) >= _ALIKE * max(whole, units.total(theirs)):
            yield index


def _of_kind(unit: Unit, fact: Fact) -> list[Fact]:
    return [one for one in unit.facts if one.kind is fact.kind and _unit_of(one) == _unit_of(fact)]


def _unit_of(fact: Fact) -> str:
    return fact.value.unit if isinstance(fact.value, Quantity) else ""


def _states(unit: Unit, fact: Fact) -> bool:
    return any(compatible(one, fact) for one in unit.facts)


def _only_there(units: Units, quoted: int, index: int, fact: Fact, other: Fact) -> bool:
    """The two figures differ, and each is in its own document alone of the two."""
    if compatible(fact, other):
        return False
    here, there = _document(units, quoted), _document(units, index)
    for unit in units.items:
        document = units.sources[unit.source].document_id
        if (document == there and _states(unit, fact)) or (document == here and _states(unit, other)):
            return False
    return True


def _said(claim: Claim, other: Fact) -> bool:
    return any(compatible(one, other) for one in claim.hard)


def _document(units: Units, index: int) -> int:
    return units.sources[units.items[index].source].document_id


def _conflict(units: Units, quoted: int, index: int, fact: Fact, other: Fact) -> Conflict:
    unit = units.items[index]
    return Conflict(
        said=fact.text,
        document=units.sources[units.items[quoted].source].document,
        other=other.text,
        other_document=units.sources[unit.source].document,
        span=Span(source=unit.source, first=index, last=index, start=unit.start, end=unit.end),
    )
