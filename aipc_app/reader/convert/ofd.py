"""OFD (GB/T 33190): text with boxes, page by page; scanned pages and pictures by text recognition."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO

import numpy as np

from aipc_app.domain.boxes import NO_BOX, Box, pack_boxes
from aipc_app.domain.documents import Page, PageState
from aipc_app.reader.convert.base import Content, Member, ReadPage, Source
from aipc_app.reader.convert.garbled import has_private_runs, is_garbled
from aipc_app.reader.convert.ofd_draw import OfdPainter
from aipc_app.reader.convert.ofd_objects import Glyphs, Placed, Thing, bounds, things_of
from aipc_app.reader.convert.ofd_package import POINTS_PER_MM, Attachment, OfdDocument, OfdPage, open_ofd
from aipc_app.reader.convert.radicals import IDEOGRAPH_OF_RADICAL
from aipc_app.reader.failure import FailureKind, ReadingError
from aipc_app.reader.ocr.compose import OcrText, read_picture
from aipc_app.reader.ocr.models import networks
from aipc_app.reader.ocr.order import in_reading_order
from aipc_app.reader.ocr.page import as_page, says_something
from aipc_app.reader.ocr.reading import Reading
from aipc_app.reader.ocr.recognise import Line

SCAN = "no text in the file; read from the picture of the page"
NOTHING = "no text in the file, and none was recognised on its picture"
UNSURE = "no text in the file, and its picture is too poor to be read; look at the page itself"
BLANK = "nothing is written on it"
GARBLED = "its characters can't be told from the file; read from the picture of the page"
PARTLY = "pictures on it hold text, which was recognised and stands after the rest"
SEALED = "an electronic seal stands on it; whether the signature is valid was not checked"
SIGNED = "the file is signed; whether the signature is valid was not checked"
FAILED = "the page is damaged or missing and could not be read"

_PIXELS_PER_MM = 200 / 25.4
_LONGEST_SIDE = 3_000  # pixels
_SLANTED = math.radians(8)
_LEAST_PICTURE_MM = 12.0


@contextmanager
def convert(source: Source) -> Iterator[Content]:
    """Raises ReadingError: damaged, unsupported (encrypted), limit."""
    with open_ofd(source) as document:
        yield _Ofd(document, OfdPainter(document))


def recognised_page(document: OfdDocument, number: int, why: str) -> ReadPage:
    """A page (from 1) by its picture alone, whatever text the file has for it; `why` that is wanted."""
    page = document.pages[number - 1]
    size = round(page.area[2] * POINTS_PER_MM, 3), round(page.area[3] * POINTS_PER_MM, 3)
    things = [] if page.damaged else list(things_of(document, page))
    return _Ofd(document, OfdPainter(document))._by_picture(number, page, things, size, why)


@dataclass(frozen=True)
class _Ofd:
    document: OfdDocument
    painter: OfdPainter
    has_layout: bool = True

    @property
    def count(self) -> int:
        return len(self.document.pages)

    @property
    def title(self) -> str:
        return self.document.title

    @property
    def member_count(self) -> int:
        return len(self.document.attachments)

    def pages(self) -> Iterator[ReadPage]:
        for number, page in enumerate(self.document.pages, 1):
            yield self._page(number, page)

    def members(self) -> Iterator[Member]:
        for attachment in self.document.attachments:
            yield Member(attachment.name, partial(self._write, attachment))

    def _write(self, attachment: Attachment, file: BinaryIO) -> None:
        data = self.document.package.read(attachment.part)
        if data is None:
            raise ReadingError(FailureKind.DAMAGED, "This attachment is named in the file, but it is not in it.")
        file.write(data)

    def _page(self, number: int, page: OfdPage) -> ReadPage:
        size = round(page.area[2] * POINTS_PER_MM, 3), round(page.area[3] * POINTS_PER_MM, 3)
        if page.damaged:
            return ReadPage(
                Page(number=number, text="", state=PageState.FAILED, width=size[0], height=size[1]), FAILED
            )
        things = list(things_of(self.document, page))
        text, boxes = _text(things, size)
        signed = SEALED if page.seals else SIGNED if self.document.signatures and number == 1 else ""
        if not text.strip() or is_garbled(text) or has_private_runs(text):
            return self._by_picture(number, page, things, size, GARBLED if text.strip() else SCAN)
        seen = self._pictures(page, [thing for thing in things if isinstance(thing, Placed)], size)
        if not seen:
            kept = Page(
                number=number, text=text, state=PageState.TEXT, width=size[0], height=size[1], boxes=pack_boxes(boxes)
            )
            return ReadPage(kept, signed)
        return _mixed(number, size, text, pack_boxes(boxes), seen)

    def _by_picture(
        self, number: int, page: OfdPage, things: list[Thing], size: tuple[float, float], why: str
    ) -> ReadPage:
        if not things:
            blank = Page(number=number, text="", state=PageState.EMPTY, width=size[0], height=size[1])
            return ReadPage(blank, BLANK)
        return as_page(self._seen(page, size), number, size, why=why, nothing=NOTHING, unsure=UNSURE)

    def _seen(self, page: OfdPage, size: tuple[float, float]) -> OcrText:
        drawn = np.asarray(self.painter.draw(page, _scale(page)))
        return read_picture(np.ascontiguousarray(drawn[:, :, ::-1]), networks(), size)

    def _pictures(self, page: OfdPage, pictures: list[Placed], size: tuple[float, float]) -> list[OcrText]:
        """What pictures of some size say that no text lies over."""
        areas = [bounds(one.matrix) for one in pictures]
        large = [a for a in areas if min(a[2] - a[0], a[3] - a[1]) >= _LEAST_PICTURE_MM]
        if not large:
            return []
        scale = _scale(page)
        drawn = np.asarray(self.painter.draw(page, scale))[:, :, ::-1]
        found = []
        for x0, y0, x1, y1 in large:
            left, top = max(x0, 0.0), max(y0, 0.0)
            part = drawn[round(top * scale) : round(y1 * scale), round(left * scale) : round(x1 * scale)]
            if min(part.shape[:2]) > 1:
                mm = part.shape[1] / scale * POINTS_PER_MM, part.shape[0] / scale * POINTS_PER_MM
                offset = left * POINTS_PER_MM, top * POINTS_PER_MM
                found.append(read_picture(np.ascontiguousarray(part), networks(), mm, offset))
        return [one for one in found if says_something(one)]


def _scale(page: OfdPage) -> float:
    return min(_PIXELS_PER_MM, _LONGEST_SIDE / max(page.area[2], page.area[3]))


def _mixed(
    number: int, size: tuple[float, float], text: str, boxes: bytes, seen: list[OcrText]
) -> ReadPage:
    between = pack_boxes([NO_BOX, NO_BOX])
    characters = sum(len(one.text) for one in seen)
    confidence = round(sum(len(one.text) * (one.confidence or 0.0) for one in seen) / characters, 4)
    page = Page(
        number=number, text="\n\n".join([text, *(one.text for one in seen)]), state=PageState.OCR, width=size[0],
        height=size[1], boxes=between.join([boxes, *(one.boxes for one in seen)]), confidence=confidence,
    )  # fmt: skip
    return ReadPage(page, PARTLY)


def _text(things: list[Thing], size: tuple[float, float]) -> tuple[str, list[Box]]:
    """Rows from top to bottom; what runs askew and what was put on later (watermarks) stands at the end."""
    pieces = [thing for thing in things if isinstance(thing, Glyphs) and thing.text.strip()]
    first = [(_line(piece), piece) for piece in pieces if not _comes_last(piece)]
    piece_of = {id(line): piece for line, piece in first}
    rows = [[piece_of[id(line)] for line in row] for row in in_reading_order([line for line, _ in first])]
    rows += [[piece] for piece in pieces if _comes_last(piece)]
    chars: list[str] = []
    boxes: list[Box] = []
    for row in rows:
        if chars:
            chars.append("\n")
            boxes.append(NO_BOX)
        _write_row(row, size, chars, boxes)
    return "".join(chars), boxes


def _write_row(row: list[Glyphs], size: tuple[float, float], chars: list[str], boxes: list[Box]) -> None:
    """Pieces that touch are one word; what stands apart is parted by a space."""
    reached = math.nan
    for piece in row:
        corners = piece.corners(0)
        if not math.isnan(reached) and corners[0][0] - reached > 0.25 * piece.size and chars[-1] not in " \n":
            chars.append(" ")
            boxes.append(NO_BOX)
        for i, char in enumerate(piece.text):
            if char.isspace():
                char = " "
            elif unicodedata.category(char) in ("Cc", "Cs"):
                continue
            chars.append(IDEOGRAPH_OF_RADICAL.get(ord(char), char))
            boxes.append(_box(piece, i, size))
        reached = float(piece.corners(len(piece.text) - 1)[1][0])
    while chars and chars[-1] == " ":
        chars.pop()
        boxes.pop()


def _box(piece: Glyphs, i: int, size: tuple[float, float]) -> Box:
    corners = np.clip(piece.corners(i) * POINTS_PER_MM, 0, size)
    (x0, y0), (x1, y1) = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
    return (x0, y0, x1, y1) if x1 > x0 and y1 > y0 else NO_BOX


def _comes_last(piece: Glyphs) -> bool:
    along = piece.matrix[0, :2]
    return piece.note or abs(math.atan2(float(along[1]), float(along[0]))) > _SLANTED


def _line(piece: Glyphs) -> Line:
    """As lines of a scan are, so that they are put in order the same way."""
    corners = np.concatenate([piece.corners(i) for i in (0, len(piece.text) - 1)])
    (x0, y0), (x1, y1) = corners.min(axis=0), corners.max(axis=0)
    down = len(piece.text) > 1 and (y1 - y0) > 1.5 * max(x1 - x0, piece.size)
    flat = [[x0, y0], [x1, y0], [x1, y1], [x0, y1]]
    quad = np.array(flat[1:] + flat[:1] if down else flat, dtype=np.float32)
    return Line(quad, Reading(piece.text, (), ()), down)
