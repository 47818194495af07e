"""Finds an item in the documents word for word, by headings, tables and fixed words. Pure.

What is found this way is a quote by construction. Where the documents give several different figures for one item
nothing is chosen: that is told, and the model may be asked.
"""

from __future__ import annotations

from collections.abc import Callable

from aipc_app.answer.units import Units
from aipc_app.domain.review import Item
from aipc_app.review.look.cells import all_tables, cells_beside, table_of
from aipc_app.review.look.figures import near
from aipc_app.review.look.headings import below_heads
from aipc_app.review.look.hits import NOTHING, Looked
from aipc_app.review.look.lines import after, lines, mentions
from aipc_app.review.look.points import last_date, numbered
from aipc_app.review.look.spoken import asked, last_exchange


def look(item: Item, units: Units) -> Looked:
    """What the item's rules find, the first of them that finds anything."""
    rules = item.look
    for wanted, find in _FINDERS:
        if getattr(rules, wanted):
            found = find(item, units)
            if found or found.several:
                return found
    return NOTHING


_METHODS = {"numbered": numbered, "last_date": last_date, "last_exchange": last_exchange, "tables": all_tables}


def _method(item: Item, units: Units) -> Looked:
    return _METHODS[item.look.method](item, units) if item.look.method in _METHODS else NOTHING


_FINDERS: tuple[tuple[str, Callable[[Item, Units], Looked]], ...] = (
    ("heads", below_heads), ("lines", lines), ("after", after), ("mentions", mentions),
    ("asked", asked), ("rows", cells_beside), ("near", near), ("table", table_of),
    ("method", _method),
)  # fmt: skip
