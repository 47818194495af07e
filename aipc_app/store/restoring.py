"""A backup put into a home: verified to the last byte beside it first, then exchanged by renames that can be resumed.

1. `stage` unpacks into a folder of the home and verifies everything; stopped or failed, nothing has happened.
2. `commit` writes a note of what is to be exchanged: from here on the restore happens, whatever is interrupted.
3. `complete_restore` moves the old aside, then the new into its place; called again after a kill, it goes on.

Nothing of the old is deleted.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import struct
import tempfile
import threading
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from aipc_app.errors import AipcError, Cancelled, SchemaTooNew, StorageError, UserMistake
from aipc_app.paths import Home
from aipc_app.settings.file import load as load_settings
from aipc_app.settings.file import save as save_settings
from aipc_app.settings.model import Server
from aipc_app.store.archive import DATABASE, FORMAT, MANIFEST, SETTINGS, Entry, Manifest
from aipc_app.store.backup import Moment
from aipc_app.store.migrate import known_migrations
from aipc_app.store.originals import Originals, sync_folder

_STAGING, _NOTE = ".restore-", "restore.json"
_CHUNK = 1 << 20
_MOST_MANIFEST = 256 << 20
# What zipfile lets through of damaged, encrypted or invented archives.
_NO_ZIP = (
    zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, struct.error, EOFError, KeyError, ValueError, OverflowError,
    RuntimeError,
)  # fmt: skip
_CHECKING_SHARE = 0.1  # of the progress: reading the database through
_PATHS = re.compile(r"aipc\.sqlite|settings\.toml|templates/[^/\\]{1,200}\.toml|originals/([0-9a-f]{2})/\1[0-9a-f]{62}")
# What a home holds of one user's work; models, logs and caches stay. The database's log goes with it.
_OLD = (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", "originals", SETTINGS, "templates", "vectors", "kv")
_NEW = (DATABASE, "originals", SETTINGS, "templates")
_DAMAGED = "The backup '{name}' is damaged: {why}. Nothing was changed; use another copy of it."


class Restored(Struct, frozen=True, kw_only=True):
    """`aside`: where what was there before is now, None when there was nothing.

    `left_out`: "settings.toml" that this version can't read, "server" for the choice of a server.
    """

    manifest: Manifest
    aside: str | None = None
    left_out: tuple[str, ...] = ()


class _Note(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    staged: str
    aside: str
    old_is_aside: bool = False


def holds_work(home: Home) -> bool:
    """Is there anything in it that could be lost?"""
    with suppress(OSError):
        if home.database.stat().st_size > 0:
            return True
    return home.originals.is_dir() and Originals(home.originals).any()


def is_pending(home: Home) -> bool:
    """Does a restore wait for the next start?"""
    return (home.root / _NOTE).is_file()


@contextmanager
def staged(
    home: Home, source: Path, on_progress: Callable[[float], None], cancel: threading.Event
) -> Iterator[tuple[Path, Restored]]:
    """The backup unpacked and verified, for `commit`; without one it is gone after the block.

    Raises UserMistake (no backup), StorageError (damaged, disk full), SchemaTooNew, Cancelled.
    """
    with _disk_errors(home):
        for old in home.root.glob(f"{_STAGING}*"):
            shutil.rmtree(old, ignore_errors=True)
        folder = Path(tempfile.mkdtemp(prefix=_STAGING, dir=home.root))
    try:
        with _disk_errors(home):
            manifest = _unpack(source, folder, on_progress, cancel)
            _check_database(source, folder, manifest)
            left_out = _check_settings(folder)
        on_progress(1.0)
        yield folder, Restored(manifest=manifest, left_out=left_out)
    finally:
        if not is_pending(home):
            shutil.rmtree(folder, ignore_errors=True)


def commit(home: Home, folder: Path) -> Path:
    """From now on `complete_restore` does it. Returns where the old will be. Raises StorageError."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    aside = home.root / f"before-restore-{stamp}"
    with _disk_errors(home):
        _write_note(home, _Note(staged=folder.name, aside=aside.name))
    return aside


def take_back(home: Home) -> None:
    """A committed restore that hasn't begun does not happen."""
    with _disk_errors(home):
        note = _read_note(home)
        if note is not None and not note.old_is_aside:
            (home.root / _NOTE).unlink()
            shutil.rmtree(home.root / note.staged, ignore_errors=True)


def complete_restore(home: Home) -> Path | None:
    """Do what was committed; None when nothing was, else where the old is. Call it with the home locked and closed."""
    with _disk_errors(home):
        note = _read_note(home)
        if note is None:
            return None
        folder, aside = home.root / note.staged, home.root / note.aside
        if not note.old_is_aside:
            aside.mkdir(exist_ok=True, mode=0o700)
            _move(_OLD, home.root, aside)
            note = replace(note, old_is_aside=True)
            _write_note(home, note)
        _move(_NEW, folder, home.root)
        home.originals.mkdir(exist_ok=True)
        sync_folder(home.root)
        (home.root / _NOTE).unlink()
        shutil.rmtree(folder, ignore_errors=True)
        _drop_empty(aside)
        return aside if aside.exists() else None


def _move(names: tuple[str, ...], source: Path, target: Path) -> None:
    """What is there; what isn't was moved before."""
    for name in names:
        if (source / name).exists():
            (source / name).rename(target / name)
    sync_folder(target)
    sync_folder(source)


