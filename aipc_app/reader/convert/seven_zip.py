"""7z archives by py7zr, unpacked in one pass: their files are packed together."""

from __future__ import annotations

import stat
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

import py7zr
from py7zr.exceptions import ArchiveError, PasswordRequired

from aipc_app.reader.convert.archive import (
    LINK,
    Archive,
    Entry,
    password_for_archive,
    wrong_archive_password,
)
from aipc_app.reader.convert.base import Content, Member, Source
from aipc_app.reader.convert.spool import Spool
from aipc_app.reader.convert.zip_guard import MAX_TOTAL_BYTES, damaged
from aipc_app.reader.failure import FailureKind, ReadingError
from aipc_app.reader.names import safe_name

_MAX_RATIO = 1_000  # text packs to a fiftieth; all files together are looked at
_RATIO_FROM_BYTES = 256 << 20


@contextmanager
def convert(source: Source) -> Iterator[Content]:
    """Raises ReadingError: damaged, limit, password."""
    with Spool(source.work_folder) as spool, _opened(source) as archive:
        infos = [info for info in archive.list() if not info.is_directory]
        total = sum(info.uncompressed or 0 for info in infos)
        packed = source.path.stat().st_size
        if total > MAX_TOTAL_BYTES or (total > _RATIO_FROM_BYTES and total > _MAX_RATIO * packed):
            raise ReadingError(
                FailureKind.LIMIT,
                "This archive unpacks to far more than a case holds; as a precaution it was not opened.",
            )
        protected = archive.needs_password() and source.password is None
        if protected:
            raise password_for_archive()
        yield _SevenZip(source, [Entry(_member(info, archive), info.uncompressed or 0) for info in infos], spool)


class _SevenZip(Archive):
    def __init__(self, source: Source, entries: list[Entry], spool: Spool) -> None:
        super().__init__(entries)
        self._source, self._spool = source, spool

    def members(self) -> Iterator[Member]:
        """All are unpacked when the first is asked for. Names that lead out are not even asked of py7zr."""
        wanted = [entry.member.name for entry in self._entries if not entry.member.problem]
        largest = max((entry.size for entry in self._entries), default=0)
        with _opened(self._source) as archive, _errors(self._source.password):
            targets = [name for name in wanted if safe_name(name) is not None]
            archive.extract(targets=targets, factory=_Factory(self._spool, largest))
        seen: Counter[str] = Counter()
        for entry in self._entries:
            name = entry.member.name
            key = _key(f"{name}_{seen[name] - 1}" if seen[name] else name)  # py7zr's own names for doubles
            seen[name] += 1
            yield entry.member if entry.member.problem else Member(name, self._spool.writer(key))


def _key(name: str) -> str:
    """A name as py7zr gives it back may be written another way."""
    return safe_name(name) or name


class _Factory(py7zr.io.WriterFactory):  # type: ignore[misc]
    """Gives py7zr places to write to, none of which it can name."""

    def __init__(self, spool: Spool, largest: int) -> None:
        self._spool, self._largest = spool, largest

    def create(self, filename: str) -> Any:
        return _Sink(self._spool.open(_key(filename)), self._largest)


class _Sink(py7zr.io.Py7zIO):  # type: ignore[misc]
    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file, self._left = file, size

    def write(self, s: bytes | bytearray) -> int:
        self._left -= len(s)
        if self._left < 0:
            raise damaged()
        return self._file.write(s)

    def read(self, size: int | None = None) -> bytes:
        return self._file.read(-1 if size is None else size)

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)

    def flush(self) -> None:
        if not self._file.closed:
            self._file.flush()

    def close(self) -> None:
        self._file.close()

    def size(self) -> int:
        return self._file.seek(0, 2)


@contextmanager
def _opened(source: Source) -> Iterator[Any]:
    with _errors(source.password):
        archive = py7zr.SevenZipFile(source.path, password=source.password)
    with archive:
        yield archive


@contextmanager
def _errors(password: str | None) -> Iterator[None]:
    """A wrong password shows as broken data."""
    try:
        yield
    except PasswordRequired as error:
        raise password_for_archive() from error
    except (ReadingError, MemoryError):
        raise
    except (ArchiveError, OSError, EOFError, ValueError, IndexError, KeyError, TypeError, AssertionError) as error:
        raise (wrong_archive_password() if password is not None else damaged()) from error
    except Exception as error:  # lzma's and the other packers' own errors have no common base
        raise (wrong_archive_password() if password is not None else damaged()) from error


def _member(info: Any, archive: Any) -> Member:
    own = next((file for file in archive.files if file.filename == info.filename), None)
    link = own is not None and (own.is_symlink or own.is_junction or own.is_socket)
    mode = getattr(own, "posix_mode", None)
    link = link or (mode is not None and stat.S_ISLNK(mode))
    return Member(info.filename, None, LINK if link else "")
