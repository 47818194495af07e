"""Tables of stored pages: rows of cells, with the place each row stands at. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from aipc_app.answer.units import Unit, Units
from aipc_app.text.layout import is_row

_RULE = re.compile(r"^[\s|:\-]+$")
_SPACED = re.compile(r"\S(?: {2,}|\u3000{2,})\S")
_TRAILING = re.compile(r"(?:\s[-−]?\d[\d,.]*%?){2,}$")
_UNFINISHED = ("than", "to", "and", "of", "over", "under", "below", "above")
_FEWEST_LINES = 3
_GAP = re.compile(r" {2,}|\u3000{2,}")


class Row(Struct, frozen=True):
    """`start` to `end` of the source's page."""

    source: int
    start: int
    end: int
    cells: tuple[str, ...]


class Table(Struct, frozen=True):
    """Rows that stand one below the other with the same number of cells; the first of them is the head."""

    head: Row
    rows: tuple[Row, ...]


def tables_of(units: Units) -> tuple[Table, ...]:
    """Every table with a head and a row, in order."""
    return tuple(table for run in _runs(units.items) for table in _cut(run))


def figure_tables(units: Units) -> tuple[Table, ...]:
    """Tables set without rules or tabs: lines of a label and several figures, at least three one below the other.

    The head is the line above them, as one cell.
    """
    found: list[Table] = []
    for number, source in enumerate(units.sources):
        lines = list(_lines(number, source.page_text, source.start, source.end))
        start = 0
        while start < len(lines):
            end = start
            while end < len(lines) and _TRAILING.search(lines[end].cells[0]):
                end += 1
            if end - start >= _FEWEST_LINES and start:
                found.append(Table(lines[start - 1], _split(lines[start:end])))
            start = max(end, start + 1)
    return tuple(found)


def _lines(source: int, text: str, start: int, end: int) -> Iterator[Row]:
    at = start
    for line in text[start:end].split("\n"):
        yield Row(source, at, at + len(line), (line.strip(),))
        at += len(line) + 1


def _split(lines: Sequence[Row]) -> tuple[Row, ...]:
    """The label, and as many figures as every line has; more are the end of a label such as 10 to 25%."""
    count = min(len(_figures(row.cells[0])) for row in lines)
    rows = []
    for row in lines:
        words = row.cells[0].split()
        if words[-count - 1 :] and words[-count - 1].lower() in _UNFINISHED:
            words = [*words[: -count - 1], " ".join(words[-count - 1 : -count + 1]), *words[-count + 1 :]]
            rows.append(Row(row.source, row.start, row.end, (" ".join(words[: -count + 1]), *words[-count + 1 :])))
            continue
        rows.append(Row(row.source, row.start, row.end, (" ".join(words[:-count]), *words[-count:])))
    return tuple(rows)


def _figures(line: str) -> list[str]:
    found = _TRAILING.search(line)
    return found[0].split() if found else []


def header_of(table: Table) -> tuple[str, ...]:
    return table.head.cells


def _runs(items: Sequence[Unit]) -> Iterator[list[Row]]:
    """Rows without anything between them."""
    run: list[Row] = []
    for unit in items:
        if _RULE.match(unit.text):
            continue
        for row in _rows(unit):
            if row is not None and (not run or run[-1].source == row.source):
                run.append(row)
                continue
            if run:
                yield run
            run = [row] if row is not None else []
    if run:
        yield run


def _rows(unit: Unit) -> Iterator[Row | None]:
    """The unit as a row; lines set in columns by spaces may be taken for one sentence, and are rows each."""
    at = unit.start
    for line in unit.text.split("\n") if not is_row(unit.text) else [unit.text]:
        cells = _cells(line)
        yield Row(unit.source, at, at + len(line), cells) if len(cells) > 1 else None
        at += len(line) + 1


def _cells(line: str) -> tuple[str, ...]:
    text = line.strip()
    if is_row(text):
        cells = re.split(r"\t|\|", text.strip("|"))
    else:
        cells = _GAP.split(text) if _SPACED.search(text) else []
    return tuple(cell.strip().strip("*") for cell in cells)


def _cut(run: Sequence[Row]) -> Iterator[Table]:
    """A run holds several tables where the number of cells changes."""
    start = 0
    for at in range(1, len(run) + 1):
        if at == len(run) or len(run[at].cells) != len(run[start].cells):
            if at - start > 1:
                yield Table(run[start], tuple(run[start + 1 : at]))
            start = at
