"""Keeping the PC awake, against a D-Bus of the test's own with a screen saver on it that counts."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator

import pytest
from PySide6.QtCore import ClassInfo, QObject, Slot
from PySide6.QtDBus import QDBusConnection
from pytestqt.qtbot import QtBot

from aipc_app.ui.awake import StayAwake
from tests.gui.conftest import BUS_SOCKET

WAIT_MS = 60_000


@ClassInfo({"D-Bus Interface": "org.freedesktop.ScreenSaver"})
class ScreenSaver(QObject):
    """Grants everything."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[str, str]] = []

    @Slot(str, str, result="uint")
    def Inhibit(self, application: str, reason: str) -> int:
        self.asked.append((application, reason))
        return len(self.asked)


@pytest.fixture
def bus() -> Iterator[str]:
    """The address of a session bus, where the tests' environment says it is; there is no system bus."""
    if shutil.which("dbus-daemon") is None:
        pytest.skip("dbus-daemon is not installed")
    address = os.environ["DBUS_SESSION_BUS_ADDRESS"]
    daemon = subprocess.Popen(
        ["dbus-daemon", "--session", "--nofork", "--print-address=1", f"--address={address}"],
        stdout=subprocess.PIPE, text=True)  # fmt: skip
    assert daemon.stdout is not None and daemon.stdout.readline().startswith("unix:")
    yield address
    daemon.terminate()
    daemon.wait()
    daemon.stdout.close()
    BUS_SOCKET.unlink(missing_ok=True)


@pytest.fixture
def saver(bus: str) -> Iterator[ScreenSaver]:
    connection = QDBusConnection.connectToBus(bus, "test-screen-saver")
    assert connection.isConnected()
    served = ScreenSaver()
    slots = QDBusConnection.RegisterOption.ExportAllSlots
    assert connection.registerObject("/org/freedesktop/ScreenSaver", served, slots)
    assert connection.registerService("org.freedesktop.ScreenSaver")
    yield served
    QDBusConnection.disconnectFromBus("test-screen-saver")


@pytest.mark.usefixtures("qapp")
def test_the_desktop_is_asked_once_and_let_go_by_hanging_up(saver: ScreenSaver, qtbot: QtBot) -> None:
    awake, first, second = StayAwake(), object(), object()
    awake.hold(first, "reading")
    awake.hold(second, "reading")
    qtbot.waitUntil(lambda: awake.works is True, timeout=WAIT_MS)
    assert saver.asked == [("AIPC", "reading")]
    names = QDBusConnection("test-screen-saver").interface().registeredServiceNames().value()
    awake.release(first)
    assert awake.held
    awake.release(second)
    assert not awake.held
    bus = QDBusConnection("test-screen-saver").interface()
    qtbot.waitUntil(lambda: len(bus.registeredServiceNames().value()) < len(names), timeout=WAIT_MS)
    awake.hold(first, "again")
    qtbot.waitUntil(lambda: len(saver.asked) == 2, timeout=WAIT_MS)
    awake.close()


@pytest.mark.usefixtures("qapp", "bus")
def test_where_nobody_grants_it_that_is_known(qtbot: QtBot) -> None:
    awake = StayAwake()
    awake.hold(awake, "reading")
    qtbot.waitUntil(lambda: awake.works is False, timeout=WAIT_MS)
    awake.close()
