"""Schemas are brought up to date once, and never behind anybody's back."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import msgspec
import pytest

from aipc_app.errors import SchemaTooNew, StorageError
from aipc_app.paths import Home
from aipc_app.store import Store
from aipc_app.store.database import Database
from aipc_app.store.migrate import Migration, known_migrations, migrate

FIRST = Migration(1, "0001_first.sql", "CREATE TABLE a (x);\n-- done; really\nINSERT INTO a VALUES ('1; 2');\n")
SECOND = Migration(2, "0002_second.sql", "ALTER TABLE a ADD COLUMN y;\n")
BROKEN = Migration(2, "0002_broken.sql", "ALTER TABLE a ADD COLUMN y;\nINSERT INTO nowhere VALUES (1);\n")


@pytest.fixture
def database(home: Home) -> Database:
    home.create()
    return Database(home.database)


def version(database: Database) -> int:
    with database.read() as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def test_steps_are_applied_once_and_in_order(database: Database) -> None:
    migrate(database, (FIRST,))
    migrate(database, (FIRST, SECOND))
    migrate(database, (FIRST, SECOND))
    with database.read() as connection:
        assert connection.execute("SELECT x, y FROM a").fetchall() == [("1; 2", None)]
        assert [row[0] for row in connection.execute("SELECT name FROM migrations")] == [FIRST.name, SECOND.name]
    assert version(database) == 2
    database.close()


def test_a_step_that_fails_leaves_the_schema_before_it(database: Database) -> None:
    with pytest.raises(StorageError):
        migrate(database, (FIRST, BROKEN))
    assert version(database) == 1
    migrate(database, (FIRST, SECOND))
    assert version(database) == 2
    database.close()


def test_a_step_that_was_edited_after_it_was_applied_is_refused(database: Database) -> None:
    migrate(database, (FIRST,))
    edited = msgspec.structs.replace(FIRST, sql=FIRST.sql + "-- one more comment\n")
    with pytest.raises(StorageError, match="another build"):
        migrate(database, (edited, SECOND))
    assert version(database) == 1
    database.close()


def test_data_of_a_newer_program_is_refused_and_left_alone(home: Home) -> None:
    Store.open(home).close()
    with sqlite3.connect(home.database) as connection:
        connection.execute("PRAGMA user_version = 999")
    connection.close()
    with pytest.raises(SchemaTooNew, match="newer version"):
        Store.open(home)


def test_the_program_knows_its_steps_whatever_line_ends_a_checkout_has(tmp_path: Path) -> None:
    known = known_migrations()
    for step in known:
        (tmp_path / step.name).write_bytes(step.sql.replace("\n", "\r\n").encode())
    assert [step.sha256 for step in known_migrations(tmp_path)] == [step.sha256 for step in known]
