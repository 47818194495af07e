"""Measures how long the window's thread kept an event waiting. Used by tests and on request."""

from __future__ import annotations

import statistics
import time
from collections import deque
from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, QTimer

_TICK_S = 0.010
_KEPT = 100_000  # ticks, a quarter of an hour and more


@dataclass(frozen=True)
class Stall:
    """Seconds. `waited_s`: an event's longest wait, `hundredth_s` what one in a hundred waits; `worked_s`: the
    longest the thread itself computed."""

    waited_s: float = 0.0
    worked_s: float = 0.0
    hundredth_s: float = 0.0


class Watchdog(QObject):
    """Ticks every 10 ms; what a tick is late by is a stall. Worked time leaves out being starved by others."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._timer = QTimer(self, interval=int(_TICK_S * 1000), timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self.longest = Stall()
        self._waits: deque[float] = deque(maxlen=_KEPT)
        self._seen = self._computed = 0.0
        self.ticks = 0

    def start(self) -> None:
        self.longest = Stall()
        self._waits.clear()
        self._seen, self._computed = time.monotonic(), time.thread_time()
        self._timer.start()

    def stop(self) -> Stall:
        """The longest stalls since `start`."""
        self._timer.stop()
        if len(self._waits) < 2:
            return self.longest
        hundredth = statistics.quantiles(self._waits, n=100)[-1]
        return Stall(self.longest.waited_s, self.longest.worked_s, max(0.0, hundredth))

    def _tick(self) -> None:
        now, computed = time.monotonic(), time.thread_time()
        self.ticks += 1
        self._waits.append(now - self._seen - _TICK_S)
        self.longest = Stall(
            max(self.longest.waited_s, self._waits[-1]),
            max(self.longest.worked_s, computed - self._computed),
        )
        self._seen, self._computed = now, computed
