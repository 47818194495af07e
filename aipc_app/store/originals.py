"""Each file once, by the hash of its bytes, read-only: originals/ab/abcdef…"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from aipc_app.errors import StorageError, UserMistake
from aipc_app.log import STORE

_CHUNK_BYTES = 1 << 20
_HASH = re.compile(r"[0-9a-f]{64}")
_PARTIAL, _WORK = ".partial-", ".work-"
_FULL = "The disk is full, so the file can't be kept; free some space and add it again."


class Originals:
    """May be used from any thread."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, source: Path) -> tuple[str, int]:
        """Copy a file in, once. Returns (sha256, size in bytes); the copy is durable before this returns.

        Raises UserMistake when the source can't be read, StorageError when the copy can't be written.
        """
        with _reading(source) as stream, _writing():
            self._folder.mkdir(exist_ok=True)
            handle, name = tempfile.mkstemp(prefix=_PARTIAL, dir=self._folder)
            partial = Path(name)
            try:
                with os.fdopen(handle, "wb") as sink:
                    sha256, size = _copy(stream, sink, source)
                self._keep(partial, sha256)
            finally:
                partial.unlink(missing_ok=True)
        return sha256, size

    def path(self, sha256: str) -> Path:
        """Where the bytes of this hash are kept, whether they are there or not."""
        if not _HASH.fullmatch(sha256):
            raise ValueError("not a sha256 in hexadecimal")
        return self._folder / sha256[:2] / sha256

    def remove(self, sha256: str) -> None:
        """Delete one original. What can't be deleted stays, and is noted in the log."""
        try:
            self.path(sha256).unlink(missing_ok=True)
        except OSError as error:
            STORE.warning("an original could not be deleted: %s", error.strerror)

    def any(self) -> bool:
        """Whether at least one original is kept."""
        return any(_HASH.fullmatch(path.name) for path in self._folder.glob("??/*"))

    @contextmanager
    def work_folder(self) -> Iterator[Path]:
        """A folder on the same disk for what lies between reading and keeping; it goes with the block."""
        with _writing():
            self._folder.mkdir(exist_ok=True)
            folder = Path(tempfile.mkdtemp(prefix=_WORK, dir=self._folder))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def sweep(self, *, older_than_s: float = 3600.0) -> int:
        """Delete the half copies and work folders that a kill left behind. Returns how many.

        A whole original is never swept, known or not: the database may be an older one than the files. Only what
        is older than `older_than_s`, for a younger one may still be written.
        """
        gone = 0
        before = time.time() - older_than_s
        for path in self._folder.glob(f"{_PARTIAL}*"):
            with suppress(OSError):
                if path.stat().st_mtime < before:
                    path.unlink()
                    gone += 1
        for path in self._folder.glob(f"{_WORK}*"):
            with suppress(OSError):
                if path.stat().st_mtime < before:
                    shutil.rmtree(path)
                    gone += 1
        return gone

    def _keep(self, partial: Path, sha256: str) -> None:
        target = self.path(sha256)
        if target.exists():
            return
        target.parent.mkdir(exist_ok=True)
        partial.chmod(0o400)
        partial.replace(target)
        sync_folder(target.parent)


def printable(name: str) -> str:
    """A file's name or path with what is no UTF-8 in it replaced, so that it can be shown and stored."""
    return os.fsencode(name).decode("utf-8", "replace")


def _copy(stream: BinaryIO, sink: BinaryIO, source: Path) -> tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    while chunk := _read(stream, source):
        digest.update(chunk)
        sink.write(chunk)
        size += len(chunk)
    sink.flush()
    os.fsync(sink.fileno())
    return digest.hexdigest(), size


@contextmanager
def _reading(source: Path) -> Iterator[BinaryIO]:
    try:
        if not (source.is_file() or source.is_dir()) and source.exists():
            name = printable(source.name)
            raise UserMistake(f"'{name}' is no file but a device or a pipe; it can't be added.")
        stream = source.open("rb")
    except OSError as error:
        raise _unreadable(source, error) from error
    with stream:
        yield stream


def _read(stream: BinaryIO, source: Path) -> bytes:
    try:
        return stream.read(_CHUNK_BYTES)
    except OSError as error:
        raise _unreadable(source, error) from error


def _unreadable(source: Path, error: OSError) -> UserMistake:
    name = printable(source.absolute().name or str(source))
    return UserMistake(f"'{name}' can't be read ({error.strerror}); check that it is there and readable.")


@contextmanager
def _writing() -> Iterator[None]:
    """What the home's disk does wrong becomes a sentence."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StorageError(_FULL) from error
        raise StorageError(
            f"The data folder can't be written ({error.strerror}); make it writable or choose another with --home."
        ) from error


def sync_folder(folder: Path) -> None:
    """Make the new name durable; where folders can't be opened (Windows) the system does it itself."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
