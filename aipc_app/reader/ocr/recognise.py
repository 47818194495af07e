"""A picture of a page to lines of text: which way up it is, what is under a seal, what is only noise."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from aipc_app.reader.ocr.finding import Quad, find_lines
from aipc_app.reader.ocr.models import Image, Networks
from aipc_app.reader.ocr.reading import Reading, cut_out, read_line
from aipc_app.reader.ocr.seals import SealLayer, without_seals
from aipc_app.reader.ocr.turning import is_tall, turns_of

KEPT_FROM = 0.5  # certainty of a line; below it is noise more often than text
_TRY_OTHERWISE_BELOW = 0.75
_FLAT = 1.0  # grey levels; one faint word on an A4 page has about 2


@dataclass(frozen=True)
class Line:
    """`quad`: its corners as the text runs, from the beginning of its upper side, in pixels."""

    quad: Quad
    reading: Reading
    vertical: bool = False


@dataclass(frozen=True)
class Recognised:
    """`lines` lie on the picture turned `turns` quarters counterclockwise; `doubtful`: characters left out."""

    lines: tuple[Line, ...]
    turns: int
    doubtful: int


def recognise(picture: Image, networks: Networks) -> Recognised:
    """Every line on it, in no order."""
    if float(picture[::2, ::2].std()) < _FLAT:
        return Recognised((), 0, 0)
    layer = without_seals(picture)
    quads = find_lines(layer.picture, networks.find)
    turns = turns_of(layer.picture, quads, networks)
    if turns:
        layer = layer.turned(turns)
        quads = find_lines(layer.picture, networks.find)
    lines = [_surer(layer, quad, networks) for quad in quads]
    if layer.has_seals:
        lines += _in_red(layer, quads, networks)
    kept = tuple(line for line in lines if line.reading.text.strip() and line.reading.confidence >= KEPT_FROM)
    return Recognised(kept, turns, sum(len(line.reading.text) for line in lines if line.reading.confidence < KEPT_FROM))


def _surer(layer: SealLayer, quad: Quad, networks: Networks) -> Line:
    """Where red ink was taken off, the line is read with it too: thick ink may have taken the letters along."""
    line = _read(layer.picture, quad, networks)
    if not layer.has_seals or not _differs(layer, quad):
        return line
    other = _read(layer.original, quad, networks)
    return other if other.reading.confidence > line.reading.confidence else line


def _differs(layer: SealLayer, quad: Quad) -> bool:
    x0, y0, x1, y1 = (round(value) for value in _bounds(quad))
    return not np.array_equal(layer.picture[y0:y1, x0:x1], layer.original[y0:y1, x0:x1])


def _read(picture: Image, quad: Quad, networks: Networks) -> Line:
    """A tall line is read from top to bottom; what stays doubtful is tried the other ways round."""
    strip = cut_out(picture, quad)
    if not is_tall(quad):
        ways = [(_from(quad, 0), strip, False), (_from(quad, 2), cv2.rotate(strip, cv2.ROTATE_180), False)]
    else:
        left, right = cv2.ROTATE_90_COUNTERCLOCKWISE, cv2.ROTATE_90_CLOCKWISE
        ways = [
            (_from(quad, 1), cv2.rotate(strip, left), True),
            (_from(quad, 0), strip, False),
            (_from(quad, 3), cv2.rotate(strip, right), False),
        ]
    best = None
    for corners, way, vertical in ways:
        line = Line(corners, read_line(np.ascontiguousarray(way, dtype=np.uint8), networks), vertical)
        if best is None or line.reading.confidence > best.reading.confidence + 0.05:
            best = line
        if best.reading.confidence >= _TRY_OTHERWISE_BELOW:
            break
    assert best is not None
    return best


def _from(quad: Quad, first: int) -> Quad:
    """The same corners, the line beginning at the corner `first` (clockwise from the top left)."""
    return np.roll(quad, -first, axis=0)


def _in_red(layer: SealLayer, found: list[Quad], networks: Networks) -> list[Line]:
    """What is written in red itself (a letterhead, a seal), where nothing was found without the red."""
    free = [quad for quad in find_lines(layer.original, networks.find) if not _is_covered(quad, found)]
    return [_read(layer.original, quad, networks) for quad in free]


def _is_covered(quad: Quad, others: list[Quad]) -> bool:
    x0, y0, x1, y1 = _bounds(quad)
    area = max((x1 - x0) * (y1 - y0), 1.0)
    for other in others:
        a0, b0, a1, b1 = _bounds(other)
        shared = max(0.0, min(x1, a1) - max(x0, a0)) * max(0.0, min(y1, b1) - max(y0, b0))
        if shared > 0.2 * area:
            return True
    return False


def _bounds(quad: Quad) -> tuple[float, float, float, float]:
    (x0, y0), (x1, y1) = quad.min(axis=0).tolist(), quad.max(axis=0).tolist()
    return x0, y0, x1, y1
