"""Calls on the window's thread, posted from any thread."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal

_SLICE_S = 0.008


class Mailbox(QObject):
    """Runs posted calls in order on the thread it was made on, a few milliseconds at a time."""

    _arrived = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._calls: deque[Callable[[], None]] = deque()
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

    def close(self) -> None:
        """Drop what waits and what will come."""
        self._closed = True
        self._calls.clear()

    def _drain(self) -> None:
        end = time.monotonic() + _SLICE_S
        while self._calls and not self._closed:
            self._calls.popleft()()
            if self._calls and time.monotonic() > end:
                self._arrived.emit()
                return
