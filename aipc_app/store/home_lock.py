"""One program per home at a time: a lock that a crash releases, and a note of who holds it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from aipc_app.errors import HomeInUse, StorageError
from aipc_app.paths import Home

_PATIENCE_S = 0.2  # another program may be looking whether it is held


@contextmanager
def locked(home: Home) -> Iterator[None]:
    """Hold the home. The lock is the operating system's, so a crash releases it. Raises HomeInUse, StorageError."""
    lock = FileLock(home.lock, timeout=_PATIENCE_S)
    try:
        lock.acquire(poll_interval=_PATIENCE_S / 10)
    except Timeout as error:
        raise HomeInUse(
            f"The data folder {home.root} is in use by {_holder(home)}; close that program first, "
            "or name another folder with --home."
        ) from error
    except OSError as error:
        raise StorageError(
            f"The data folder {home.root} can't be locked ({error.strerror}); "
            "check that its files are yours, or name another folder with --home."
        ) from error
    try:
        _note_holder(home)
        yield
    finally:
        with suppress(OSError):
            _holder_file(home).unlink(missing_ok=True)
        lock.release()


def is_held(home: Home) -> bool:
    """Whether a program has the home open. Looking holds it for less than what `locked` waits."""
    lock = FileLock(home.lock, timeout=0)
    try:
        with lock:
            return False
    except Timeout:
        return True
    except OSError:
        return False


def _note_holder(home: Home) -> None:
    """For the sentence a second program says; the lock holds without it, also on a full disk."""
    with suppress(OSError):
        _holder_file(home).write_text(str(os.getpid()), encoding="utf-8")


def _holder_file(home: Home) -> Path:
    return home.root / "holder"


def _holder(home: Home) -> str:
    try:
        return f"AIPC (process {_holder_file(home).read_text(encoding='utf-8')})"
    except OSError:
        return "another AIPC"
