"""Lines in the order a person reads them: columns one after the other, rows of a table as rows."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from aipc_app.reader.ocr.recognise import Line

_LEAST_ROWS = 4  # fewer lines side by side are no columns of text
_LEAST_CHARACTERS = 9  # a column's lines are longer than a table's cells
_SAME_ROW = 0.5


@dataclass(frozen=True)
class Placed:
    """A line with its sides once the page's slant is taken out."""

    line: Line
    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def height(self) -> float:
        return self.y1 - self.y0


Row = list[Placed]


def in_reading_order(lines: Sequence[Line]) -> list[list[Line]]:
    """Rows of lines; what stands in one row is written in one line."""
    if not lines:
        return []
    vertical = sum(len(line.reading.text) for line in lines if line.vertical)
    if 2 * vertical > sum(len(line.reading.text) for line in lines):
        return _columns_from_the_right(lines)
    rows = _rows(_flattened(lines))
    ordered: list[Row] = []
    for band, gutter in _bands(rows):
        if gutter is None:
            ordered += band
        else:
            ordered += _rows([one for row in band for one in row if (one.x0 + one.x1) / 2 < gutter])
            ordered += _rows([one for row in band for one in row if (one.x0 + one.x1) / 2 >= gutter])
    return [[one.line for one in row] for row in ordered]


def slant_of(lines: Sequence[Line]) -> float:
    """Radians, clockwise; the middle one of the longer lines."""
    angles = []
    for line in lines:
        along, down = line.quad[1] - line.quad[0], line.quad[3] - line.quad[0]
        if np.linalg.norm(along) > 4 * np.linalg.norm(down):
            angles.append(math.atan2(float(along[1]), float(along[0])))
    angles = [angle for angle in angles if abs(angle) < math.pi / 4]
    return statistics.median(angles) if angles else 0.0


def _flattened(lines: Sequence[Line]) -> list[Placed]:
    slant = slant_of(lines)
    cos, sin = math.cos(slant), math.sin(slant)
    turn = np.array([[cos, -sin], [sin, cos]])
    placed = []
    for line in lines:
        flat = line.quad @ turn
        (x0, y0), (x1, y1) = flat.min(axis=0), flat.max(axis=0)
        placed.append(Placed(line, float(x0), float(y0), float(x1), float(y1)))
    return placed


def _rows(placed: Sequence[Placed]) -> list[Row]:
    """Lines whose middles lie within each other's height, from left to right; rows from top to bottom."""
    rows: list[Row] = []
    for one in sorted(placed, key=lambda p: p.y0 + p.y1):
        middle = (one.y0 + one.y1) / 2
        last = rows[-1] if rows else []
        reference = sum((p.y0 + p.y1) / 2 for p in last) / len(last) if last else 0.0
        if last and abs(middle - reference) < _SAME_ROW * min(one.height, *(p.height for p in last)):
            last.append(one)
        else:
            rows.append([one])
    return [sorted(row, key=lambda p: p.x0) for row in rows]


def _bands(rows: list[Row]) -> list[tuple[list[Row], float | None]]:
    """Runs of rows that have the same empty strip down the page, with its middle; None where there is none."""
    bands: list[tuple[list[Row], float | None]] = []
    i = 0
    while i < len(rows):
        found = _longest_band(rows, i)
        if found is None:
            bands.append(([rows[i]], None))
            i += 1
        else:
            length, gutter = found
            bands.append((rows[i : i + length], gutter))
            i += length
    return bands


def _longest_band(rows: list[Row], first: int) -> tuple[int, float] | None:
    """A strip free in as many rows as possible from `first` on, with text of columns' length on both sides."""
    best: tuple[int, float] | None = None
    for gutter in _gaps(rows[first : first + 2 * _LEAST_ROWS]):
        length = 0
        while first + length < len(rows) and all(not p.x0 < gutter < p.x1 for p in rows[first + length]):
            length += 1
        if (best is None or length > best[0]) and _are_columns(rows[first : first + length], gutter):
            best = (length, gutter)
    return best


def _gaps(rows: list[Row]) -> list[float]:
    """Middles of the strips between left and right that none of these lines reaches into."""
    gaps: list[float] = []
    reached = -math.inf
    for one in sorted((p for row in rows for p in row), key=lambda p: p.x0):
        if reached < one.x0 and reached > -math.inf:
            gaps.append((reached + one.x0) / 2)
        reached = max(reached, one.x1)
    return gaps


def _are_columns(band: list[Row], gutter: float) -> bool:
    left = [p for row in band for p in row if p.x1 <= gutter]
    right = [p for row in band for p in row if p.x0 >= gutter]
    if min(len(left), len(right)) < _LEAST_ROWS:
        return False
    return all(statistics.median(len(p.line.reading.text) for p in side) >= _LEAST_CHARACTERS for side in (left, right))


def _columns_from_the_right(lines: Sequence[Line]) -> list[list[Line]]:
    """Vertical writing: columns from right to left, pieces of one column from top to bottom."""
    columns: list[list[Line]] = []
    for line in sorted(lines, key=lambda one: -float(one.quad[:, 0].mean())):
        width = float(np.ptp(line.quad[:, 0]))
        if columns and abs(float(columns[-1][0].quad[:, 0].mean() - line.quad[:, 0].mean())) < 0.5 * width:
            columns[-1].append(line)
        else:
            columns.append([line])
    return [sorted(column, key=lambda one: float(one.quad[:, 1].min())) for column in columns]
