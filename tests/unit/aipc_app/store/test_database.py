"""One file, many threads, sudden ends, and disks that misbehave."""

from __future__ import annotations

import os
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from aipc_app.domain.documents import LIBRARY_ID
from aipc_app.errors import StorageError, UserMistake
from aipc_app.paths import Home
from aipc_app.store import Store
from aipc_app.store.database import Database

if TYPE_CHECKING:
    from tests.unit.aipc_app.store.conftest import Filler


def test_the_database_is_for_its_user_alone(store: Store, home: Home) -> None:
    store.cases.create("一")
    for path in home.root.glob("aipc.sqlite*"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path.name


def test_a_database_that_others_could_read_is_closed_to_them(home: Home) -> None:
    Store.open(home).close()
    home.database.chmod(0o644)
    Store.open(home).close()
    assert stat.S_IMODE(home.database.stat().st_mode) == 0o600


def test_a_transaction_that_fails_leaves_nothing_behind_and_the_next_one_works(store: Store) -> None:
    with pytest.raises(UserMistake), store.transaction():
        store.cases.create("一")
        store.cases.create("二")
        store.cases.create("一")
    assert store.cases.list() == ()
    store.cases.create("一")
    assert [case.name for case in store.cases.list()] == ["一"]


def test_inside_a_transaction_its_own_writes_are_seen_and_outside_they_are_not(store: Store) -> None:
    seen_outside: list[object] = []
    with store.transaction():
        store.cases.create("一")
        assert store.cases.by_name("一") is not None
        other = threading.Thread(target=lambda: seen_outside.append(store.cases.by_name("一")))
        other.start()
        other.join()
    assert seen_outside == [None]
    assert store.cases.by_name("一") is not None


def test_an_action_after_commit_runs_only_if_it_was_committed(home: Home) -> None:
    home.create()
    database, done = Database(home.database), []
    with pytest.raises(KeyError), database.write():
        database.after_commit(lambda: done.append("lost"))
        raise KeyError
    with database.write(), database.write():
        database.after_commit(lambda: done.append("kept"))
        assert done == []
    assert done == ["kept"]
    database.close()


def test_many_threads_read_whole_documents_while_one_writes(store: Store, fill: Filler) -> None:
    case = store.cases.create("一")
    document = fill.document(case.id)
    fill.read(document.id, ["版0"] * 5)
    stop, problems, reads = threading.Event(), [], []

    def read() -> None:
        try:
            while not stop.is_set():
                texts = {page.text for page in store.documents.pages(document.id)}
                found = store.passages.keyword([next(iter(texts))], cases=[case.id], documents=None, limit=9)
                assert len(texts) == 1, texts
                assert len(found) in (0, 5)
                reads.append(1)
        except BaseException as error:
            problems.append(error)

    readers = [threading.Thread(target=read) for _ in range(4)]
    for thread in readers:
        thread.start()
    for version in range(1, 41):
        fill.read(document.id, [f"版{version}"] * 5)
    stop.set()
    for thread in readers:
        thread.join()
    assert problems == []
    assert len(reads) >= 8
    store.check()


def test_writers_in_many_threads_queue_up(store: Store) -> None:
    def write(number: int) -> None:
        for one in range(10):
            store.cases.create(f"{number}-{one}")

    threads = [threading.Thread(target=write, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store.cases.list()) == 60


_KILLED = """
import sys, os, time
from pathlib import Path
from aipc_app.paths import Home
from aipc_app.store import Store
from aipc_app.domain.documents import *
from aipc_app.store import IndexedPassage
store = Store.open(Home(Path(sys.argv[1])))
def save(text, n):
    pages = [Page(number=i, text=text, state=PageState.TEXT) for i in range(1, n + 1)]
    passages = [IndexedPassage(draft=PassageDraft(page=p.number, start=0, end=len(text), text=text), tokens=text)
                for p in pages]
    store.documents.save_read(1, pages=pages, passages=passages, status=DocumentStatus.SEARCHABLE, reason=None,
                              has_layout=False)
document = store.documents.add(name="a", sha256="0" * 64, size=1)
store.documents.link(1, document.id)
save("旧文", 3)
with store.transaction():
    save("新文", 2000)
    print("in the middle", flush=True)
    time.sleep(60)
"""


def test_a_kill_in_the_middle_of_a_transaction_leaves_the_last_whole_state(home: Home) -> None:
    child = subprocess.Popen([sys.executable, "-c", _KILLED, str(home.root)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline().strip() == "in the middle"
    child.send_signal(signal.SIGKILL)
    child.communicate()
    store = Store.open(home)
    assert [page.text for page in store.documents.pages(1)] == ["旧文"] * 3
    assert len(store.passages.keyword(["旧文"], cases=[LIBRARY_ID], documents=None, limit=9)) == 3
    assert store.passages.keyword(["新文"], cases=[LIBRARY_ID], documents=None, limit=9) == ()
    store.check()
    store.close()


def test_a_full_disk_is_said_so_and_nothing_is_half_written(store: Store, fill: Filler) -> None:
    case = store.cases.create("一")
    document = fill.document(case.id)
    with store._database.write() as connection:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages + 20}")
    with pytest.raises(StorageError, match="disk is full"):
        fill.read(document.id, ["很长的一页" * 10_000] * 20)
    assert store.documents.pages(document.id) == ()
    with store._database.write() as connection:
        connection.execute("PRAGMA max_page_count = 1073741823")
    fill.read(document.id, ["短"])
    assert [page.text for page in store.documents.pages(document.id)] == ["短"]


@contextmanager
def without_privileges() -> Iterator[None]:
    """Root may write anywhere; nobody may not."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that anybody can reach, which pytest's own are not."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)
        for path in Path(name).rglob("*"):
            path.chmod(0o755)


def test_a_read_only_folder_is_said_so(open_folder: Path) -> None:
    (open_folder / "home").mkdir(mode=0o555)
    with without_privileges(), pytest.raises(StorageError, match="can't be written") as caught:
        Store.open(Home(open_folder / "home"))
    assert "--home" in caught.value.message


def test_a_database_that_may_not_be_written_is_said_so(open_folder: Path) -> None:
    home = Home(open_folder / "home")
    Store.open(home).close()
    for path in home.root.iterdir():
        path.chmod(0o555 if path.is_dir() else 0o444)
    home.root.chmod(0o555)
    with without_privileges(), pytest.raises(StorageError, match="can't be written"):
        Database(home.database)


@pytest.mark.parametrize("damage", ["header", "middle", "cut"])
def test_a_damaged_database_says_what_to_do(home: Home, tmp_path: Path, damage: str) -> None:
    store = Store.open(home)
    for number in range(2000):
        with store.transaction():
            store.documents.add(name=f"{number}.txt", sha256=f"{number:064}", size=1)
    store.close()
    size = home.database.stat().st_size
    with home.database.open("r+b") as file:
        if damage == "cut":
            file.truncate(size // 2)
        else:
            file.seek(0 if damage == "header" else size // 4)
            file.write(os.urandom(size // 2))
    with pytest.raises(StorageError, match=r"damaged; put a backup"):
        store = Store.open(home)
        store.check()
    with pytest.raises(StorageError):
        store = Store.open(home)
        store.documents.all_ids()
        store.check()


def test_a_mistake_of_our_own_is_not_called_a_storage_error(store: Store) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        store.documents.link(4711, store.documents.add(name="a", sha256="0" * 64, size=1).id)


def test_a_closed_store_refuses_in_a_sentence(store: Store) -> None:
    store.close()
    with pytest.raises(StorageError):
        store.cases.list()
    with pytest.raises(StorageError):
        store.cases.create("一")


def test_what_is_read_together_is_from_one_moment(store: Store, home: Home) -> None:
    database = Database(home.database)
    with database.read() as connection:
        before = connection.execute("SELECT COUNT(*) FROM cases").fetchone()
        store.cases.create("在中间")
        assert connection.execute("SELECT COUNT(*) FROM cases").fetchone() == before
    with database.read() as connection:
        assert connection.execute("SELECT COUNT(*) FROM cases").fetchone() != before
    database.close()


@pytest.mark.parametrize("loss", ["missing", "no bytes", "no tables"])
def test_a_lost_database_is_not_begun_anew_over_the_files_of_its_documents(
    store: Store, fill: Filler, home: Home, loss: str
) -> None:
    original = store.originals.path(fill.document(LIBRARY_ID).sha256)
    store.close()
    backup = home.database.read_bytes()
    home.database.unlink()
    if loss == "no bytes":
        home.database.touch()
    elif loss == "no tables":
        Database(home.database).close()
    for _ in range(2):
        with pytest.raises(StorageError, match=r"restore a backup of aipc.sqlite"):
            Store.open(home)
    assert original.is_file()
    home.database.write_bytes(backup)
    again = Store.open(home)
    assert len(again.documents.all_ids()) == 1
    again.close()


def test_a_home_with_only_half_copies_is_begun_anew(home: Home) -> None:
    home.create()
    (home.originals / ".partial-x").write_bytes(b"half")
    Store.open(home).close()


def test_a_table_that_is_gone_is_damage(store: Store) -> None:
    with store._database.write() as connection:
        connection.execute("DROP TABLE turns")
    with store._database.read() as connection, pytest.raises(sqlite3.OperationalError):
        connection.execute("SELECT * FROM turns")
    with pytest.raises(StorageError, match="damaged"), store._database.read() as connection:
        connection.execute("SELECT * FROM turns")
    with pytest.raises(sqlite3.OperationalError), store._database.read() as connection:
        connection.execute("SELEC")


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 10**40])
def test_a_number_too_large_for_any_row_is_the_users_mistake(store: Store, number: int) -> None:
    with pytest.raises(UserMistake, match="so large a number"):
        store.documents.get(number)
    with pytest.raises(UserMistake, match="so large a number"):
        store.documents.unlink(number, store.documents.add(name="a", sha256="0" * 64, size=1).id)
    with pytest.raises(UserMistake, match="so large a number"):
        store.cases.get(number)
    with pytest.raises(OverflowError), store.transaction():
        float(10**400)
