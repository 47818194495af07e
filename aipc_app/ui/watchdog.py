"""Measures how long the window's thread kept an event waiting. Used by tests and on request."""

from __future__ import annotations

import time
from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, QTimer

_TICK_S = 0.010


@dataclass(frozen=True)
class Stall:
    """Seconds. `waited_s`: an event's longest wait; `worked_s`: the longest the thread itself computed."""

    waited_s: float = 0.0
    worked_s: float = 0.0


class Watchdog(QObject):
    """Ticks every 10 ms; what a tick is late by is a stall. Worked time leaves out being starved by others."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._timer = QTimer(self, interval=int(_TICK_S * 1000), timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self.longest = Stall()
        self._seen = self._computed = 0.0
        self.ticks = 0

    def start(self) -> None:
        self.longest = Stall()
        self._seen, self._computed = time.monotonic(), time.thread_time()
        self._timer.start()

    def stop(self) -> Stall:
        """The longest stall since `start`."""
        self._timer.stop()
        return self.longest

    def _tick(self) -> None:
        now, computed = time.monotonic(), time.thread_time()
        self.ticks += 1
        self.longest = Stall(
            max(self.longest.waited_s, now - self._seen - _TICK_S),
            max(self.longest.worked_s, computed - self._computed),
        )
        self._seen, self._computed = now, computed
