"""Tables as lines: one a row, cells side by side, so that a row and the header above it can be read together.

The line of every format's tables: cells in one line each, ` | ` between them; see the README of this room.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

CELL = " | "
_MAX_FILLED = 2_000  # cells of one merged range that get its text


@dataclass(frozen=True)
class Merge:
    """A merged range of cells, last row and column included."""

    top: int
    left: int
    bottom: int
    right: int


def one_line(text: str) -> str:
    """A cell's text on one line."""
    return " ".join(text.split())


def row_line(cells: Sequence[str]) -> str:
    """One row. Empty cells keep their place, but not at the end."""
    return CELL.join(one_line(cell) for cell in cells).rstrip(" |").strip()


def grid_lines(rows: Mapping[int, Mapping[int, str]], merges: Sequence[Merge] = ()) -> list[str]:
    """Cells by row and column as lines: empty columns dropped, runs of empty rows as one empty line.

    A cell merged over rows is repeated in each of them, so that every row says what it belongs to; one merged
    over columns stands over each of them, unless it spans the whole table as titles do.
    """
    filled = {row: {column: text for column, text in cells.items() if text.strip()} for row, cells in rows.items()}
    columns = sorted({column for cells in filled.values() for column in cells})
    _fill(filled, merges, columns)
    lines: list[str] = []
    before = -1
    for row in sorted(row for row, cells in filled.items() if cells):
        if lines and row > before + 1:
            lines.append("")
        lines.append(row_line([filled[row].get(column, "") for column in columns]))
        before = row
    return lines


def _fill(rows: dict[int, dict[int, str]], merges: Sequence[Merge], columns: Sequence[int]) -> None:
    for merge in merges:
        text = rows.get(merge.top, {}).get(merge.left)
        covered = [column for column in columns if merge.left <= column <= merge.right]
        if not text or (merge.bottom - merge.top + 1) * len(covered) > _MAX_FILLED:
            continue
        wide = covered if len(covered) < len(columns) else [merge.left]
        for row in range(merge.top, merge.bottom + 1):
            if row == merge.top or rows.get(row):
                for column in wide:
                    rows[row].setdefault(column, text)
