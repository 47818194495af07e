"""What was recognised as a page: read, empty, or too unsure to be shown as text."""

from __future__ import annotations

from aipc_app.domain.documents import Page, PageState
from aipc_app.reader.convert.base import ReadPage
from aipc_app.reader.ocr.compose import OcrText

UNSURE_BELOW = 0.6  # a page's mean certainty; noise that looks like letters stays below
_FEW, _FEW_SURE = 3, 0.9  # so few characters are read into lines and spots unless they are certain
_PICTURE_TEXT, _PICTURE_SURE = 4, 0.8  # characters, certainty: less of a picture in a text is no text
_NOISE = 8  # characters left out: enough to say that something is written there


def as_page(
    read: OcrText, number: int, size: tuple[float, float], *, why: str, nothing: str, unsure: str
) -> ReadPage:
    """The three reasons: why text was recognised at all, that none was found, that it was too uncertain."""
    width, height = (round(side, 3) for side in size)
    sure, length = read.confidence or 0.0, sum(char.isalnum() for char in read.text)
    if sure < UNSURE_BELOW or not length or (length < _FEW and sure < _FEW_SURE):
        noise = length + read.doubtful >= _NOISE
        state = PageState.GARBLED if noise else PageState.EMPTY
        left = Page(number=number, text="", state=state, width=width, height=height, confidence=read.confidence)
        return ReadPage(left, unsure if noise else nothing)
    page = Page(
        number=number, text=read.text, state=PageState.OCR, width=width, height=height, boxes=read.boxes,
        confidence=read.confidence,
    )  # fmt: skip
    return ReadPage(page, why)


def says_something(seen: OcrText, sure: float = _PICTURE_SURE) -> bool:
    """Whether what was recognised on a picture among text is taken for text of the page."""
    return len(seen.text) >= _PICTURE_TEXT and (seen.confidence or 0.0) >= sure
