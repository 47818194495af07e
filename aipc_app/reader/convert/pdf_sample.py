"""A few lines of a page's text layer, cut short, and what recognition reads where they stand."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np
import numpy.typing as npt
import pypdfium2 as pdfium

from aipc_app.reader.convert.pdf_ocr import Area, draw
from aipc_app.reader.convert.pdf_text import PdfText
from aipc_app.reader.ocr.models import networks
from aipc_app.reader.ocr.reading import Reading, read_line

LEAST_LINE, _MOST_LINE = 6, 24  # characters compared
_WIDEST = 12.0  # line heights: recognising costs by the width, and wide gaps tell nothing
_LEAST_DIFFERENT = 4  # characters: a rule drawn with a font reads `llllllll` and can't be told from any other
_PIXELS_PER_POINT = 3.0
_IDEOGRAPH = re.compile("[\u2e80-\u9fff\uf900-\ufaff]")


@dataclass(frozen=True)
class Place:
    """A line of the page's text."""

    font: str
    start: int
    length: int


@dataclass(frozen=True)
class Sample:
    """The beginning of a line: what the layer says, and where, in points as displayed."""

    said: str
    area: Area


def lines_of(read: PdfText) -> Iterator[Place]:
    """Lines that are long enough to tell."""
    start = 0
    for line, font in zip(read.text.split("\n"), read.line_fonts, strict=True):
        if len(line) >= LEAST_LINE:
            yield Place(font, start, len(line))
        start += len(line) + 1


def samples(read: PdfText, places: list[Place]) -> Iterator[Sample]:
    """The beginning of those of these lines that run across the page and are words or numbers."""
    boxes = np.frombuffer(read.boxes, dtype="<f4").reshape(-1, 4)
    for place in places:
        length = _MOST_LINE if place.length - _MOST_LINE > LEAST_LINE else min(place.length, 2 * _MOST_LINE)
        shown = slice(place.start, place.start + length)
        part, placed = _cut(read.text[shown], boxes[shown])
        if len(plain(part)) < LEAST_LINE or len(set(plain(part))) < _LEAST_DIFFERENT:
            continue
        (x0, y0), (x1, y1) = placed[:, :2].min(axis=0).tolist(), placed[:, 2:].max(axis=0).tolist()
        if x1 - x0 > 2 * (y1 - y0) and y1 - y0 < 1.7 * _height(placed):
            yield Sample(part, Area(x0, y0, x1, y1))


def _cut(part: str, boxes: npt.NDArray[np.float32]) -> tuple[str, npt.NDArray[np.float32]]:
    """As much of the line's beginning as is `_WIDEST` wide, whichever way it runs, and the boxes of what has one."""
    has_box = ~np.isnan(boxes[:, 0])
    if not has_box.any():
        return "", boxes[:0]
    first = boxes[has_box][0]
    reach = np.maximum(boxes[:, 2] - first[0], first[2] - boxes[:, 0])
    beyond = np.flatnonzero(has_box & (reach > _WIDEST * _height(boxes[has_box])))
    length = int(beyond[0]) if len(beyond) else len(part)
    return part[:length], boxes[:length][has_box[:length]]


def _height(placed: npt.NDArray[np.float32]) -> float:
    return float(np.median(placed[:, 3] - placed[:, 1]))


def recognised(page: pdfium.PdfPage, area: Area) -> Reading:
    """What the page's picture says there."""
    width, height = page.get_size()
    margin = 0.08 * (area.y1 - area.y0)
    shown = Area(
        max(0.0, area.x0 - margin), max(0.0, area.y0 - margin),
        min(width, area.x1 + margin), min(height, area.y1 + margin),
    )  # fmt: skip
    return read_line(draw(page, shown, _PIXELS_PER_POINT), networks())


def alike(one: str, other: str) -> float:
    """From 0 to 1, spaces and punctuation left out."""
    return SequenceMatcher(None, plain(one), plain(other), autojunk=False).ratio()


def plain(text: str) -> str:
    """Letters, digits and combining marks only, small, in one form."""
    folded = unicodedata.normalize("NFKC", text).lower()
    return "".join(char for char in folded if unicodedata.category(char)[0] in "LNC" and char not in "\n\t")


def weight(text: str) -> int:
    """How much a text tells: its characters, an ideograph as two letters."""
    return len(plain(text)) + len(_IDEOGRAPH.findall(text))


def has_ideographs(text: str) -> bool:
    return bool(_IDEOGRAPH.search(text))
