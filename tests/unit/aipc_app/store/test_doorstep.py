"""A second start lays what it was given before the window that is open, or learns that nobody takes it."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from aipc_app.paths import Home
from aipc_app.store import doorstep
from aipc_app.store.doorstep import Brought
from aipc_app.store.home_lock import is_held, locked


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path / "home")
    made.create()
    return made


def taking(home: Home, found: list[Brought]) -> threading.Thread:
    """A window that looks until it has taken something."""
    def look() -> None:
        until = time.monotonic() + 20
        while not found and time.monotonic() < until:
            found.extend(doorstep.taken(home))

    thread = threading.Thread(target=look)
    thread.start()
    return thread


def test_the_window_that_is_open_gets_the_files_by_their_whole_paths(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    doorstep.opened(home)
    found: list[Brought] = []
    with locked(home):
        window = taking(home, found)
        assert doorstep.hand_over(home, (Path("法规.aipclib"),), wait_s=20)
        window.join()
    assert found == [Brought((str(tmp_path / "法规.aipclib"),))]
    assert list(home.doorstep.iterdir()) == []


def test_without_a_window_nothing_is_handed_over_and_nothing_stays(home: Home, tmp_path: Path) -> None:
    doorstep.opened(home)
    assert not doorstep.hand_over(home, (tmp_path / "a",))  # nobody has the home open
    with locked(home):  # a command at work has
        assert not doorstep.hand_over(home, (tmp_path / "a",), wait_s=0.1)
    assert list(home.doorstep.iterdir()) == []


def test_what_is_no_request_is_dropped_and_the_next_one_is_taken(home: Home, tmp_path: Path) -> None:
    folder = doorstep.opened(home)
    (folder / "a.json").write_bytes(b'{"files": 7}')
    (folder / "b.json").write_bytes(b'{"files": ["/x"]}')
    assert doorstep.taken(home) == [Brought(("/x",))]
    assert list(folder.iterdir()) == []


def test_whoever_looks_does_not_keep_the_home_from_one_that_opens_it(home: Home) -> None:
    stop = threading.Event()

    def look() -> None:
        while not stop.is_set():
            is_held(home)

    looking = threading.Thread(target=look)
    looking.start()
    try:
        for _ in range(20):
            with locked(home):
                assert is_held(home)
    finally:
        stop.set()
        looking.join()
    assert not is_held(home)
