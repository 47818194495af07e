"""Opening a PDF: passwords, repair, and where a page's points lie as displayed."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from aipc_app.reader.convert.base import Source
from aipc_app.reader.failure import FailureKind, ReadingError

_LOG = logging.getLogger("aipc.reader")
_MAX_REPAIR_BYTES = 256 << 20
_CATALOG = re.compile(rb"(\d{1,10})\s+(\d{1,5})\s+obj\b[^\0]{0,300}?/Type\s*/Catalog\b", re.DOTALL)
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
    """A file that PDFium refuses, mended in memory: with a new end, else as far as pypdf can read it."""
    if source.path.stat().st_size > _MAX_REPAIR_BYTES:
        raise ReadingError(FailureKind.DAMAGED, _DAMAGED)
    for mend in (_with_new_end, _rewritten):
        try:
            document = pdfium.PdfDocument(mend(source), password=source.password)
            if len(document):
                _LOG.info("a damaged PDF was repaired: %s, %d pages", mend.__name__, len(document))
                return document
            document.close()
        except MemoryError:
            raise
        except Exception as error:  # a broken file may raise anything
            _LOG.info("a damaged PDF: %s: %s", mend.__name__, type(error).__name__)
    raise ReadingError(FailureKind.DAMAGED, _DAMAGED)


def _with_new_end(source: Source) -> bytes:
    """A file that was cut short has lost its trailer; PDFium finds the objects again once it knows the root."""
    data = source.path.read_bytes()
    roots = _CATALOG.findall(data)
    if not roots:
        raise ValueError("no catalog")
    number, generation = roots[-1]
    return data + b"\ntrailer<</Root %s %s R>>\n%%%%EOF\n" % (number, generation)


def _rewritten(source: Source) -> bytes:
    import pypdf  # 0.3 s, and few files are broken

    reader = pypdf.PdfReader(source.path, strict=False, password=source.password)
    writer = pypdf.PdfWriter()
    for page in reader.pages:
        writer.add_page(page)
    if not writer.pages:
        raise ValueError("no pages")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()