def _drop_empty(aside: Path) -> None:
    """A home that had just been made leaves nothing worth keeping."""
    with suppress(OSError):
        (aside / "originals").rmdir()
    with suppress(OSError):
        aside.rmdir()


def _unpack(source: Path, folder: Path, on_progress: Callable[[float], None], cancel: threading.Event) -> Manifest:
    try:
        with zipfile.ZipFile(source) as archive:
            manifest = _manifest(archive, source)
            total, done = sum(entry.size for entry in manifest.files) or 1, 0
            _check_room(folder, total)
            for entry in manifest.files:
                for size in _extract(archive, entry, folder, source):
                    if cancel.is_set():
                        raise Cancelled
                    done += size
                    on_progress((1 - _CHECKING_SHARE) * min(1.0, done / total))
            return manifest
    except FileNotFoundError as error:
        raise UserMistake(f"There is no file '{source}'; check its name.") from error
    except _NO_ZIP as error:
        raise UserMistake(f"'{source.name}' is no backup of this program, or it was cut short.") from error


def _manifest(archive: zipfile.ZipFile, source: Path) -> Manifest:
    try:
        info = archive.getinfo(MANIFEST)
        if info.file_size > _MOST_MANIFEST:
            raise KeyError(MANIFEST)
        manifest = msgspec.json.decode(archive.read(info), type=Manifest)
    except (KeyError, msgspec.DecodeError) as error:
        raise UserMistake(f"'{source.name}' is no backup of this program, or it was cut short.") from error
    if manifest.format > FORMAT or manifest.schema > len(known_migrations()):
        raise SchemaTooNew(f"'{source.name}' was made by a newer version of the program; update the program first.")
    listed = [entry.path for entry in manifest.files]
    if sorted([*listed, MANIFEST]) != sorted(archive.namelist()) or DATABASE not in listed:
        raise _damaged(source, "its list doesn't fit what it holds")
    if not all(_PATHS.fullmatch(path) for path in listed):
        raise _damaged(source, "it names files that belong to no data folder")
    return manifest


def _extract(archive: zipfile.ZipFile, entry: Entry, folder: Path, source: Path) -> Iterator[int]:
    """Yields the bytes of each piece. Raises StorageError when it isn't what the list says."""
    target = folder / entry.path
    target.parent.mkdir(parents=True, exist_ok=True)
    mode = 0o400 if entry.path.startswith("originals/") else 0o600
    digest, left = hashlib.sha256(), entry.size
    handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(handle, "wb") as sink, archive.open(entry.path) as member:
        while chunk := member.read(min(_CHUNK, left + 1)):
            left -= len(chunk)
            if left < 0:
                break
            digest.update(chunk)
            sink.write(chunk)
            yield len(chunk)
        sink.flush()
        os.fsync(sink.fileno())
    if left or digest.hexdigest() != entry.sha256:
        raise _damaged(source, "a file in it is not what it was")


def _check_database(source: Path, folder: Path, manifest: Manifest) -> None:
    try:
        with Moment(folder / DATABASE) as moment:
            moment.check()
            version, hashes = moment.version, moment.originals()
    except StorageError as error:
        raise _damaged(source, "its database can't be read") from error
    listed = {entry.path.rpartition("/")[2] for entry in manifest.files} | {
        path.rpartition("/")[2] for path in manifest.missing
    }
    if version != manifest.schema or not listed.issuperset(hashes):
        raise _damaged(source, "files of its documents are missing")
    for leftover in folder.glob(f"{DATABASE}-*"):
        leftover.unlink()


def _check_settings(folder: Path) -> tuple[str, ...]:
    """Settings that this version can't read would keep it from starting, and a server is for a user to choose, not for
    a file: both stay behind."""
    path = folder / SETTINGS
    try:
        settings = load_settings(path)
    except AipcError:
        path.unlink(missing_ok=True)
        return (SETTINGS,)
    if settings.server == Server():
        return ()
    save_settings(path, replace(settings, server=Server()))
    return ("server",)


def _check_room(folder: Path, needed: int) -> None:
    if shutil.disk_usage(folder).free < needed:
        raise StorageError(
            f"The backup needs {needed / 1e9:.1f} GB of room on the disk of the data folder; make room and try again."
        )


def _damaged(source: Path, why: str) -> StorageError:
    return StorageError(_DAMAGED.format(name=source.name, why=why))


def _read_note(home: Home) -> _Note | None:
    try:
        return msgspec.json.decode((home.root / _NOTE).read_bytes(), type=_Note)
    except FileNotFoundError:
        return None
    except msgspec.DecodeError as error:
        raise StorageError(
            f"{home.root / _NOTE} can't be read; delete it, and restore the backup again if you wanted to."
        ) from error


def _write_note(home: Home, note: _Note) -> None:
    partial = home.root / f"{_NOTE}.partial"
    with partial.open("wb") as file:
        file.write(msgspec.json.encode(note))
        file.flush()
        os.fsync(file.fileno())
    partial.replace(home.root / _NOTE)
    sync_folder(home.root)


@contextmanager
def _disk_errors(home: Home) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StorageError(
            f"The backup can't be put into {home.root} ({error.strerror}); make room there and try again."
        ) from error
