"""What a free task has read so far: pages of the case, passages of the library, and where a figure stands in them.

A figure may be calculated with only if it was read, or the task names it: nothing is made up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from functools import cached_property

from msgspec import Struct

from aipc_app.answer.material import Source
from aipc_app.answer.units import Unit, Units, cut_units
from aipc_app.text.dates import date_within
from aipc_app.text.facts import DateValue, Fact, FactKind, Quantity, find_facts, supports
from aipc_app.text.normalise import settled
from aipc_app.text.tokens import query_tokens

_FIGURE = re.compile(r"-?\d[\d,，]*(?:\.\d+)?")


class Spot(Struct, frozen=True):
    """A stretch of a stored page."""

    document_id: int
    page: int
    start: int
    end: int


def overlap(one: Spot, other: Spot) -> bool:
    """Do they share a character?"""
    same = (one.document_id, one.page) == (other.document_id, other.page)
    return same and one.start < other.end and other.start < one.end


class Seen:
    """Grows while the task goes on. Not for two threads at once."""

    def __init__(self, task: str) -> None:
        self._sources: dict[tuple[int, int, int, int], Source] = {}
        self._named = tuple(find_facts(task))
        self._asked = frozenset(query_tokens(task))

    def add(self, source: Source) -> None:
        """A page, or a passage of one."""
        if self._sources.setdefault(_key(source), source) is source:
            self.__dict__.pop("units", None)

    @property
    def sources(self) -> tuple[Source, ...]:
        return tuple(self._sources.values())

    @cached_property
    def units(self) -> Units:
        return cut_units(self.sources)

    def figure(self, value: Decimal) -> tuple[Spot, ...] | None:
        """The best place where it stands; () where the task names it, None where it stands nowhere."""
        if any(value in values_of(fact) for fact in self._named):
            return ()
        places = [unit for unit in self.units.items if any(value in values_of(fact) for fact in unit.facts)]
        return self._best(places)

    def day(self, day: DateValue) -> tuple[Spot, ...] | None:
        """As `figure`, of a date."""
        if any(_names(fact, day) for fact in self._named):
            return ()
        return self._best([unit for unit in self.units.items if any(_names(fact, day) for fact in unit.facts)])

    def where(self, fact: Fact) -> list[Unit]:
        """Units that have this fact, those that share most with the task first."""
        found = [unit for unit in self.units.items if any(supports(have, fact) for have in unit.facts)]
        return sorted(found, key=lambda unit: -self.units.total(self._asked & (unit.tokens | unit.near)))

    def units_at(self, spot: Spot) -> list[Unit]:
        """Units that share a character with it."""
        return [unit for unit in self.units.items if overlap(self.spot(unit), spot)]

    def _best(self, places: list[Unit]) -> tuple[Spot, ...] | None:
        """That which shares most with the task."""
        best = max(places, key=lambda unit: self.units.total(self._asked & (unit.tokens | unit.near)), default=None)
        return None if best is None else (self.spot(best),)

    def spot(self, unit: Unit) -> Spot:
        source = self.units.sources[unit.source]
        return Spot(source.document_id, source.page, unit.start, unit.end)


def values_of(fact: Fact) -> frozenset[Decimal]:
    """What a figure may be taken for: 1,180万元 is 11,800,000 and, in a column of 万元, 1,180; 15% is 15 and 0.15."""
    if not isinstance(fact.value, Quantity):
        return frozenset()
    return frozenset(_readings(fact, fact.value))


def _readings(fact: Fact, quantity: Quantity) -> Iterator[Decimal]:
    yield quantity.amount
    if quantity.amount < 0:
        yield -quantity.amount
    if fact.kind in (FactKind.PERCENT, FactKind.RATE):
        yield quantity.amount / 100
    written = _FIGURE.search(settled(fact.text))
    if written is not None:
        try:
            yield Decimal(written[0].replace(",", "").replace("，", ""))
        except InvalidOperation:
            return


def _names(fact: Fact, day: DateValue) -> bool:
    return isinstance(fact.value, DateValue) and fact.kind is FactKind.DATE and date_within(day, fact.value)


def _key(source: Source) -> tuple[int, int, int, int]:
    return source.document_id, source.page, source.start, source.end
