"""A backup of a home in one file: a zip whose last member lists every other one with its size and sha256.

The database is of one moment, and the originals are those that it names at that moment: while it is taken, writers
wait a few milliseconds and each original gets a second name (a hard link), so that one deleted meanwhile is not lost.
What can be made again (vectors/, kv/) and models are left out.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from aipc_app import __version__
from aipc_app.errors import Cancelled, StorageError, UserMistake
from aipc_app.paths import Home
from aipc_app.store.backup import Moment
from aipc_app.store.originals import sync_folder
from aipc_app.store.store import Store

FORMAT = 1
MANIFEST = "manifest.json"
DATABASE, SETTINGS = "aipc.sqlite", "settings.toml"
_WORK = ".backup-"
_CHUNK = 1 << 20
_COPYING_SHARE = 0.1  # of the progress: copying the database
_ZIP_TIME = (1980, 1, 1, 0, 0, 0)  # the manifest tells the real one


class Entry(Struct, frozen=True):
    """A member of the archive, by its path in the home."""

    path: str
    size: int
    sha256: str


class Manifest(Struct, frozen=True, kw_only=True):
    """`made` in seconds since 1970. `missing`, `damaged`: originals that were not there, or not what they had been."""

    format: int
    program: str
    schema: int
    made: float
    files: tuple[Entry, ...]
    missing: tuple[str, ...] = ()
    damaged: tuple[str, ...] = ()


def write_archive(
    home: Home, store: Store, target: Path, on_progress: Callable[[float], None], cancel: threading.Event
) -> Manifest:
    """Back the open home up to `target`, which is there whole and durable when this returns, or as it was before.

    Raises StorageError (disk full, can't be written), UserMistake (a place inside the home), Cancelled.
    """
    if target.absolute().is_relative_to(home.originals) or target.is_dir():
        raise UserMistake(f"'{target.name}' can't be the backup's file; name a file in another folder.")
    with ExitStack() as stack:
        work = stack.enter_context(_work_folder(home))
        moment, hashes = _take_moment(home, store, work)
        stack.callback(moment.close)
        moment.copy(work / DATABASE, on_progress=lambda share: on_progress(share * _COPYING_SHARE), cancel=cancel)
        with _writing(target) as sink:
            writer = _Writer(sink, cancel, lambda share: on_progress(_COPYING_SHARE + share * (1 - _COPYING_SHARE)))
            return writer.write_all(_members(home, work, hashes), schema=moment.version)


def original_name(sha256: str) -> str:
    """An original's path in the home."""
    return f"originals/{sha256[:2]}/{sha256}"


def _take_moment(home: Home, store: Store, work: Path) -> tuple[Moment, tuple[str, ...]]:
    with store.transaction():  # no document goes between the moment and the second names
        moment = Moment(home.database)
        try:
            hashes = moment.originals()
            for sha256 in hashes:
                with suppress(OSError):  # not there, or a disk without hard links: then the file itself is read
                    os.link(store.originals.path(sha256), work / sha256)
        except BaseException:
            moment.close()
            raise
    return moment, hashes


def _members(home: Home, work: Path, hashes: tuple[str, ...]) -> list[tuple[str, Path]]:
    found = [(DATABASE, work / DATABASE)]
    if home.settings.is_file():
        found.append((SETTINGS, home.settings))
    found += [(f"templates/{path.name}", path) for path in sorted(home.templates.glob("*.toml")) if path.is_file()]
    for sha256 in hashes:
        linked = work / sha256
        found.append((original_name(sha256), linked if linked.exists() else home.root / original_name(sha256)))
    return found


class _Writer:
    def __init__(self, sink: zipfile.ZipFile, cancel: threading.Event, on_progress: Callable[[float], None]) -> None:
        self._sink, self._cancel, self._on_progress = sink, cancel, on_progress
        self._done = 0

    def write_all(self, members: list[tuple[str, Path]], *, schema: int) -> Manifest:
        total = sum(path.stat().st_size for _, path in members if path.exists()) or 1
        files, missing, damaged = [], [], []
        for name, path in members:
            if not path.exists():
                missing.append(name)
                continue
            entry = self._write(name, path, total)
            files.append(entry)
            if name.startswith("originals/") and not name.endswith(entry.sha256):
                damaged.append(name)
        manifest = Manifest(
            format=FORMAT, program=__version__, schema=schema, made=time.time(), files=tuple(files),
            missing=tuple(missing), damaged=tuple(damaged),
        )  # fmt: skip
        self._sink.writestr(zipfile.ZipInfo(MANIFEST, _ZIP_TIME), msgspec.json.encode(manifest))
        return manifest

    def _write(self, name: str, path: Path, total: int) -> Entry:
        info = zipfile.ZipInfo(name, _ZIP_TIME)
        # originals are mostly packed already; the database shrinks to a third
        info.compress_type = zipfile.ZIP_STORED if name.startswith("originals/") else zipfile.ZIP_DEFLATED
        info.external_attr = 0o600 << 16
        digest, size = hashlib.sha256(), 0
        with path.open("rb") as source, self._sink.open(info, "w", force_zip64=True) as sink:
            while chunk := source.read(_CHUNK):
                if self._cancel.is_set():
                    raise Cancelled
                digest.update(chunk)
                sink.write(chunk)
                size += len(chunk)
                self._done += len(chunk)
                self._on_progress(min(1.0, self._done / total))
        return Entry(name, size, digest.hexdigest())


@contextmanager
def _work_folder(home: Home) -> Iterator[Path]:
    """On the home's disk, for hard links; those of killed backups go first."""
    try:
        for old in home.root.glob(f"{_WORK}*"):
            shutil.rmtree(old, ignore_errors=True)
        folder = Path(tempfile.mkdtemp(prefix=_WORK, dir=home.root))
    except OSError as error:
        raise StorageError(
            f"The data folder can't be written ({error.strerror}); make room or make it writable."
        ) from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _writing(target: Path) -> Iterator[zipfile.ZipFile]:
    """A zip beside `target` that takes its name at the end."""
    partial = target.with_name(f".{target.name}.partial")
    try:
        partial.unlink(missing_ok=True)
        handle = os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w+b") as file:
            with zipfile.ZipFile(file, "w", compresslevel=1) as sink:
                yield sink
            file.flush()
            os.fsync(file.fileno())
        partial.replace(target)
        sync_folder(target.parent)
    except OSError as error:
        raise StorageError(
            f"The backup can't be written to {target.parent} ({error.strerror}); choose another place or make room."
        ) from error
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
