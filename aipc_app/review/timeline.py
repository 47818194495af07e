"""What code reads off a whole case: dated events in order, and what both sides' papers state alike. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from aipc_app.answer.align import words_of
from aipc_app.answer.units import Unit, Units
from aipc_app.domain.review import Item
from aipc_app.review.look.headings import is_heading
from aipc_app.review.look.hits import Hit, Looked
from aipc_app.text.facts import Fact, FactKind, supports
from aipc_app.text.values import DateValue

_WORDS = 2  # that an event has besides its date
_LONGEST = 220


def timeline(item: Item, units: Units) -> Looked:
    """Each sentence with a whole date, under the first of its dates; rows (date, event), the earliest first."""
    told = [unit for unit in units.items if not any(word in unit.text for word in item.look.without)]
    events = [(day, unit, fact) for unit in told for day, fact in _dated(unit)]
    events.sort(key=lambda event: (event[0], event[1].source, event[1].start))
    rows: dict[tuple[date, str], tuple[Hit, Hit]] = {}
    for day, unit, _ in events:
        text = unit.text.strip()[:_LONGEST]
        shown = f"{day.year}-{day.month:02}-{day.day:02}"
        place = (unit.source, unit.start, unit.end)
        rows.setdefault((day, text), (Hit(*place, shown), Hit(*place, text)))
    return Looked(rows=tuple(rows.values())[: item.limit])


def _dated(unit: Unit) -> Iterator[tuple[date, Fact]]:
    if is_heading(unit.text) or len(words_of(unit.tokens)) < _WORDS:
        return
    for fact in unit.facts:
        day = _day(fact)
        if day is not None:
            yield day, fact
            return


def _day(fact: Fact) -> date | None:
    if not isinstance(fact.value, DateValue):
        return None
    try:
        return date(fact.value.year or 0, fact.value.month or 0, fact.value.day or 0)
    except ValueError:
        return None


def both_sides(item: Item, one: Units, other: Units, said: str) -> tuple[tuple[Unit, Unit, str], ...]:
    """Sentences of two papers that state the same day with the same amount: (of one, of the other, what)."""
    found: dict[str, tuple[Unit, Unit, str]] = {}
    for mine in one.items:
        for theirs in other.items:
            shared = _shared(mine, theirs)
            if shared and shared not in found:
                found[shared] = (mine, theirs, shared)
    return tuple(found.values())[: item.limit]


def _shared(mine: Unit, theirs: Unit) -> str:
    days = [f for f in mine.facts if _day(f) and any(supports(t, f) for t in theirs.facts)]
    sums = [
        f for f in mine.facts
        if f.kind is FactKind.AMOUNT and any(t.kind is FactKind.AMOUNT and supports(t, f) for t in theirs.facts)
    ]  # fmt: skip
    return f"{days[0].text} {sums[0].text}" if days and sums else ""
