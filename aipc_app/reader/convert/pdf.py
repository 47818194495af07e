"""PDF: text with boxes, page by page."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from msgspec import structs

from aipc_app.domain.boxes import NO_BOX, pack_boxes
from aipc_app.domain.documents import Page, PageState
from aipc_app.reader.convert.base import Content, ReadPage, Source
from aipc_app.reader.convert.garbled import has_private_runs, is_garbled
from aipc_app.reader.convert.pdf_ocr import Area, read_area, read_page
from aipc_app.reader.convert.pdf_open import open_pdf, page_count
from aipc_app.reader.convert.pdf_pictures import is_scan, picture_areas, without_text
from aipc_app.reader.convert.pdf_text import PdfText, page_text
from aipc_app.reader.convert.pdf_trust import LayerTrust
from aipc_app.reader.ocr.page import says_something

_LOG = logging.getLogger("aipc.reader")
_NO_BOXES = pack_boxes([NO_BOX, NO_BOX])  # of an empty line between two texts
_FORM_DEPTH = 4
_WRONG_SHARE = 0.05  # of a page's characters in fonts whose text is wrong

SCAN = "no text layer; read from the picture of the page"
DRAWN = "its text is drawn as lines; read from the picture of the page"
BLANK = "nothing is written on it"
OFF_PAGE = "its text lies outside the visible page"
GARBLED = "its characters can't be told from the file; read from the picture of the page"
WRONG = "its text layer says other words than the page shows; read from the picture of the page"
NOISE = "the text recognised by another program is mostly wrong; read from the picture of the page"
PARTLY = "pictures on it hold text, which was recognised and stands after the rest"
UNTOLD = "its characters can't be told from the file, and its picture can't be read either"
FAILED = "the page is damaged and could not be read"


@contextmanager
def convert(source: Source) -> Iterator[Content]:
    """A PDF with its pages. Raises ReadingError: password, unsupported, damaged."""
    with open_pdf(source) as document:
        yield _Pdf(document, page_count(document, source))


@dataclass(frozen=True)
class _Pdf:
    document: pdfium.PdfDocument
    count: int
    has_layout: bool = True

    @property
    def title(self) -> str:
        return str(self.document.get_metadata_value("Title")).strip("\0 \t\r\n")

    def pages(self) -> Iterator[ReadPage]:
        self.document.init_forms()
        trust = LayerTrust()
        for i in range(self.count):
            yield _read(self.document, i, trust)


def _read(document: pdfium.PdfDocument, index: int, trust: LayerTrust) -> ReadPage:
    """One page; what is wrong with it stays with it."""
    try:
        page = document[index]
    except (pdfium.PdfiumError, ValueError):
        return ReadPage(Page(number=index + 1, text="", state=PageState.FAILED), FAILED)
    try:
        return _judged(page, index + 1, page_text(page), trust)
    except (pdfium.PdfiumError, ValueError) as error:
        _LOG.info("page %d: %s", index + 1, type(error).__name__)
        width, height = _size(page)
        failed = Page(number=index + 1, text="", state=PageState.FAILED, width=width, height=height)
        return ReadPage(failed, FAILED)
    finally:
        page.close()


def _judged(page: pdfium.PdfPage, number: int, read: PdfText, trust: LayerTrust) -> ReadPage:
    """The page's own text if it can be trusted, else what its picture says; never both in one."""
    if not read.text.strip():
        return _without_text(page, number, read)
    if is_garbled(read.text, read.lost) or has_private_runs(read.text):
        return _replaced(page, number, read, GARBLED)
    pictures = picture_areas(page)
    if is_scan(page, pictures):
        if trust.scan_is_noise(page, read):
            return _replaced(page, number, read, NOISE)
    elif trust.wrong_share(page, read) > _WRONG_SHARE:
        return _replaced(page, number, read, WRONG)
    return _with_pictures(page, number, read, without_text(pictures, read.boxes))


def _replaced(page: pdfium.PdfPage, number: int, read: PdfText, why: str) -> ReadPage:
    """By its picture; what can't be read there either stays as it is, marked."""
    seen = read_page(page, number, why)
    if seen.page.state is PageState.OCR:
        return seen
    return ReadPage(_page(page, number, read, PageState.GARBLED), UNTOLD)


def _with_pictures(page: pdfium.PdfPage, number: int, read: PdfText, areas: list[Area]) -> ReadPage:
    """The text layer, and after an empty line what pictures say that it doesn't cover."""
    found = [seen for seen in (read_area(page, area) for area in areas) if says_something(seen)]
    kept = _page(page, number, read, PageState.TEXT)
    if not found:
        return ReadPage(kept)
    texts = [read.text, *(seen.text for seen in found)]
    boxes = [read.boxes, *(seen.boxes for seen in found)]
    characters = sum(len(seen.text) for seen in found)
    confidence = sum(len(seen.text) * (seen.confidence or 0.0) for seen in found) / characters
    mixed = structs.replace(
        kept, state=PageState.OCR, text="\n\n".join(texts), boxes=_NO_BOXES.join(boxes),
        confidence=round(confidence, 4),
    )  # fmt: skip
    return ReadPage(mixed, PARTLY)


def _without_text(page: pdfium.PdfPage, number: int, read: PdfText) -> ReadPage:
    shown = {thing.type for thing in page.get_objects(max_depth=_FORM_DEPTH)}
    if min(page.get_size()) <= 0:
        return ReadPage(_page(page, number, read, PageState.EMPTY), BLANK)
    if read.lost:
        return _replaced(page, number, read, GARBLED)
    if not shown - {pdfium_c.FPDF_PAGEOBJ_FORM}:
        why = OFF_PAGE if read.outside else BLANK
        return ReadPage(_page(page, number, read, PageState.EMPTY), why)
    seen = read_page(page, number, SCAN if pdfium_c.FPDF_PAGEOBJ_IMAGE in shown else DRAWN)
    if read.outside and seen.page.state is PageState.EMPTY and pdfium_c.FPDF_PAGEOBJ_IMAGE not in shown:
        return ReadPage(seen.page, OFF_PAGE)
    return seen


def _page(page: pdfium.PdfPage, number: int, read: PdfText, state: PageState) -> Page:
    width, height = _size(page)
    empty = state is PageState.EMPTY
    return Page(
        number=number, text="" if empty else read.text, state=state, width=width, height=height,
        boxes=b"" if empty else read.boxes,
    )  # fmt: skip


def _size(page: pdfium.PdfPage) -> tuple[float, float]:
    """Points as displayed; a thousandth is finer than any file means."""
    width, height = page.get_size()
    return round(width, 3), round(height, 3)
