"""Recognised lines as a page's text, a box for each code point."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

import numpy as np

from aipc_app.domain.boxes import NO_BOX, Box, pack_boxes
from aipc_app.reader.ocr.models import Image, Networks
from aipc_app.reader.ocr.order import in_reading_order
from aipc_app.reader.ocr.recognise import Line, recognise

Size = tuple[float, float]


@dataclass(frozen=True)
class OcrText:
    """`boxes` as in domain.boxes, in points of the area read; `confidence` from 0 to 1, None without text.

    `doubtful`: characters that were left out because they are more likely noise.
    """

    text: str
    boxes: bytes
    confidence: float | None
    doubtful: int


def read_picture(picture: Image, networks: Networks, size: Size, offset: Size = (0.0, 0.0)) -> OcrText:
    """Everything written on it. `size`: what it measures in points; `offset`: where its top left corner lies."""
    found = recognise(picture, networks)
    height, width = picture.shape[:2]
    scale = size[0] / width, size[1] / height
    chars: list[str] = []
    boxes: list[Box] = []
    sure: list[float] = []
    for row in in_reading_order(found.lines):
        if chars:
            chars.append("\n")
            boxes.append(NO_BOX)
        for number, line in enumerate(row):
            if number:
                chars.append(" ")
                boxes.append(NO_BOX)
            _append(line, chars, boxes, sure)
    placed = [_placed(_turned_back(box, found.turns, width, height), scale, offset, size) for box in boxes]
    confidence = round(sum(sure) / len(sure), 4) if sure else None
    return OcrText("".join(chars), pack_boxes(placed), confidence, found.doubtful)


def _append(line: Line, chars: list[str], boxes: list[Box], sure: list[float]) -> None:
    reading = line.reading
    for char, box, certainty in zip(reading.text, _boxes(line), reading.sure, strict=True):
        if char.isspace():
            if chars and chars[-1] not in " \n":
                chars.append(" ")
                boxes.append(NO_BOX)
        elif unicodedata.category(char) not in ("Cc", "Cn", "Co", "Cs"):
            chars.append(char)
            boxes.append(box)
            sure.append(certainty)
    while chars and chars[-1] == " ":
        chars.pop()
        boxes.pop()


def _boxes(line: Line) -> list[Box]:
    """A character reaches half way to its neighbours, the outer ones as far out as in."""
    middles = np.asarray(line.reading.middles, dtype=np.float64)
    if not len(middles):
        return []
    between = (middles[1:] + middles[:-1]) / 2
    first = 2 * middles[0] - between[0] if len(between) else 0.0
    last = 2 * middles[-1] - between[-1] if len(between) else 1.0
    edges = np.clip(np.concatenate(([first], between, [last])), 0.0, 1.0)
    upper = line.quad[0] + edges[:, None] * (line.quad[1] - line.quad[0])
    lower = line.quad[3] + edges[:, None] * (line.quad[2] - line.quad[3])
    corners = np.stack((upper[:-1], upper[1:], lower[1:], lower[:-1]), axis=1)
    low, high = corners.min(axis=1), corners.max(axis=1)
    return [(float(a[0]), float(a[1]), float(b[0]), float(b[1])) for a, b in zip(low, high, strict=True)]


def _turned_back(box: Box, turns: int, width: int, height: int) -> Box:
    """From the picture turned counterclockwise to the picture as it was, `width` × `height`."""
    x0, y0, x1, y1 = box
    if turns == 1:
        return width - y1, x0, width - y0, x1
    if turns == 2:
        return width - x1, height - y1, width - x0, height - y0
    if turns == 3:
        return y0, height - x1, y1, height - x0
    return box


def _placed(box: Box, scale: Size, offset: Size, size: Size) -> Box:
    x0, y0, x1, y1 = box
    if x0 != x0:
        return NO_BOX
    across = [min(max(x * scale[0], 0.0), size[0]) + offset[0] for x in (x0, x1)]
    down = [min(max(y * scale[1], 0.0), size[1]) + offset[1] for y in (y0, y1)]
    return across[0], down[0], across[1], down[1]
