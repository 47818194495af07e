"""A database is copied as it was at one moment, while the program goes on writing."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from aipc_app.errors import Cancelled, StorageError
from aipc_app.paths import Home
from aipc_app.store import Store
from aipc_app.store.backup import Moment, copy_database


def names(path: Path) -> list[str]:
    """The cases of a copied database."""
    home = Home(path.parent)
    store = Store.open(home)
    try:
        return [case.name for case in store.cases.list()]
    finally:
        store.close()


def copied(home: Home, tmp_path: Path) -> Path:
    target = tmp_path / "copy" / "aipc.sqlite"
    target.parent.mkdir()
    copy_database(home.database, target)
    return target


def test_an_open_database_is_copied_with_what_is_still_in_its_log(store: Store, home: Home, tmp_path: Path) -> None:
    store.cases.create("甲")
    target = copied(home, tmp_path)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert names(target) == ["甲"]


def test_what_is_written_after_the_moment_is_not_in_the_copy(store: Store, home: Home, tmp_path: Path) -> None:
    store.cases.create("甲")
    (tmp_path / "copy").mkdir()
    with Moment(home.database) as moment:
        store.cases.create("乙")  # no writer waits for the moment
        moment.copy(tmp_path / "copy" / "aipc.sqlite")
    assert names(tmp_path / "copy" / "aipc.sqlite") == ["甲"]


def test_a_half_copy_never_takes_the_name_of_a_whole_one(store: Store, home: Home, tmp_path: Path) -> None:
    target = tmp_path / "copy.sqlite"
    target.write_bytes(b"the older one")
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        copy_database(home.database, target, cancel=cancel)
    assert target.read_bytes() == b"the older one"
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("copy")] == ["copy.sqlite"]


def test_a_place_that_cannot_be_written_is_a_sentence(store: Store, home: Home, tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="can't be copied"):
        copy_database(home.database, tmp_path / "nowhere" / "copy.sqlite")


def test_damage_is_found(store: Store, home: Home, tmp_path: Path) -> None:
    for number in range(200):
        store.cases.create(f"案 {number} " + "字" * 150)
    target = copied(home, tmp_path)
    with Moment(target) as moment:
        moment.check()
        assert moment.version > 0
    with target.open("r+b") as file:  # pages of the table of cases
        file.seek(8192)
        file.write(os.urandom(target.stat().st_size - 8192))
    with pytest.raises(StorageError), Moment(target) as moment:
        moment.check()
