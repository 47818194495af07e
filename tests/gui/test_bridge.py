"""Between the window's thread and the work."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from aipc_app.errors import Cancelled, UserMistake
from aipc_app.operations.op import Emit, Op, simply
from aipc_app.ui.bridge.bridge import Bridge
from aipc_app.ui.bridge.lanes import Lane
from tests.gui.conftest import WAIT_MS


@pytest.fixture
def bridge(qapp: QApplication) -> Iterator[Bridge]:
    """Without services: any Op will do."""
    made = Bridge()
    yield made
    assert made.close(timeout_s=60)
    QCoreApplication.processEvents()
    made.deleteLater()


def test_work_runs_elsewhere_and_its_result_comes_back(bridge: Bridge, qtbot: QtBot) -> None:
    window, seen = threading.current_thread(), []
    bridge.start(simply("where", threading.current_thread), bridge, done=lambda worker: seen.append(
        (worker is window, threading.current_thread() is window)))
    qtbot.waitUntil(lambda: bool(seen), timeout=WAIT_MS)
    assert seen == [(False, True)]


def test_events_that_come_one_by_one_are_shown_in_batches(bridge: Bridge, qtbot: QtBot) -> None:
    """Each event is emitted after the window looked at its queue, so without the pause each would be a repaint."""
    times: list[float] = []
    ended: list[bool] = []

    def work(emit: Emit, _cancel: threading.Event) -> None:
        for number in range(200):
            emit(number)
            looked = threading.Event()
            bridge.post(looked.set)
            assert looked.wait(WAIT_MS / 1000)

    got: list[int] = []
    bridge.start(Op("count", work), bridge, ended=lambda: ended.append(True),
                 events=lambda batch: (times.append(time.monotonic()), got.extend(batch)))
    qtbot.waitUntil(lambda: bool(ended), timeout=WAIT_MS)
    assert got == list(range(200))
    assert len(times) <= 30 * (times[-1] - times[0]) + 3  # the first and the last don't wait


def test_an_error_comes_to_who_asked_or_else_to_all(bridge: Bridge, qtbot: QtBot) -> None:
    def fail() -> None:
        raise UserMistake("No.")

    own: list[BaseException] = []
    bridge.start(simply("fail", fail), bridge, failed=own.append)
    with qtbot.waitSignal(bridge.failed, timeout=WAIT_MS) as told:
        bridge.start(simply("fail", fail), bridge)
    assert str(told.args[0]) == "No."
    assert [str(error) for error in own] == ["No."]


def test_cancelled_work_fails_silently_and_ends(bridge: Bridge, qtbot: QtBot) -> None:
    def work(_emit: Emit, cancel: threading.Event) -> None:
        assert cancel.wait(WAIT_MS / 1000)
        raise Cancelled

    ended: list[bool] = []
    problems: list[BaseException] = []
    bridge.failed.connect(problems.append)
    running = bridge.start(Op("wait", work), bridge, ended=lambda: ended.append(True))
    running.cancel()
    qtbot.waitUntil(lambda: bool(ended), timeout=WAIT_MS)
    assert problems == []


def test_nothing_is_delivered_to_who_is_gone(bridge: Bridge, qtbot: QtBot) -> None:
    go_on, delivered, owner = threading.Event(), [], QObject()

    def work(emit: Emit, _cancel: threading.Event) -> int:
        assert go_on.wait(WAIT_MS / 1000)
        emit("late")
        return 1

    bridge.start(Op("late", work), owner, lane=Lane.WORK, done=delivered.append, events=delivered.append,
                 ended=lambda: delivered.append("ended"))
    owner.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    go_on.set()
    after: list[bool] = []
    for _ in range(2):  # both threads of the lane: what comes after the late one is there
        bridge.start(simply("after", lambda: None), bridge, lane=Lane.WORK, ended=lambda: after.append(True))
    qtbot.waitUntil(lambda: len(after) == 2, timeout=WAIT_MS)
    assert delivered == []


def test_slow_work_does_not_delay_a_quick_read(bridge: Bridge, qtbot: QtBot) -> None:
    go_on, read = threading.Event(), []
    for lane in (Lane.WORK, Lane.ASK, Lane.DRAW):
        for _ in range(2):
            bridge.start(simply("slow", lambda: go_on.wait(WAIT_MS / 1000)), bridge, lane=lane)
    bridge.start(simply("read", lambda: 7), bridge, done=read.append)
    qtbot.waitUntil(lambda: read == [7], timeout=WAIT_MS)
    go_on.set()


def test_what_changes_data_is_done_even_while_closing(qapp: QApplication) -> None:
    """What waits behind running work when the window closes: a write is still done, a drawing is not."""
    bridge, done = Bridge(), []
    until_cancelled = Op("wait", lambda _emit, cancel: cancel.wait(WAIT_MS / 1000))
    for lane in (Lane.QUICK, Lane.QUICK, Lane.DRAW):
        bridge.start(until_cancelled, bridge, lane=lane)
    bridge.start(simply("write", lambda: done.append("written")), bridge)
    bridge.start(simply("draw", lambda: done.append("drawn")), bridge, lane=Lane.DRAW)
    assert bridge.close(timeout_s=60)
    assert done == ["written"]
    bridge.deleteLater()
