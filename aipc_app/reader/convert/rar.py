"""RAR archives by libarchive, which most systems bring along: Windows and macOS do, and Linux desktops.

libarchive hands out the bytes of protected files as if they were theirs; rarfile, in Python alone, tells which are,
and with the password they are first written without their protection (`rar_plain.py`).
"""

from __future__ import annotations

import io
import locale
import os
import struct
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from aipc_app.reader.convert.archive import (
    LINK,
    Archive,
    Entry,
    locked_archive,
    password_for_archive,
    wrong_archive_password,
)
from aipc_app.reader.convert.base import Content, Member, Source
from aipc_app.reader.convert.rar_plain import is_plain_checksum, write_plain
from aipc_app.reader.convert.spool import Spool
from aipc_app.reader.convert.zip_guard import MAX_TOTAL_BYTES, damaged
from aipc_app.reader.failure import FailureKind, ReadingError

_NO_LIBRARY = (
    "Unpacking RAR needs the library libarchive, which isn't on this computer; install it, or unpack the archive and "
    "add the folder."
)
_PARTS = "This archive is one part of several; unpack it with the others and add the folder."
UNREADABLE = (
    "This RAR archive is damaged or packed in a way that can't be read here; unpack it in the program that made it and "
    "add the folder."
)
_WINDOWS = Path("C:/Windows/System32/archiveint.dll")
_BLOCK = 1 << 16


@contextmanager
def convert(source: Source) -> Iterator[Content]:
    """Raises ReadingError: damaged, limit, password, unsupported (no libarchive, an old protection)."""
    library()
    infos = _listed(source)
    entries = [Entry(Member(info.filename), info.file_size or 0) for info in infos]
    if sum(entry.size for entry in entries) > MAX_TOTAL_BYTES:
        raise ReadingError(
            FailureKind.LIMIT, "This archive unpacks to far more than a case holds; as a precaution it was not opened."
        )
    files = [info for info in infos if info.is_file()]
    if not any(info.needs_password() for info in files):
        yield _Rar(source.path, entries)
        return
    with Spool(source.work_folder) as spool:
        with spool.open("plain") as plain, spool.open("one file") as scratch:
            write_plain(source.path, files, source.password or "", plain, scratch)
            path = Path(plain.name)
        _check(path, files[0].CRC if is_plain_checksum(files[0]) else None)
        yield _Rar(path, [Entry(Member(info.filename), info.file_size or 0) for info in files], renamed=True)


class _Rar(Archive):
    """Files come as they are packed one after the other; where that breaks, the rest is told as broken."""

    def __init__(self, path: Path, entries: Sequence[Entry], *, renamed: bool = False) -> None:
        """`renamed`: the archive's own names are not those of `entries`."""
        super().__init__(entries)
        self._path, self._renamed = path, renamed

    def members(self) -> Iterator[Member]:
        done = 0
        try:
            for entry in _walk(self._path):
                name = self._entries[done].member.name if self._renamed else entry.pathname
                done += 1
                if entry.isreg and not entry.linkpath:
                    yield Member(name, partial(_write, entry))
                else:
                    yield Member(name, None, LINK)
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


def _check(path: Path, checksum: int | None) -> None:
    """The first file is unpacked once: with the wrong password it is nonsense, which shows."""
    try:
        for entry in _walk(path):
            with _Checksum() as found:
                _write(entry, found)
            if checksum is not None and found.value != checksum:
                raise wrong_archive_password()
            return
    except ReadingError as error:
        raise wrong_archive_password() from error


class _Checksum(io.BytesIO):
    """Keeps nothing of what is written to it but its checksum."""

    value = 0

    def write(self, data: Any) -> int:
        self.value = zlib.crc32(data, self.value)
        return len(data)


def _listed(source: Source) -> list[Any]:
    """Every file and link as rarfile tells it. Raises ReadingError: password, damaged, unsupported (several parts)."""
    import rarfile

    rarfile.RAR_MAX_COMMENT = -1  # comments are not read: that needs a program, and without it fails
    try:
        with rarfile.RarFile(str(source.path)) as archive:
            if source.password is not None:
                archive.setpassword(source.password)
            infos = [info for info in archive.infolist() if not info.is_dir()]
            protected = archive.needs_password() or any(info.needs_password() for info in infos)
    except rarfile.NeedFirstVolume as error:
        raise ReadingError(FailureKind.UNSUPPORTED, _PARTS) from error
    except rarfile.NoCrypto as error:
        raise locked_archive() from error
    except (rarfile.PasswordRequired, rarfile.RarWrongPassword) as error:
        raise (password_for_archive() if source.password is None else wrong_archive_password()) from error
    except (rarfile.Error, OSError, EOFError, ValueError, IndexError, TypeError, struct.error) as error:
        raise (damaged() if source.password is None else wrong_archive_password()) from error
    if protected and source.password is None:
        raise password_for_archive()
    return infos


def library() -> Any:
    """The binding of libarchive. Raises ReadingError (unsupported) where the library is not there."""
    if sys.platform == "win32" and _WINDOWS.exists():
        os.environ.setdefault("LIBARCHIVE", str(_WINDOWS))
    try:
        import libarchive
    except (ImportError, OSError, TypeError, AttributeError) as error:
        raise ReadingError(FailureKind.UNSUPPORTED, _NO_LIBRARY) from error
    return libarchive
