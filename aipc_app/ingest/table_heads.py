"""The header of a table, said again for the rows that are far from it."""

from __future__ import annotations

import re

_CELL = re.compile(r"\t| \| |^\s*\|\s*|\s*\|\s*$")
_FIGURES = re.compile(r"[\d.,，%¥￥$€+\-/:：年月日\s]+")
_LONGEST = 160
_FEWEST_CELLS = 2


class TableHeads:
    """Told each line of a document in order, it knows which header a row stands under, also on the next page."""

    def __init__(self) -> None:
        self._header: str | None = None
        self._cells = 0

    def over(self, line: str, *, row: bool) -> str | None:
        """The header over this row; None for the header itself, and for a line that is no row."""
        if not row:
            self._header, self._cells = None, 0
            return None
        cells = cells_of(line)
        if self._cells and len(cells) == self._cells:
            return self._header
        self._cells = len(cells)
        self._header = _header(cells)
        return None


def cells_of(row: str) -> tuple[str, ...]:
    """The cells of a row, without the space around them."""
    parts = [part.strip() for part in _CELL.split(row.strip())]
    return tuple(parts[1 if parts and not parts[0] else 0 : len(parts) - (1 if parts and not parts[-1] else 0)])


def _header(cells: tuple[str, ...]) -> str | None:
    """The first row as a header; None where it is a row of figures like the others."""
    named = [cell for cell in cells if cell]
    if len(named) < _FEWEST_CELLS or any(_FIGURES.fullmatch(cell) for cell in named):
        return None
    told = " | ".join(named)
    return told if len(told) <= _LONGEST else None
