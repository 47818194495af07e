"""SQLite's errors sorted once, where they enter: the world's fault is a StorageError, ours stays a bug.

A number too large for any row is a UserMistake: only a person can have named it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from aipc_app.errors import StorageError, UserMistake
from aipc_app.log import STORE

_FULL = "The disk is full, so nothing more can be saved; free some space and try again."
_READ_ONLY = "The data folder can't be written; make it writable or choose another one with --home."
_DAMAGED = "The database of the data folder is damaged; put a backup of aipc.sqlite in its place."
_HELD = "Another program holds the database of the data folder; close it and try again."
_BROKEN = "The disk that holds the data folder reports an error; check the disk, then try again."
_TOO_LARGE = "Nothing has so large a number; 'aipc cases' and 'aipc documents' list what there is."

# Primary result codes (the low byte of an extended one): https://www.sqlite.org/rescode.html
_SENTENCES = {
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_READONLY: _READ_ONLY,
    sqlite3.SQLITE_CANTOPEN: _READ_ONLY,
    sqlite3.SQLITE_PERM: _READ_ONLY,
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: _DAMAGED,
    sqlite3.SQLITE_BUSY: _HELD,
    sqlite3.SQLITE_LOCKED: _HELD,
    sqlite3.SQLITE_IOERR: _BROKEN,
}


@contextmanager
def sorted_errors() -> Iterator[None]:
    """Turn what the disk did wrong into a StorageError; let our own mistakes through as they are."""
    try:
        yield
    except OverflowError as error:
        if "SQLite" not in str(error):
            raise
        raise UserMistake(_TOO_LARGE) from error
    except sqlite3.Error as error:
        sentence = _DAMAGED if _lacks_a_table(error) else _SENTENCES.get(_code(error))
        if sentence is None:
            raise
        STORE.error("sqlite: %s", error.sqlite_errorname)
        raise StorageError(sentence) from error


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _lacks_a_table(error: sqlite3.Error) -> bool:
    """A table that the migrations made is gone; SQLite has no code of its own for that."""
    return _code(error) == sqlite3.SQLITE_ERROR and str(error).startswith("no such table")
