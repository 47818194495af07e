"""The numbered points of a paper, and the day it was signed. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aipc_app.answer.units import Units
from aipc_app.domain.review import Item
from aipc_app.review.look.hits import NOTHING, Hit, Looked, hit_of, span_of
from aipc_app.text.facts import FactKind

_CLOSING = ("综上", "此致", "附：", "答辩人：", "具状人：")
_MOST_IN_POINT = 5
_FEWEST_POINTS = 2


def numbered(item: Item, units: Units) -> Looked:
    """The numbered points of a paper, each from its number to the next one's."""
    first = next((unit for unit in units.items if _number_of(unit.text)), None)
    if first is None:
        return NOTHING
    style = _number_of(first.text)
    starts = [i for i, unit in enumerate(units.items) if _number_of(unit.text) == style]
    if len(starts) < _FEWEST_POINTS:
        return NOTHING
    return Looked(hits=tuple(_point(units, start, starts) for start in starts[: item.limit]))


def _point(units: Units, start: int, starts: Sequence[int]) -> Hit:
    first = last = units.items[start]
    for i in range(start + 1, min(start + _MOST_IN_POINT, len(units.items))):
        unit = units.items[i]
        if i in starts or unit.source != first.source or unit.text.startswith(_CLOSING):
            break
        last = unit
    if last is first:
        return hit_of(first)
    whole = span_of(units, first, last)
    body = span_of(units, units.items[start + 1], last)
    return Hit(whole.source, whole.start, whole.end, f"{hit_of(first).text}　{body.text}")


def _number_of(text: str) -> str:
    """The style of the number that a point begins with: 一、 or （一） or 1."""
    found = re.match(
        r"[\s#*]*(?:([一二三四五六七八九十]{1,3})([、.．])|([（(])[一二三四五六七八九十\d]|(\d{1,2})([、.．]))", text
    )
    return (
        "".join(group[0] if i in (1, 2, 4) else "n" for i, group in enumerate(found.groups()) if group) if found else ""
    )


def last_date(item: Item, units: Units) -> Looked:
    """The last whole date of a paper, which is the day it was signed."""
    for unit in reversed(units.items):
        facts = [fact for fact in unit.facts if fact.kind is FactKind.DATE and getattr(fact.value, "day", None)]
        if facts:
            return Looked(hits=(hit_of(unit, facts[-1].text),))
    return NOTHING
