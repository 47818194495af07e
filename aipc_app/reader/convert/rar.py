"""RAR archives by libarchive, which most systems bring along: Windows and macOS do, and Linux desktops.

libarchive hands out the bytes of protected files as if they were theirs; rarfile, in Python alone, tells which are.
"""

from __future__ import annotations

import locale
import os
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from aipc_app.reader.convert.archive import LINK, Archive, Entry
from aipc_app.reader.convert.base import Content, Member, Source
from aipc_app.reader.convert.zip_guard import MAX_TOTAL_BYTES, damaged
from aipc_app.reader.failure import FailureKind, ReadingError

_NO_LIBRARY = (
    "Unpacking RAR needs the library libarchive, which isn't on this computer; install it, or unpack the archive and "
    "add the folder."
)
_LOCKED = "This RAR archive is protected by a password, which can't be given here; unpack it and add the folder."
_PARTS = "This archive is one part of several; unpack it with the others and add the folder."
_UNREADABLE = (
    "This RAR archive is damaged or packed in a way that can't be read here; unpack it in the program that made it and "
    "add the folder."
)
_WINDOWS = Path("C:/Windows/System32/archiveint.dll")
_BLOCK = 1 << 16


@contextmanager
def convert(source: Source) -> Iterator[Content]:
    """Raises ReadingError: damaged, limit, unsupported (no libarchive, a password)."""
    _refuse_protected(source.path)
    yield _Rar(source)


class _Rar(Archive):
    """The list is read first; the files come in a second pass, as they are packed one after the other."""

    def __init__(self, source: Source) -> None:
        self._path = source.path
        entries = []
        total = 0
        for entry in _walk(source.path):
            size = entry.size or 0
            total += size
            if total > MAX_TOTAL_BYTES:
                raise ReadingError(
                    FailureKind.LIMIT,
                    "This archive unpacks to far more than a case holds; as a precaution it was not opened.",
                )
            entries.append(Entry(Member(entry.pathname), size))
        super().__init__(entries)

    def members(self) -> Iterator[Member]:
        for entry in _walk(self._path):
            if entry.isreg and not entry.linkpath:
                yield Member(entry.pathname, partial(_write, entry))
            else:
                yield Member(entry.pathname, None, LINK)


def _walk(path: Path) -> Iterator[Any]:
    """The archive's files and links, in its order."""
    library = _library()
    with suppress(locale.Error):
        locale.setlocale(locale.LC_CTYPE, "C.UTF-8")  # or names would be lost
    with _errors(library), library.file_reader(str(path), block_size=_BLOCK) as archive:
        for entry in archive:
            if not entry.isdir:
                yield entry


def _write(entry: Any, file: BinaryIO) -> None:
    left = entry.size or 0
    with _errors(_library()):
        for block in entry.get_blocks(_BLOCK):
            left -= len(block)
            if left < 0:
                raise damaged()
            file.write(block)


@contextmanager
def _errors(library: Any) -> Iterator[None]:
    try:
        yield
    except library.ArchiveError as error:
        raise ReadingError(FailureKind.DAMAGED, _UNREADABLE) from error


def _refuse_protected(path: Path) -> None:
    import rarfile

    try:
        with rarfile.RarFile(str(path)) as archive:
            protected = archive.needs_password() or any(info.needs_password() for info in archive.infolist())
    except rarfile.NeedFirstVolume as error:
        raise ReadingError(FailureKind.UNSUPPORTED, _PARTS) from error
    except (rarfile.PasswordRequired, rarfile.NoCrypto, rarfile.RarWrongPassword):
        protected = True
    except (rarfile.Error, OSError, EOFError, ValueError, IndexError, TypeError, struct.error) as error:
        raise damaged() from error
    if protected:
        raise ReadingError(FailureKind.UNSUPPORTED, _LOCKED)


def _library() -> Any:
    if sys.platform == "win32" and _WINDOWS.exists():
        os.environ.setdefault("LIBARCHIVE", str(_WINDOWS))
    try:
        import libarchive
    except (ImportError, OSError, TypeError, AttributeError) as error:
        raise ReadingError(FailureKind.UNSUPPORTED, _NO_LIBRARY) from error
    return libarchive
