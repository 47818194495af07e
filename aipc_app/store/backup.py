"""A copy of a database that is of one moment, taken while the program goes on writing.

SQLite's own backup (https://www.sqlite.org/backup.html) from a connection that keeps a read transaction open: with a
write-ahead log, no writer waits for it and no step of it sees a later moment.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from types import TracebackType

from aipc_app.errors import Cancelled, StorageError
from aipc_app.store.originals import sync_folder
from aipc_app.store.sqlite_errors import sorted_errors

_PAGES_A_STEP = 4_000  # 16 MB: soon enough to be stopped
_DAMAGED_COPY = "The copy of the database is damaged; check the disk, then try again."


def copy_database(
    source: Path, target: Path, *, on_progress: Callable[[float], None] | None = None,
    cancel: threading.Event | None = None,
) -> None:  # fmt: skip
    """Copy a database, open or not, to `target`: it is there whole and durable when this returns, or not at all.

    An older file of that name is replaced. Raises StorageError (disk full, damaged source) or Cancelled.
    """
    with Moment(source) as moment:
        moment.copy(target, on_progress=on_progress, cancel=cancel)


class Moment:
    """One moment of a database, from construction to `close`. For one thread at a time. Raises StorageError."""

    def __init__(self, source: Path) -> None:
        with sorted_errors():
            self._connection = sqlite3.connect(source, isolation_level=None, check_same_thread=False)
            self._connection.execute("PRAGMA query_only = ON")
            self._connection.execute("BEGIN")
            self._connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()  # the moment is taken here

    def __enter__(self) -> Moment:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the moment."""
        self._connection.close()

    @property
    def version(self) -> int:
        """How many migrations were applied."""
        with sorted_errors():
            return int(self._connection.execute("PRAGMA user_version").fetchone()[0])

    def originals(self) -> tuple[str, ...]:
        """The sha256 of every document's bytes."""
        with sorted_errors():
            return tuple(row[0] for row in self._connection.execute("SELECT sha256 FROM documents ORDER BY id"))

    def check(self) -> None:
        """Read everything. Raises StorageError when something is damaged; slow on large ones."""
        with sorted_errors():
            (verdict,) = self._connection.execute("PRAGMA integrity_check(1)").fetchone()
        if verdict != "ok":
            raise StorageError(_DAMAGED_COPY)

    def copy(
        self, target: Path, *, on_progress: Callable[[float], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> None:  # fmt: skip
        """As `copy_database`."""
        def told(_status: int, left: int, total: int) -> None:
            if cancel is not None and cancel.is_set():
                raise Cancelled
            if on_progress is not None:
                on_progress(1.0 - left / total if total else 1.0)

        partial = target.with_name(target.name + ".partial")
        try:
            with sorted_errors(), closing(_made(partial)) as copy:
                self._connection.backup(copy, pages=_PAGES_A_STEP, progress=told)
                copy.execute("PRAGMA journal_mode = DELETE")  # one file that stands for itself
            _settle(partial, target)
        except OSError as error:
            raise StorageError(f"The database can't be copied to {target.parent} ({error.strerror}).") from error
        finally:
            with suppress(OSError):
                partial.unlink(missing_ok=True)


def _made(path: Path) -> sqlite3.Connection:
    """An empty database for this user alone."""
    path.unlink(missing_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    return sqlite3.connect(path, isolation_level=None)


def _settle(partial: Path, target: Path) -> None:
    with partial.open("rb") as copied:
        os.fsync(copied.fileno())
    partial.replace(target)
    sync_folder(target.parent)
