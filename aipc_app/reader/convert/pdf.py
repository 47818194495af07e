"""PDF: text with boxes, page by page."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from aipc_app.domain.documents import Page, PageState
from aipc_app.reader.convert.base import Content, ReadPage, Source
from aipc_app.reader.convert.garbled import is_garbled
from aipc_app.reader.convert.pdf_open import open_pdf, page_count
from aipc_app.reader.convert.pdf_text import PdfText, page_text

_LOG = logging.getLogger("aipc.reader")
_FORM_DEPTH = 4

SCAN = "no text layer; this looks like a scan"
DRAWN = "no text layer; if anything is written here, it is drawn as lines"
BLANK = "nothing is written on it"
OFF_PAGE = "its text lies outside the visible page"
GARBLED = "its characters can't be told from the file; the font lacks a mapping"
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
        for i in range(self.count):
            yield _read(self.document, i)


def _read(document: pdfium.PdfDocument, index: int) -> ReadPage:
    """One page; what is wrong with it stays with it."""
    try:
        page = document[index]
    except (pdfium.PdfiumError, ValueError):
        return ReadPage(Page(number=index + 1, text="", state=PageState.FAILED), FAILED)
    try:
        return _judged(page, index + 1, page_text(page))
    except (pdfium.PdfiumError, ValueError) as error:
        _LOG.info("page %d: %s", index + 1, type(error).__name__)
        width, height = _size(page)
        failed = Page(number=index + 1, text="", state=PageState.FAILED, width=width, height=height)
        return ReadPage(failed, FAILED)
    finally:
        page.close()


def _judged(page: pdfium.PdfPage, number: int, read: PdfText) -> ReadPage:
    state, problem = PageState.TEXT, ""
    if not read.text.strip():
        state, problem = _without_text(page, read)
    elif is_garbled(read.text, read.lost):
        state, problem = PageState.GARBLED, GARBLED
    width, height = _size(page)
    empty = state is PageState.EMPTY
    kept = Page(
        number=number, text="" if empty else read.text, state=state, width=width, height=height,
        boxes=b"" if empty else read.boxes,
    )  # fmt: skip
    return ReadPage(kept, problem)


def _without_text(page: pdfium.PdfPage, read: PdfText) -> tuple[PageState, str]:
    if read.lost:
        return PageState.GARBLED, GARBLED
    if read.outside:
        return PageState.EMPTY, OFF_PAGE
    shown = {thing.type for thing in page.get_objects(max_depth=_FORM_DEPTH)}
    if pdfium_c.FPDF_PAGEOBJ_IMAGE in shown:
        return PageState.EMPTY, SCAN
    return PageState.EMPTY, DRAWN if shown - {pdfium_c.FPDF_PAGEOBJ_FORM} else BLANK


def _size(page: pdfium.PdfPage) -> tuple[float, float]:
    """Points as displayed; a thousandth is finer than any file means."""
    width, height = page.get_size()
    return round(width, 3), round(height, 3)
