"""Cells and rows of tables. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from aipc_app.answer.units import Units
from aipc_app.domain.review import Item, ItemType
from aipc_app.review.look.figures import one_of
from aipc_app.review.look.hits import NOTHING, Hit, Looked
from aipc_app.review.tables import Table, figure_tables, header_of, tables_of
from aipc_app.review.values import with_unit
from aipc_app.text.facts import FactKind, find_facts
from aipc_app.text.normalise import settled


def cells_beside(item: Item, units: Units) -> Looked:
    for word in item.look.rows:
        hits = [
            _with_unit(item, hit, f"{row} {units.sources[hit.source].page_text}")
            for table in tables_of(units)
            for hit, row in _cell(item, table, word)
        ]
        if hits:
            return one_of(hits)
    return NOTHING


def _with_unit(item: Item, hit: Hit, where: str) -> Hit:
    return replace(hit, text=with_unit(hit.text, where)) if item.type is ItemType.MONEY else hit


def _cell(item: Item, table: Table, word: str) -> Iterator[tuple[Hit, str]]:
    """With what names the cell's unit: the head of its column and of its row."""
    column = _year_column(table, item.look.year) if item.look.year else None
    if item.look.year and column is None:
        return
    for row in table.rows:
        if not _is_label(row.cells[0], word) or len(row.cells) < 2:
            continue
        at = column or 1
        if at < len(row.cells) and row.cells[at]:
            named = f"{row.cells[0]} {header_of(table)[at]}"
            yield Hit(row.source, row.start, row.end, row.cells[at]), named


def _is_label(cell: str, word: str) -> bool:
    """The word itself, whatever stands behind it in brackets."""
    plain = settled(cell).lower()
    return plain == word.lower() or re.fullmatch(rf"{re.escape(word.lower())}\s?[（(].*[)）]", plain) is not None


def _year_column(table: Table, which: str) -> int | None:
    years = {year: i for i, cell in enumerate(header_of(table)) if i and (year := _year(cell))}
    if len(years) < (2 if which == "before" else 1):
        return None
    return years[sorted(years)[-2 if which == "before" else -1]]


def _year(cell: str) -> int | None:
    found = (fact.value for fact in find_facts(cell) if fact.kind is FactKind.DATE)
    return next((value.year for value in found if getattr(value, "year", None)), None)  # type: ignore[union-attr]


def table_of(item: Item, units: Units) -> Looked:
    """Rows of the first table with most of the wanted columns, in the item's columns' order."""
    for table in tables_of(units):
        head = [settled(cell).lower() for cell in header_of(table)]
        columns = [_column_of(head, column.names) for column in item.columns]
        if not all(any(word.lower() in cell for cell in head) for word in item.look.table):
            continue
        rows = [
            tuple(
                Hit(row.source, row.start, row.end, row.cells[at] if at is not None and at < len(row.cells) else "")
                for at in columns
            )
            for row in table.rows
        ]
        rows = [row for row in rows if any(hit.text for hit in row)]
        if rows:
            return Looked(rows=tuple(rows[: item.limit]))
    return NOTHING


def _column_of(head: Sequence[str], names: Sequence[str]) -> int | None:
    for name in names:
        for i, cell in enumerate(head):
            if name.lower() in cell:
                return i
    return None


def all_tables(item: Item, units: Units) -> Looked:
    """Every row of every table: its first cell, then the others, each behind its head."""
    tables = tables_of(units) or figure_tables(units)
    rows = [
        (
            Hit(row.source, row.start, row.end, row.cells[0]),
            Hit(row.source, row.start, row.end, _with_heads(header_of(table), row.cells)),
        )
        for table in tables
        for row in table.rows
    ]
    return Looked(rows=tuple(rows[: item.limit]))


def _with_heads(heads: Sequence[str], cells: Sequence[str]) -> str:
    if len(heads) != len(cells):  # set without rules: where one head ends and the next begins isn't told
        return f"{' '.join(heads)}: {' '.join(cells[1:])}"
    return "; ".join(f"{head}: {cell}" for head, cell in list(zip(heads, cells, strict=True))[1:])
