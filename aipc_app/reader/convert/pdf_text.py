"""The text of one PDF page with a box for each character."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from aipc_app.reader.convert.radicals import IDEOGRAPH_OF_RADICAL

Boxes = npt.NDArray[np.float32]
TextPage: TypeAlias = Any  # an FPDF_TEXTPAGE
_SOFT_HYPHEN = 0xAD
_LINE_HYPHENS = frozenset({0x02, _SOFT_HYPHEN, 0xFFFE})  # how PDFium marks a hyphen at a line's end
_NO_BOX = -1
_SPACES = " \u00a0\u3000"
_FONT_NAME = 128  # bytes; longer names are cut


@dataclass(frozen=True)
class PdfText:
    """`boxes` as in domain.boxes. `lost` glyphs gave no character; `outside` lay off the visible page.

    `line_fonts`: the name of the font in the middle of each line of `text`.
    """

    text: str
    boxes: bytes
    lost: int
    outside: int
    line_fonts: tuple[str, ...] = ()


def page_text(page: pdfium.PdfPage) -> PdfText:
    """Text in PDFium's reading order, line ends `\\n`, one box per code point in points as displayed."""
    text_page = pdfium_c.FPDFText_LoadPage(page.raw)
    if not text_page:
        raise ValueError("the page's text can't be loaded")
    try:
        codes, raw = _characters(text_page)
        boxes = _as_displayed(page, raw)
        return _Assembly(text_page, codes, boxes, page.get_size()).result()
    finally:
        pdfium_c.FPDFText_ClosePage(text_page)


def _characters(text_page: TextPage) -> tuple[list[int], Boxes]:
    """Character codes, and boxes as left, top, right, bottom in the page's own space.

    Two native calls a character through bound names: this loop is what reading a digital PDF costs.
    """
    count = max(pdfium_c.FPDFText_CountChars(text_page), 0)
    rects = (pdfium_c.FS_RECTF * count)()
    unicode_of, box_of = pdfium_c.FPDFText_GetUnicode, pdfium_c.FPDFText_GetLooseCharBox
    codes = [0] * count
    for i, rect in enumerate(rects):
        codes[i] = unicode_of(text_page, i)
        box_of(text_page, i, rect)
    boxes = np.frombuffer(rects, dtype=np.float32).reshape(count, 4).copy()
    _fill_degenerate(text_page, codes, boxes)
    return codes, boxes


def _fill_degenerate(text_page: TextPage, codes: list[int], boxes: Boxes) -> None:
    """Where the font has no height PDFium has no loose box; the ink's own box serves."""
    flat = (boxes[:, 2] <= boxes[:, 0]) | (boxes[:, 1] <= boxes[:, 3])
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    for i in np.flatnonzero(flat).tolist():
        if codes[i] > 0x20 and pdfium_c.FPDFText_GetCharBox(text_page, i, left, right, bottom, top):
            boxes[i] = (left.value, top.value, right.value, bottom.value)


def _as_displayed(page: pdfium.PdfPage, raw: Boxes) -> Boxes:
    """x0, y0, x1, y1 from the top left after crop and rotation; NaN for what has no area."""
    left, bottom, right, top = page.get_bbox()
    x0, y1, x1, y0 = raw[:, 0], raw[:, 1], raw[:, 2], raw[:, 3]  # y up: y0 is the lower edge
    corners = {
        0: (x0 - left, top - y1, x1 - left, top - y0),
        90: (y0 - bottom, x0 - left, y1 - bottom, x1 - left),
        180: (right - x1, y0 - bottom, right - x0, y1 - bottom),
        270: (top - y1, right - x1, top - y0, right - x0),
    }[page.get_rotation()]
    boxes = np.stack(corners, axis=1).astype(np.float32)
    boxes[~((boxes[:, 2] > boxes[:, 0]) & (boxes[:, 3] > boxes[:, 1]))] = np.nan
    return boxes


