"""An update of the program never costs a byte of the data, whatever goes wrong in it."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from aipc_app.errors import StorageError
from aipc_app.paths import Home
from aipc_app.store import Store, updating
from aipc_app.store import store as store_module
from aipc_app.store.migrate import Migration, known_migrations

DATA = Path(__file__).parents[3] / "data"
OLD = "schema_0005.sqlite"
COPY = "aipc-schema-0005.sqlite"
NEXT = len(known_migrations()) + 1
FIRST_HALF = Migration(NEXT, "9998_half.sql", "DELETE FROM cases WHERE kind = 'case';\n")
BROKEN = Migration(NEXT + 1, "9999_broken.sql", "INSERT INTO nowhere VALUES (1);\n")
FILLING = Migration(NEXT + 1, "9999_filling.sql", (
    "CREATE TABLE filling (bytes);\nWITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)"
    " INSERT INTO filling SELECT randomblob(4096) FROM n;\n"))


@pytest.fixture
def old_home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    home.create()
    shutil.copyfile(DATA / OLD, home.database)
    return home


def dump(path: Path) -> list[str]:
    """Everything in a database, as text; its own migrations table is as old as it was, too."""
    with closing(sqlite3.connect(path)) as connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        rows = [str(row) for (table,) in connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%' ORDER BY name"
        ).fetchall() for row in connection.execute(f"SELECT * FROM {table}")]
    return [str(version), *rows]


def with_steps(monkeypatch: pytest.MonkeyPatch, *more: Migration) -> None:
    monkeypatch.setattr(store_module, "known_migrations", lambda: (*known_migrations(), *more))


def test_an_older_database_is_copied_before_it_is_brought_up_to_date(old_home: Home) -> None:
    before = dump(old_home.database)
    Store.open(old_home).close()
    assert dump(old_home.root / COPY) == before != dump(old_home.database)
    assert (old_home.root / COPY).stat().st_mode & 0o777 == 0o600


def test_a_new_and_a_current_database_are_not_copied(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    for _ in range(2):
        Store.open(home).close()
    assert not list(home.root.glob("aipc-schema-*"))


def test_a_step_that_fails_after_others_puts_everything_back_and_says_so(
    old_home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = dump(old_home.database)
    with_steps(monkeypatch, FIRST_HALF, BROKEN)
    with pytest.raises(StorageError, match="everything is as it was before"):
        Store.open(old_home)
    assert dump(old_home.database) == before
    monkeypatch.undo()
    store = Store.open(old_home)
    assert [case.name for case in store.cases.list()] == ["民间借贷"]
    store.close()


@pytest.mark.skipif(os.name != "posix", reason="limits the size of files as POSIX does")
def test_a_disk_that_fills_during_a_step_puts_everything_back_and_says_so(old_home: Home) -> None:
    """A process of its own, whose files may not grow past a limit, as on a disk that is full."""
    before = dump(old_home.database)
    program = (
        "import resource, signal, sys\n"
        "from aipc_app.paths import Home\nfrom aipc_app.store import Store, store\nfrom pathlib import Path\n"
        "from aipc_app.store.migrate import Migration, known_migrations\n"
        f"steps = (*known_migrations(), Migration({NEXT}, 'a.sql', {FIRST_HALF.sql!r}),"
        f" Migration({NEXT + 1}, 'b.sql', {FILLING.sql!r}))\n"
        "store.known_migrations = lambda: steps\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4_000_000, 4_000_000))\n"
        "try:\n    Store.open(Home(Path(sys.argv[1])))\nexcept Exception as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(old_home.root)], capture_output=True, text=True)
    assert "everything is as it was before" in done.stdout, done.stderr
    assert dump(old_home.database) == before


def test_without_room_for_the_copy_nothing_is_begun(old_home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    before = old_home.database.read_bytes()
    usage = shutil.disk_usage(old_home.root)
    monkeypatch.setattr(updating.shutil, "disk_usage", lambda _folder: usage._replace(free=1000))
    with pytest.raises(StorageError, match="Nothing was changed"):
        Store.open(old_home)
    assert dump(old_home.database)[0] == "5" and not (old_home.root / COPY).exists()
    assert len(old_home.database.read_bytes()) == len(before)


def test_what_is_deleted_for_good_is_not_kept_in_a_copy(old_home: Home) -> None:
    store = Store.open(old_home)
    (case,) = store.cases.list()
    assert (old_home.root / COPY).exists()
    store.cases.delete(case.id)
    assert not (old_home.root / COPY).exists()
    store.close()
