"""RAR archives by libarchive, which most systems bring along: Windows and macOS do, and Linux desktops.

libarchive hands out the bytes of protected files as if they were theirs; rarfile, in Python alone, tells which are.
"""

from __future__ import annotations

import locale
import os
import struct
import sys
from collections.abc import Iterator, Sequence
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
UNREADABLE = (
    "This RAR archive is damaged or packed in a way that can't be read here; unpack it in the program that made it and "
    "add the folder."
)
_WINDOWS = Path("C:/Windows/System32/archiveint.dll")
_BLOCK = 1 << 16


@contextmanager
def convert(source: Source) -> Iterator[Content]:
    """Raises ReadingError: damaged, limit, unsupported (no libarchive, a password)."""
    library()
    entries = _listed(source.path)
    if sum(entry.size for entry in entries) > MAX_TOTAL_BYTES:
        raise ReadingError(
            FailureKind.LIMIT, "This archive unpacks to far more than a case holds; as a precaution it was not opened."
        )
    yield _Rar(source.path, entries)


class _Rar(Archive):
    """Files come as they are packed one after the other; where that breaks, the rest is told as broken."""

    def __init__(self, path: Path, entries: Sequence[Entry]) -> None:
        super().__init__(entries)
        self._path = path

    def members(self) -> Iterator[Member]:
        done = 0
        try:
            for entry in _walk(self._path):
                done += 1
                if entry.isreg and not entry.linkpath:
                    yield Member(entry.pathname, partial(_write, entry))
                else:
                    yield Member(entry.pathname, None, LINK)
        except ReadingError as error:
            if error.kind is not FailureKind.DAMAGED:
                raise
            for left in self._entries[done:]:
                yield Member(left.member.name, None, UNREADABLE)


def _walk(path: Path) -> Iterator[Any]:
    """The archive's files and links, in its order."""
    archives = library()
    with suppress(locale.Error):
        locale.setlocale(locale.LC_CTYPE, "C.UTF-8")  # or names would be lost
    with _errors(archives), archives.file_reader(str(path), block_size=_BLOCK) as archive:
        for entry in archive:
            if not entry.isdir:
                yield entry


def _write(entry: Any, file: BinaryIO) -> None:
    left = entry.size or 0
    with _errors(library()):
        for block in entry.get_blocks(_BLOCK):
            left -= len(block)
            if left < 0:
                raise damaged()
            file.write(block)


@contextmanager
def _errors(archives: Any) -> Iterator[None]:
    try:
        yield
    except archives.ArchiveError as error:
        raise ReadingError(FailureKind.DAMAGED, UNREADABLE) from error


def _listed(path: Path) -> list[Entry]:
    """Every file and link. Raises ReadingError for what is protected or one part of several."""
    import rarfile

    try:
        with rarfile.RarFile(str(path)) as archive:
            infos = [info for info in archive.infolist() if not info.is_dir()]
            protected = archive.needs_password() or any(info.needs_password() for info in infos)
    except rarfile.NeedFirstVolume as error:
        raise ReadingError(FailureKind.UNSUPPORTED, _PARTS) from error
    except (rarfile.PasswordRequired, rarfile.NoCrypto, rarfile.RarWrongPassword) as error:
        raise ReadingError(FailureKind.UNSUPPORTED, _LOCKED) from error
    except (rarfile.Error, OSError, EOFError, ValueError, IndexError, TypeError, struct.error) as error:
        raise damaged() from error
    if protected:
        raise ReadingError(FailureKind.UNSUPPORTED, _LOCKED)
    return [Entry(Member(info.filename), info.file_size or 0) for info in infos]


def library() -> Any:
    """The binding of libarchive. Raises ReadingError (unsupported) where the library is not there."""
    if sys.platform == "win32" and _WINDOWS.exists():
        os.environ.setdefault("LIBARCHIVE", str(_WINDOWS))
    try:
        import libarchive
    except (ImportError, OSError, TypeError, AttributeError) as error:
        raise ReadingError(FailureKind.UNSUPPORTED, _NO_LIBRARY) from error
    return libarchive
