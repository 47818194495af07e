"""Calls on the window's thread, posted from any thread."""

from __future__ import annotations

import heapq
import itertools
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from PySide6.QtCore import QObject, Qt, QTimer, Signal

_SLICE_S = 0.008


@dataclass(order=True)
class _Due:
    at: float
    number: int
    call: Callable[[], None] = field(compare=False)


class Mailbox(QObject):
    """Runs posted calls in order on the thread it was made on, a few milliseconds at a time."""

    _arrived = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._calls: deque[Callable[[], None]] = deque()
        self._due: list[_Due] = []
        self._numbers = itertools.count()
        self._alarm = QTimer(self, singleShot=True, timerType=Qt.TimerType.PreciseTimer)
        self._alarm.timeout.connect(self._ring)
        self._closed = False
        self._arrived.connect(self._drain, Qt.ConnectionType.QueuedConnection)

    def post(self, call: Callable[[], None]) -> None:
        """From any thread. Dropped after `close`."""
        if self._closed:
            return
        self._calls.append(call)
        try:
            self._arrived.emit()
        except RuntimeError:  # the window was destroyed between the check and the call
            self._closed = True

    def later(self, delay_s: float, call: Callable[[], None]) -> None:
        """Run `call` after a while; from the mailbox's own thread.

        Qt's single shots with a context crash PySide 6.11 when the context goes first, hence a timer of our own.
        """
        if self._closed:
            return
        heapq.heappush(self._due, _Due(time.monotonic() + delay_s, next(self._numbers), call))
        self._alarm.start(max(int((self._due[0].at - time.monotonic()) * 1000) + 1, 0))

    def close(self) -> None:
        """Drop what waits and what will come."""
        self._closed = True
        self._alarm.stop()
        self._calls.clear()
        self._due.clear()

    def _ring(self) -> None:
        now = time.monotonic()
        while self._due and self._due[0].at <= now:
            self._calls.append(heapq.heappop(self._due).call)
        if self._due:
            self._alarm.start(max(int((self._due[0].at - now) * 1000) + 1, 0))
        self._drain()

    def _drain(self) -> None:
        end = time.monotonic() + _SLICE_S
        while self._calls and not self._closed:
            self._calls.popleft()()
            if self._calls and time.monotonic() > end:
                self._arrived.emit()
                return
