"""Whether this PC has better to do than reading ahead: it runs on battery, or other programs need its cores."""

from __future__ import annotations

import time
from collections.abc import Callable

import psutil
from msgspec import Struct

_BUSY_FROM = 0.5  # of all cores, used by others
_SHORTEST_S = 1.0  # between two samples; a shorter time says little


class CoreSeconds(Struct, frozen=True):
    """Seconds of all cores together since the start of the system: all, busy, and spent by this program per process."""

    total: float
    busy: float
    own: dict[int, float]


class Pressure:
    """May be asked from any thread, now and then: `busy` tells of the time since it was asked before."""

    def __init__(
        self,
        read: Callable[[], CoreSeconds] | None = None,
        battery: Callable[[], bool] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._read, self._battery, self._clock = read or core_seconds, battery or running_on_battery, clock
        self._at, self._before = clock(), self._read()
        self._busy = False

    def on_battery(self) -> bool:
        return self._battery()

    def busy(self) -> bool:
        """Do other programs use more than half of the cores?"""
        now = self._clock()
        if now - self._at >= _SHORTEST_S:
            after = self._read()
            self._busy = others_share(self._before, after) > _BUSY_FROM
            self._at, self._before = now, after
        return self._busy


def others_share(before: CoreSeconds, after: CoreSeconds) -> float:
    """Of all cores, what was used by other programs between the two samples; from 0 to 1."""
    total = after.total - before.total
    own = sum(spent - before.own.get(pid, 0.0) for pid, spent in after.own.items())
    return min(1.0, max(0.0, (after.busy - before.busy - own) / total)) if total > 0 else 0.0


def core_seconds() -> CoreSeconds:
    """As the system counts them now; our own children included."""
    times = psutil.cpu_times()
    idle = times.idle + getattr(times, "iowait", 0.0)
    guests = getattr(times, "guest", 0.0) + getattr(times, "guest_nice", 0.0)  # counted in user and nice already
    total = sum(times) - guests
    me = psutil.Process()
    return CoreSeconds(total, total - idle, dict(map(_spent, (me, *me.children(recursive=True)))))


def running_on_battery() -> bool:
    """Is there a battery, and no mains? A system that doesn't tell counts as mains."""
    sensors = getattr(psutil, "sensors_battery", None)
    battery = sensors() if sensors is not None else None
    return battery is not None and battery.power_plugged is False


def _spent(process: psutil.Process) -> tuple[int, float]:
    try:
        times = process.cpu_times()
        return process.pid, times.user + times.system
    except psutil.Error:  # it ended just now
        return process.pid, 0.0
