"""One page read from its picture because the user asks for it."""

from __future__ import annotations

from msgspec import structs

from aipc_app.domain.documents import Page
from aipc_app.domain.reader_wire import RecognisePage
from aipc_app.reader.convert.base import ReadPage, Source
from aipc_app.reader.convert.detect import Format, detect
from aipc_app.reader.convert.pdf_open import open_pdf
from aipc_app.reader.failure import FailureKind, ReadingError

ASKED = "read from the picture of the page, as you asked"


def recognise_page(request: RecognisePage, source: Source) -> Page:
    """The page by text recognition alone. Raises ReadingError for files without pages to draw, and for pictures.

    Pictures are read so anyway.
    """
    match detect(source):
        case Format.PDF:
            read = _pdf_page(request, source)
        case Format.OFD:
            read = _ofd_page(request, source)
        case _:
            raise ReadingError(
                FailureKind.UNSUPPORTED, "Only pages of PDF and OFD files can be read from their picture again."
            )
    return structs.replace(read.page, problem=read.problem)


def _ofd_page(request: RecognisePage, source: Source) -> ReadPage:
    from aipc_app.reader.convert.ofd import recognised_page
    from aipc_app.reader.convert.ofd_package import open_ofd

    with open_ofd(source) as document:
        _check_number(request.page, len(document.pages))
        return recognised_page(document, request.page, ASKED)


def _pdf_page(request: RecognisePage, source: Source) -> ReadPage:
    from aipc_app.reader.convert.pdf_ocr import read_page

    with open_pdf(source) as document:
        _check_number(request.page, len(document))
        document.init_forms()
        page = document[request.page - 1]
        try:
            return read_page(page, request.page, ASKED)
        finally:
            page.close()


def _check_number(page: int, count: int) -> None:
    if not 1 <= page <= count:
        raise ReadingError(FailureKind.ERROR, f"There is no page {page}; the document has {count}.")
