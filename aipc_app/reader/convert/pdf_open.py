"""Opening a PDF: passwords, repair, and where a page's points lie as displayed."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from aipc_app.reader.convert.base import Source
from aipc_app.reader.failure import FailureKind, ReadingError

_LOG = logging.getLogger("aipc.reader")
_MAX_REPAIR_BYTES = 256 << 20
_DAMAGED = "This PDF is damaged and could not be repaired; make it again in the program it comes from."


@contextmanager
def open_pdf(source: Source) -> Iterator[pdfium.PdfDocument]:
    """The opened document. Raises ReadingError: password, unsupported (unknown encryption) or damaged."""
    document = _load(source)
    try:
        yield document
    finally:
        document.close()


def page_count(document: pdfium.PdfDocument, source: Source) -> int:
    """How many pages there are. A file may claim any number: if its last page isn't there, the tree is counted."""
    claimed = len(document)
    try:
        document[claimed - 1].close()
        return claimed
    except (pdfium.PdfiumError, ValueError, IndexError):
        counted = _pages_in_tree(source.path, source.password)
        return min(claimed, counted) or claimed


def _pages_in_tree(path: Path, password: str | None) -> int:
    """0 when pypdf can't tell either."""
    import pypdf

    try:
        return len(list(pypdf.PdfReader(path, strict=False, password=password).pages))
    except MemoryError:
        raise
    except Exception as error:  # a broken file may raise anything
        _LOG.info("the pages of a damaged PDF can't be counted: %s", type(error).__name__)
        return 0


def _load(source: Source) -> pdfium.PdfDocument:
    try:
        document = pdfium.PdfDocument(source.path, password=source.password)
        if len(document):
            return document
        document.close()
    except pdfium.PdfiumError as error:
        code = error.err_code
        if code == pdfium_c.FPDF_ERR_PASSWORD:
            raise _password(source.password) from error
        if code == pdfium_c.FPDF_ERR_SECURITY:
            raise ReadingError(
                FailureKind.UNSUPPORTED,
                "This PDF is encrypted in a way that can't be opened here; add a copy saved without encryption.",
            ) from error
    return _repaired(source)


def _password(given: str | None) -> ReadingError:
    if given:
        return ReadingError(FailureKind.PASSWORD, "The password does not open this PDF; try another one.")
    return ReadingError(FailureKind.PASSWORD, "This PDF is protected; add it again with its password.")


def _repaired(source: Source) -> pdfium.PdfDocument:
    """What pypdf can make out of a file that PDFium refuses, written anew in memory."""
    try:
        return pdfium.PdfDocument(_rewrite(source.path, source.password))
    except MemoryError:
        raise
    except Exception as error:  # a broken file may raise anything
        raise ReadingError(FailureKind.DAMAGED, _DAMAGED) from error


def _rewrite(path: Path, password: str | None) -> bytes:
    import pypdf  # 0.3 s, and few files are broken

    if path.stat().st_size > _MAX_REPAIR_BYTES:
        raise ValueError("too big to be repaired")
    reader = pypdf.PdfReader(path, strict=False, password=password)
    writer = pypdf.PdfWriter()
    for page in reader.pages:
        writer.add_page(page)
    if not writer.pages:
        raise ValueError("no pages")
    out = io.BytesIO()
    writer.write(out)
    _LOG.info("a damaged PDF was repaired: %d pages", len(writer.pages))
    return out.getvalue()
