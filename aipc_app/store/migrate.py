"""Numbered migrations, applied once each, never edited: their hashes are kept and compared."""

from __future__ import annotations

import hashlib
import re
import sqlite3
import time
from pathlib import Path

from msgspec import Struct

from aipc_app.errors import SchemaTooNew, StorageError
from aipc_app.store.database import Database
from aipc_app.store.sqlite_errors import sorted_errors

MIGRATIONS = Path(__file__).parent / "migrations"
_NAME = re.compile(r"(\d{4})_\w+\.sql")
_TABLE = (
    "CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL,"
    " sha256 TEXT NOT NULL, applied REAL NOT NULL)"
)


class Migration(Struct, frozen=True):
    number: int
    name: str
    sql: str

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.sql.encode()).hexdigest()


def known_migrations(folder: Path = MIGRATIONS) -> tuple[Migration, ...]:
    """The migrations of this program, in order, numbered 1, 2, 3 … without gaps."""
    files = sorted(path for path in folder.iterdir() if _NAME.fullmatch(path.name))
    # read_text makes line ends \n, so that a checkout with other ones has the same hash
    found = tuple(Migration(int(path.name[:4]), path.name, path.read_text(encoding="utf-8")) for path in files)
    assert [m.number for m in found] == list(range(1, len(found) + 1)), "a migration's number is missing"
    return found


def migrate(database: Database, migrations: tuple[Migration, ...]) -> None:
    """Bring the schema up to date, a transaction a step. Raises SchemaTooNew, StorageError."""
    while True:
        with database.write() as connection:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            _refuse_newer(version, len(migrations))
            connection.execute(_TABLE)
            _check_applied(connection, migrations[:version])
            if version == len(migrations):
                return
            _apply(connection, migrations[version])


def is_new(database: Database) -> bool:
    """Whether no migration was ever applied to it."""
    with database.read() as connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
    return bool(version == 0)


def _refuse_newer(version: int, newest: int) -> None:
    if version > newest:
        raise SchemaTooNew(
            "This data folder was written by a newer version of the program; update the program to open it."
        )


def _check_applied(connection: sqlite3.Connection, migrations: tuple[Migration, ...]) -> None:
    applied = dict(connection.execute("SELECT number, sha256 FROM migrations"))
    for migration in migrations:
        if applied.get(migration.number) != migration.sha256:
            raise StorageError(
                f"This data folder was made by another build of the program (step {migration.name} differs); "
                "open it with that build, or choose another folder with --home."
            )


def _apply(connection: sqlite3.Connection, migration: Migration) -> None:
    with sorted_errors():
        for statement in _statements(migration.sql):
            connection.execute(statement)
        connection.execute(
            "INSERT INTO migrations VALUES (?, ?, ?, ?)",
            (migration.number, migration.name, migration.sha256, time.time()),
        )
        connection.execute(f"PRAGMA user_version = {migration.number}")


def _statements(sql: str) -> list[str]:
    """Split a script; `executescript` can't be used because it commits first."""
    statements, current = [], ""
    for line in sql.splitlines(keepends=True):
        current += line
        if sqlite3.complete_statement(current):
            statements.append(current)
            current = ""
    assert not current.strip() or all(line.startswith("--") for line in current.strip().splitlines())
    return statements
