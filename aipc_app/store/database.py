"""One SQLite file: one writer at a time, many readers, nested transactions joined."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from aipc_app.errors import StorageError
from aipc_app.store.sqlite_errors import sorted_errors

_BUSY_TIMEOUT_S = 10.0
_CACHE_KIB = 32 * 1024


class Database:
    """May be used from any thread. Raises StorageError for what the disk does wrong.

    `write()` and `read()` nest: inside a `write()` both see and join the transaction that is open.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.RLock()
        self._writing_thread: int | None = None
        self._after_commit: list[Callable[[], None]] = []
        self._idle_readers: list[sqlite3.Connection] = []
        self._readers_lock = threading.Lock()
        self._closed = False
        with sorted_errors():
            _create_private(path)
            self._writer = _connect(path)
            _prepare_writer(self._writer)

    @property
    def folder(self) -> Path:
        """Where the file lies."""
        return self._path.parent

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """A transaction: everything in the block, or nothing of it. Durable when the outermost block ends."""
        with self._lock, sorted_errors():
            if self._writing_thread is not None:
                yield self._writer
                return
            self._check_open()
            self._writer.execute("BEGIN IMMEDIATE")
            self._writing_thread = threading.get_ident()
            try:
                yield self._writer
                self._writer.execute("COMMIT")
            except BaseException:
                self._after_commit.clear()
                if self._writer.in_transaction:
                    self._writer.execute("ROLLBACK")
                raise
            finally:
                self._writing_thread = None
            hooks, self._after_commit = self._after_commit, []
        for hook in hooks:
            hook()

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """One consistent view of the data, not held up by a writer. Inside a `write()`, the writer's view."""
        if self._writing_thread == threading.get_ident():
            yield self._writer
            return
        with sorted_errors():
            connection = self._take_reader()
            try:
                connection.execute("BEGIN")
                yield connection
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                self._give_back(connection)

    def after_commit(self, action: Callable[[], None]) -> None:
        """Call inside a `write()`: run `action` once the transaction is durable, never if it fails."""
        self._after_commit.append(action)

    def check(self) -> None:
        """Read the whole file and its indexes. Raises StorageError when damaged; slow on large homes."""
        with self.write() as connection:
            (verdict,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
            if verdict != "ok":
                raise sqlite_damage(verdict)
            connection.execute("INSERT INTO passage_index (passage_index) VALUES ('integrity-check')")

    def close(self) -> None:
        """Close every connection; readers still in use are closed when they are given back."""
        with self._lock, self._readers_lock:
            self._closed = True
            for connection in (*self._idle_readers, self._writer):
                connection.close()
            self._idle_readers.clear()

    def _take_reader(self) -> sqlite3.Connection:
        with self._readers_lock:
            self._check_open()
            if self._idle_readers:
                return self._idle_readers.pop()
        connection = _connect(self._path)
        connection.execute("PRAGMA query_only = ON")
        return connection

    def _give_back(self, connection: sqlite3.Connection) -> None:
        with self._readers_lock:
            if self._closed:
                connection.close()
            else:
                self._idle_readers.append(connection)

    def _check_open(self) -> None:
        if self._closed:
            raise StorageError("The data folder was closed; start the program again.")


def sqlite_damage(verdict: str) -> sqlite3.DatabaseError:
    """What an integrity check found, as the error SQLite itself would raise."""
    error = sqlite3.DatabaseError(verdict)
    error.sqlite_errorcode, error.sqlite_errorname = sqlite3.SQLITE_CORRUPT, "SQLITE_CORRUPT"
    return error


def _create_private(path: Path) -> None:
    """Make the file for this user alone before SQLite opens it; its WAL takes over the same mode."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        path.chmod(0o600)
    except OSError as error:
        raise StorageError(
            f"{path} can't be written ({error.strerror}); make it writable or choose another with --home."
        ) from error


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=_BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False, cached_statements=256
    )
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    connection.execute("PRAGMA temp_store = MEMORY")
    return connection


def _prepare_writer(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")  # a commit survives the power cord
    connection.execute("PRAGMA secure_delete = ON")  # deleted for good means the bytes too
    connection.execute("PRAGMA journal_size_limit = 67108864")
