"""One page read from its picture because the user asks for it."""

from __future__ import annotations

from msgspec import structs

from aipc_app.domain.documents import Page
from aipc_app.domain.reader_wire import RecognisePage
from aipc_app.reader.convert.base import Source
from aipc_app.reader.convert.detect import Format, detect
from aipc_app.reader.convert.pdf_open import open_pdf
from aipc_app.reader.failure import FailureKind, ReadingError

ASKED = "read from the picture of the page, as you asked"


def recognise_page(request: RecognisePage, source: Source) -> Page:
    """The page by text recognition alone. Raises ReadingError for other files than PDF: pictures are read so anyway."""
    from aipc_app.reader.convert.pdf_ocr import read_page

    if detect(source) is not Format.PDF:
        raise ReadingError(FailureKind.UNSUPPORTED, "Only pages of PDF files can be read from their picture again.")
    with open_pdf(source) as document:
        if not 1 <= request.page <= len(document):
            raise ReadingError(
                FailureKind.ERROR, f"There is no page {request.page}; the document has {len(document)}."
            )
        document.init_forms()
        page = document[request.page - 1]
        try:
            read = read_page(page, request.page, ASKED)
        finally:
            page.close()
    return structs.replace(read.page, problem=read.problem)
