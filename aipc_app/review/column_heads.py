"""The columns' heads of a table that was set by places alone: which words of the line above stand over which figures.

The text of such a page has one line for all heads, often with the table's title before them; where they stand tells
them apart. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from aipc_app.domain.boxes import unpack_boxes
from aipc_app.review.tables import Row, Table

_HEAD_HEIGHT = 3.5  # line heights above the first row that a head of several lines may take
_SPACE = 0.6  # of a line's height: a wider gap parts two heads
_WORD = re.compile(r"\S+")


class _Placed(Struct, frozen=True):
    """Words and where they stand, in points."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float


def with_column_heads(table: Table, page_text: str, boxes: bytes) -> Table:
    """The table with a head for each column, or as it is where the places don't tell. `boxes` as in domain.boxes."""
    count = len(table.rows[0].cells)
    if len(table.head.cells) != 1 or not boxes or any(len(row.cells) != count for row in table.rows):
        return table
    rows = [_cells_of(row, page_text, boxes) for row in table.rows]
    if any(len(cells) != count for cells in rows):
        return table
    columns = [_around([cells[n] for cells in rows]) for n in range(count)]
    heads: list[list[str]] = [[] for _ in columns]
    for group in _groups(_words_above(table.head, rows[0], page_text, boxes)):
        over = [n for n, column in enumerate(columns) if min(group.x1, column.x1) > max(group.x0, column.x0)]
        if len(over) > 1 or (not over and group.x0 < columns[0].x0):
            continue  # a title over several
        heads[over[0] if over else _nearest(group, columns)].append(group.text)
    if not all(heads[1:]):
        return table
    return replace(table, head=replace(table.head, cells=tuple(" ".join(words) for words in heads)))


def _cells_of(row: Row, text: str, boxes: bytes) -> list[_Placed]:
    """The row's cells found in its line, from the right."""
    found, end = [], row.end
    for cell in reversed(row.cells):
        start = text.rfind(cell, row.start, end)
        placed = _place(cell, boxes, start, start + len(cell)) if start >= 0 else None
        if placed is None:
            return []
        found.append(placed)
        end = start
    return found[::-1]


def _words_above(head: Row, first: Sequence[_Placed], text: str, boxes: bytes) -> list[_Placed]:
    """Words of the head's line that stand closely above the first row."""
    top = min(cell.y0 for cell in first)
    height = max(cell.y1 - cell.y0 for cell in first)
    words = (
        _place(word[0], boxes, head.start + word.start(), head.start + word.end())
        for word in _WORD.finditer(text[head.start : head.end])
    )
    return [w for w in words if w is not None and top - _HEAD_HEIGHT * height < w.y0 < top]


def _groups(words: Sequence[_Placed]) -> Iterator[_Placed]:
    """Words that stand side by side on one line, from the top."""
    if not words:
        return
    group = [words[0]]
    for before, word in pairwise(words):
        gap, height = word.x0 - before.x1, before.y1 - before.y0
        if abs(word.y0 - before.y0) > height / 2 or not -height < gap < _SPACE * height:
            yield _around(group)
            group = []
        group.append(word)
    yield _around(group)


def _nearest(group: _Placed, columns: Sequence[_Placed]) -> int:
    middle = (group.x0 + group.x1) / 2
    return min(range(len(columns)), key=lambda n: abs(middle - (columns[n].x0 + columns[n].x1) / 2))


def _place(text: str, boxes: bytes, start: int, end: int) -> _Placed | None:
    here = list(unpack_boxes(boxes, start, end))
    if not here:
        return None
    x0, y0, x1, y1 = zip(*here, strict=True)
    return _Placed(text, min(x0), min(y0), max(x1), max(y1))


def _around(group: Sequence[_Placed]) -> _Placed:
    return _Placed(
        " ".join(one.text for one in group), min(one.x0 for one in group), min(one.y0 for one in group),
        max(one.x1 for one in group), max(one.y1 for one in group),
    )  # fmt: skip
