"""Boxes of characters on a page: packed for storage, merged for a highlight.

Points from the top left of the page as displayed (crop and rotation applied).
"""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Iterable, Iterator

Box = tuple[float, float, float, float]  # x0, y0, x1, y1
NO_BOX: Box = (math.nan, math.nan, math.nan, math.nan)


def pack_boxes(boxes: Iterable[Box]) -> bytes:
    """One box per code point of the page's text, as little-endian float32 × 4; NaN where there is none."""
    flat = array("f", (value for box in boxes for value in box))
    if sys.byteorder == "big":
        flat.byteswap()
    return flat.tobytes()


def unpack_boxes(packed: bytes, start: int, end: int) -> Iterator[Box]:
    """Boxes of the characters from `start` to `end`; those without one are left out."""
    flat = array("f")
    flat.frombytes(packed[start * 16 : end * 16])
    if sys.byteorder == "big":
        flat.byteswap()
    for i in range(0, len(flat), 4):
        if not math.isnan(flat[i]):
            yield (flat[i], flat[i + 1], flat[i + 2], flat[i + 3])


def span_boxes(packed: bytes, start: int, end: int) -> tuple[Box, ...]:
    """The boxes of a span merged line by line: what a highlight draws. Empty when the page has no boxes."""
    lines: list[Box] = []
    before = NO_BOX
    for box in unpack_boxes(packed, start, end):
        if lines and (_same_line(lines[-1], box) or _same_column(before, box)):
            last = lines[-1]
            lines[-1] = (
                min(last[0], box[0]),
                min(last[1], box[1]),
                max(last[2], box[2]),
                max(last[3], box[3]),
            )
        else:
            lines.append(box)
        before = box
    return tuple((round(a, 2), round(b, 2), round(c, 2), round(d, 2)) for a, b, c, d in lines)


def _same_line(line: Box, box: Box) -> bool:
    """Characters follow each other in reading order: same band, and not far to the left or right."""
    height = max(line[3] - line[1], box[3] - box[1], 1.0)
    overlap = min(line[3], box[3]) - max(line[1], box[1])
    gap = max(box[0] - line[2], line[0] - box[2])
    return overlap > 0.4 * min(line[3] - line[1], box[3] - box[1]) and gap < 2.5 * height


def _same_column(before: Box, box: Box) -> bool:
    """One character right above or below the other: text that runs up or down the page."""
    width = max(before[2] - before[0], box[2] - box[0], 1.0)
    overlap = min(before[2], box[2]) - max(before[0], box[0])
    gap = max(box[1] - before[3], before[1] - box[3])
    return overlap > 0.8 * width and gap < 0.5 * width
