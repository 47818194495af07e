"""Tells the rest of the program what ingest changed: every change of state, and progress at a bearable rate."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from aipc_app.domain.jobs import Changes

_PROGRESS_EVERY_S = 0.1


class Announcer:
    """Calls `on_changes` on the thread that made the change, and wakes those who wait for one."""

    def __init__(self, on_changes: Callable[[Changes], None]) -> None:
        self._on_changes = on_changes
        self._condition = threading.Condition()
        self._last_progress = 0.0
        self._version = 0

    @property
    def version(self) -> int:
        """Grows with every announcement; for `wait_beyond`."""
        return self._version

    def changed(self, changes: Changes) -> None:
        """Something is in another state now."""
        with self._condition:
            self._version += 1
            self._condition.notify_all()
        self._on_changes(changes)

    def progressed(self) -> None:
        """A job is further; said at most ten times a second, because the next one says more."""
        now = time.monotonic()
        with self._condition:
            if now - self._last_progress < _PROGRESS_EVERY_S:
                return
            self._last_progress = now
        self.changed(Changes(jobs=True))

    def wait_beyond(self, version: int, timeout_s: float) -> None:
        """Until something was announced after `version`, or the time is over."""
        with self._condition:
            self._condition.wait_for(lambda: self._version != version, timeout_s)
