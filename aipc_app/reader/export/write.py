"""Writes a document plan to a file: all of it, or the file stays as it was."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from aipc_app.domain.exporting import DocumentPlan, ExportFormat
from aipc_app.domain.reader_wire import DocumentWritten, WriteDocument
from aipc_app.reader.failure import FailureKind, ReadingError

_Writer = Callable[[DocumentPlan, Path], None]


def write_document(request: WriteDocument) -> DocumentWritten:
    """Write the draft first, then put it in the target's place. Raises ReadingError with a sentence."""
    target, draft = Path(request.path), Path(request.draft)
    try:
        _writer(request.format)(request.plan, draft)
        size = draft.stat().st_size
        draft.replace(target)
    except OSError as error:
        raise ReadingError(
            FailureKind.ERROR,
            f"{target.name} can't be written ({error.strerror}); close it where it is open, or choose another folder.",
        ) from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
    return DocumentWritten(id=request.id, size=size)


def _writer(format_: ExportFormat) -> _Writer:
    """Each brings its library, so only the one wanted is imported."""
    match format_:
        case ExportFormat.DOCX:
            from aipc_app.reader.export.docx import write_docx

            return write_docx
        case ExportFormat.XLSX:
            from aipc_app.reader.export.xlsx import write_xlsx

            return write_xlsx
        case ExportFormat.PDF:
            from aipc_app.reader.export.pdf import write_pdf

            return write_pdf
