"""Keeps this PC from going to sleep while something the user waits for is worked on.

On a Linux desktop by D-Bus, through QtDBus and without any child process: the desktop's power management and screen
saver are asked, and logind. Each hold has connections of its own, which are closed to release it: every one of these
services drops what a connection had asked for when it ends, so a crash keeps no PC awake. Elsewhere by Windows' own
call; on other systems nothing is available, and `works` says so.
"""

from __future__ import annotations

import itertools
import sys
from typing import Any, Protocol

from PySide6.QtCore import QObject, Signal

from aipc_app import log

_APPLICATION = "AIPC"
_SESSION_SERVICES = (  # service, path, interface; all take (application, reason)
    ("org.freedesktop.PowerManagement", "/org/freedesktop/PowerManagement/Inhibit",
     "org.freedesktop.PowerManagement.Inhibit"),
    ("org.freedesktop.ScreenSaver", "/org/freedesktop/ScreenSaver", "org.freedesktop.ScreenSaver"),
)
_LOGIND = ("org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager")


class Inhibitor(Protocol):
    """One request to stay awake. `on_answer(True)` once something granted it, `(False)` when nothing did."""

    def release(self) -> None: ...


class StayAwake(QObject):
    """Held as long as anybody holds it. Window's thread only.

    Signals: `changed` when `works` changed.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._holders: set[int] = set()
        self._inhibitor: Inhibitor | None = None
        self.works: bool | None = None  # None: not known yet

    @property
    def held(self) -> bool:
        return bool(self._holders)

    def hold(self, holder: object, reason: str) -> None:
        """Stay awake for `holder`, until it releases. `reason` is what the desktop shows."""
        self._holders.add(id(holder))
        if self._inhibitor is None:
            self._inhibitor = _inhibitor(reason, self._answered)

    def release(self, holder: object) -> None:
        self._holders.discard(id(holder))
        if not self._holders:
            self.close()

    def close(self) -> None:
        """Let the PC sleep again."""
        self._holders.clear()
        if self._inhibitor is not None:
            self._inhibitor.release()
            self._inhibitor = None

    def _answered(self, works: bool) -> None:
        if works is not self.works:
            self.works = works
            self.changed.emit()


def _inhibitor(reason: str, on_answer: Any) -> Inhibitor:
    if sys.platform == "win32":
        return _WindowsInhibitor(on_answer)
    if sys.platform.startswith("linux"):
        try:
            return _BusInhibitor(reason, on_answer)
        except ImportError:  # a Qt without D-Bus
            log.UI.info("QtDBus is missing; sleep can't be inhibited")
    return _NoInhibitor(on_answer)


class _NoInhibitor:
    def __init__(self, on_answer: Any) -> None:
        on_answer(False)

    def release(self) -> None:
        pass


class _WindowsInhibitor:
    """SetThreadExecutionState of the window's thread."""

    _CONTINUOUS, _SYSTEM_REQUIRED = 0x80000000, 0x00000001

    def __init__(self, on_answer: Any) -> None:
        on_answer(bool(self._set(self._CONTINUOUS | self._SYSTEM_REQUIRED)))

    def release(self) -> None:
        self._set(self._CONTINUOUS)

    def _set(self, flags: int) -> int:
        import ctypes

        return int(ctypes.windll.kernel32.SetThreadExecutionState(flags))  # type: ignore[attr-defined,unused-ignore]


class _BusInhibitor(QObject):
    """Asks every service at once; one that isn't there answers with an error and is left out."""

    _numbers = itertools.count(1)

    def __init__(self, reason: str, on_answer: Any) -> None:
        from PySide6.QtDBus import QDBusConnection

        super().__init__()
        self._on_answer, self._granted, self._open = on_answer, 0, 0
        self._watchers: list[Any] = []
        self._kept: list[Any] = []  # logind's file descriptors: closed with the last reference
        number = next(self._numbers)
        self._names = [f"aipc-awake-session-{number}", f"aipc-awake-system-{number}"]
        session = QDBusConnection.connectToBus(QDBusConnection.BusType.SessionBus, self._names[0])
        system = QDBusConnection.connectToBus(QDBusConnection.BusType.SystemBus, self._names[1])
        if session.isConnected():
            for service in _SESSION_SERVICES:
                self._ask(session, service, [_APPLICATION, reason])
        if system.isConnected():
            self._ask(system, _LOGIND, ["idle", _APPLICATION, reason, "block"])
        if not self._watchers:
            on_answer(False)

    def release(self) -> None:
        from PySide6.QtDBus import QDBusConnection

        self._on_answer = lambda _works: None
        self._watchers.clear()
        self._kept.clear()
        for name in self._names:
            QDBusConnection.disconnectFromBus(name)

    def _ask(self, bus: Any, service: tuple[str, str, str], arguments: list[str]) -> None:
        from PySide6.QtDBus import QDBusMessage, QDBusPendingCallWatcher

        message = QDBusMessage.createMethodCall(*service, "Inhibit")
        message.setArguments(arguments)
        watcher = QDBusPendingCallWatcher(bus.asyncCall(message), self)
        self._open += 1
        watcher.finished.connect(self._answered)
        self._watchers.append(watcher)

    def _answered(self, watcher: Any) -> None:
        self._open -= 1
        if not watcher.isError():
            self._granted += 1
            self._kept.append(watcher.reply())
        if self._granted or not self._open:
            self._on_answer(self._granted > 0)
