"""Text on pictures inside office files: recognised where the picture stands, each picture once."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from PIL import Image

from aipc_app.domain.documents import Page, PageState
from aipc_app.reader.convert.base import ReadPage, Source
from aipc_app.reader.convert.drawing import Drawing
from aipc_app.reader.convert.image_file import embedded_picture, on_white
from aipc_app.reader.convert.lines import tidy
from aipc_app.reader.convert.metafile import read_metafile
from aipc_app.reader.convert.pages import NO_TEXT, ONLY_PICTURES, text_page
from aipc_app.reader.failure import FailureKind, ReadingError

PARTLY = "pictures on it hold text, which was recognised and stands in their place"
PICTURES = "it holds nothing but pictures; their text was recognised"
NOTHING = "It holds nothing but pictures, and no text was recognised on them."
_LONGEST_SIDE = 3_500  # pixels; finer helps no reading
_LEAST_SIDE, _LEAST_PIXELS = 24, 10_000  # smaller ones are icons and bullets
_SCAN_SIDE = 800  # pixels: a picture as large as a page is believed as one
_MOST = 1_000  # of one file


@dataclass(frozen=True)
class _Seen:
    """`recognised`: how many of its characters were; those that a drawing of Windows writes are known."""

    text: str
    recognised: int = 0
    confidence: float = 0.0


@dataclass
class PictureText:
    """The pictures of one file. `part` reads one by its name; `count`: how many there are, for the progress told."""

    source: Source
    part: Callable[[str], bytes | None]
    count: int
    _known: dict[str, _Seen | None] = field(default_factory=dict)
    _sure: list[tuple[int, float]] = field(default_factory=list)  # characters and certainty, of the page
    _unread: int = 0  # pictures of the page in forms that can't be opened

    def lines(self, name: str) -> list[str]:
        """What a picture says, between empty lines; none for decoration. Raises ReadingError: limit, cancelled."""
        if name not in self._known:
            began = time.monotonic()
            self._known[name] = self._read(name) if len(self._known) < _MOST else None
            self.source.picture_read(time.monotonic() - began, min(1.0, len(self._known) / max(1, self.count)))
        seen = self._known[name]
        if seen is None:
            self._unread += 1
        if seen is None or not seen.text:
            return []
        self._sure.append((seen.recognised, seen.confidence))
        return ["", *seen.text.split("\n"), ""]

    def page(self, number: int, text: str, *, pictures: bool) -> ReadPage:
        """The page on which these lines stand; the next page begins without any. `pictures`: there are some at all."""
        sure, self._sure = self._sure, []
        unread, self._unread = self._unread, 0
        read = text_page(number, text, empty=NO_TEXT if not pictures else ONLY_PICTURES if unread else NOTHING)
        recognised = sum(characters for characters, _ in sure)
        if not recognised or read.page.state is not PageState.TEXT:
            return read
        confidence = sum(characters * certainty for characters, certainty in sure) / recognised
        own = sum(map(str.isalnum, read.page.text)) > recognised
        page = Page(number=number, text=read.page.text, state=PageState.OCR, confidence=round(confidence, 4))
        return ReadPage(page, PARTLY if own else PICTURES)

    def _read(self, name: str) -> _Seen | None:
        """None for what can't be opened: drawings of nothing but lines, damaged pictures."""
        data = self.part(name)
        drawing = read_metafile(data) if data else None
        if drawing is not None:
            return _drawn(drawing)
        return _seen(data) if data else None


def _drawn(drawing: Drawing) -> _Seen | None:
    """The words first, then what is recognised on the bitmaps; None where neither says anything."""
    seen = [one for one in map(_seen, drawing.pictures) if one is not None]
    text = "\n".join(part for part in (drawing.text, *(one.text for one in seen)) if part)
    recognised = sum(one.recognised for one in seen)
    sure = sum(one.recognised * one.confidence for one in seen)
    known = bool(text or seen) and not (drawing.unread and not text)
    return _Seen(tidy(text), recognised, sure / max(1, recognised)) if known else None


def _seen(data: bytes) -> _Seen | None:
    try:
        return _recognised(on_white(embedded_picture(data)))
    except ReadingError as error:
        if error.kind not in (FailureKind.DAMAGED, FailureKind.LIMIT):
            raise
        return None


def _recognised(picture: Image.Image) -> _Seen:
    from aipc_app.reader.ocr.compose import read_picture  # most office files hold no pictures: they do without
    from aipc_app.reader.ocr.models import networks
    from aipc_app.reader.ocr.page import UNSURE_BELOW, says_something

    if min(picture.size) < _LEAST_SIDE or picture.width * picture.height < _LEAST_PIXELS:
        return _Seen("")
    is_page = min(picture.size) >= _SCAN_SIDE
    picture.thumbnail((_LONGEST_SIDE, _LONGEST_SIDE))
    array = np.ascontiguousarray(np.asarray(picture, dtype=np.uint8)[:, :, ::-1])
    seen = read_picture(array, networks(), (1.0, 1.0))
    believed = says_something(seen, UNSURE_BELOW) if is_page else says_something(seen)
    if not believed:
        return _Seen("")
    text = tidy(seen.text)
    return _Seen(text, sum(map(str.isalnum, text)), seen.confidence or 0.0)