class _Assembly:
    """Turns PDFium's characters into stored text; keeps for each code point the index of its box."""

    def __init__(
        self, text_page: TextPage, codes: list[int], boxes: Boxes, size: tuple[float, float]
    ) -> None:
        self._text_page, self._codes, self._boxes, self._size = text_page, codes, boxes, size
        self._chars: list[str] = []
        self._index: list[int] = []
        self._lost = self._outside = 0

    def result(self) -> PdfText:
        hidden, codes = self._off_page(), np.asarray(self._codes, dtype="<u4")
        plain = ((codes > 0x20) & (codes < 0x7F)) | ((codes >= 0x4E00) & (codes < 0xA000))
        plain &= ~hidden
        readable = np.where(plain, codes, 0x20).astype("<u4").tobytes().decode("utf-32-le")
        start = 0
        for i in np.flatnonzero(~plain).tolist():  # what stands between two of these is taken at once
            self._chars += readable[start:i]
            self._index += range(start, i)
            start = i + 1
            if hidden[i]:
                self._outside += 1
            else:
                self._rare(self._codes[i], i)
        self._chars += readable[start:]
        self._index += range(start, len(codes))
        self._trim(_SPACES + "\n")
        while self._chars and self._chars[0] == "\n":
            del self._chars[0], self._index[0]
        text = "".join(self._chars)
        return PdfText(text, self._packed(), self._lost, self._outside, self._line_fonts(text))

    def _rare(self, code: int, i: int) -> None:
        if code == 0x0A:
            self._new_line()
        elif code in (0x20, 0x09):
            if self._chars and self._chars[-1] != "\n":
                self._add(" ", i)
        elif code in _LINE_HYPHENS and pdfium_c.FPDFText_IsHyphen(self._text_page, i) == 1:
            self._hyphen(i)
        elif 0xDC00 <= code < 0xE000 and i and 0xD800 <= self._codes[i - 1] < 0xDC00:
            self._add(chr(0x10000 + ((self._codes[i - 1] - 0xD800) << 10) + code - 0xDC00), i - 1)
        elif code in IDEOGRAPH_OF_RADICAL:
            self._add(IDEOGRAPH_OF_RADICAL[code], i)
        elif code >= 0xA0 and not (0xD800 <= code < 0xE000) and code & 0xFFFE != 0xFFFE and code <= 0x10FFFF:
            if code not in (_SOFT_HYPHEN, 0xFEFF):
                self._add(chr(code), i)
        elif code != 0x0D and not 0xD800 <= code < 0xDC00:
            self._lost += 1

    def _add(self, char: str, i: int) -> None:
        self._chars.append(char)
        self._index.append(i)

    def _new_line(self) -> None:
        self._trim()
        self._add("\n", _NO_BOX)

    def _trim(self, what: str = _SPACES) -> None:
        """Spaces before a line's end tell nothing."""
        while self._chars and self._chars[-1] in what:
            self._chars.pop()
            self._index.pop()

    def _hyphen(self, i: int) -> None:
        """A word broken at a line's end is joined; a hyphen that is part of the word or number stays."""
        before = self._chars[-1] if self._chars else ""
        after = next((chr(c) for c in self._codes[i + 1 : i + 4] if c > 0x20), "")
        if not (before.islower() and after.islower()):
            self._add("-", i)

    def _off_page(self) -> npt.NDArray[np.bool_]:
        """Characters whose middle can't be seen. Those without a box (made-up spaces, line ends) stay."""
        width, height = self._size
        with np.errstate(invalid="ignore"):
            x0, y0, x1, y1 = self._boxes.T
            x, y = (x0 + x1) / 2, (y0 + y1) / 2
            off: npt.NDArray[np.bool_] = (x < 0) | (y < 0) | (x > width) | (y > height)
        return off

    def _line_fonts(self, text: str) -> tuple[str, ...]:
        fonts, start = [], 0
        for line in text.split("\n"):
            fonts.append(self._font_at(start + len(line) // 2) if line else "")
            start += len(line) + 1
        return tuple(fonts)

    def _font_at(self, position: int) -> str:
        name = ctypes.create_string_buffer(_FONT_NAME)
        length = pdfium_c.FPDFText_GetFontInfo(
            self._text_page, max(self._index[position], 0), name, _FONT_NAME, ctypes.c_int()
        )
        return name.raw[: max(length - 1, 0)].decode("utf-8", "replace")

    def _packed(self) -> bytes:
        width, height = self._size
        rows = np.vstack((self._boxes, np.full((1, 4), np.nan, dtype=np.float32)))  # the last row: no box
        taken = rows[np.asarray(self._index, dtype=np.intp)]
        return np.clip(taken, 0, (width, height, width, height)).astype("<f4").tobytes()
