"""Office files that only LibreOffice can read, where it is installed: XLSB, Microsoft Works, WordPerfect and others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from aipc_app.reader.convert import docx, legacy_office, xlsx
from aipc_app.reader.convert.base import Content, Source
from aipc_app.reader.failure import FailureKind, ReadingError

_SHEETS = frozenset({"xlsb", "wks", "wk1", "123", "qpw"})
NO_PROGRAM = (
    "This kind of file is read with LibreOffice, which isn't on this computer; install it, or save the file in a newer "
    "format and add that."
)
_FAILED = "LibreOffice could not read this file; save it in a newer format in the program that made it and add that."


@contextmanager
def convert(source: Source) -> Iterator[Content]:
    """Raises ReadingError: unsupported (no LibreOffice, or it can't read it), and what the newer format raises."""
    if legacy_office.libreoffice() is None:
        raise ReadingError(FailureKind.UNSUPPORTED, NO_PROGRAM)
    sheets = source.extension in _SHEETS
    with legacy_office.converted(source, "xlsx" if sheets else "docx") as path:
        if path is None:
            raise ReadingError(FailureKind.UNSUPPORTED, _FAILED)
        with (xlsx if sheets else docx).convert(replace(source, path=path)) as content:
            yield content
