"""How much memory a child uses, seen from outside: for systems that keep no limit themselves."""

from __future__ import annotations

import time

import psutil

_EVERY_S = 0.1
_NEAR = 0.25  # a buffer that doubles fails at a third or a half


class MemoryWatch:
    """A child's growth since it was given a piece of work, in bytes of resident memory."""

    def __init__(self, pid: int, limit_bytes: int) -> None:
        self._pid, self._limit = pid, limit_bytes
        self._start = self._peak = self._resident()
        self._next = 0.0

    @property
    def was_near(self) -> bool:
        """Whether it grew so much that an abort is most likely a refused allocation."""
        return self._peak - self._start > _NEAR * self._limit

    def is_over(self) -> bool:
        """Look, at most ten times a second."""
        now = time.monotonic()
        if now >= self._next:
            self._next = now + _EVERY_S
            self._peak = max(self._peak, self._resident())
        return self._peak - self._start > self._limit

    def _resident(self) -> int:
        try:
            return int(psutil.Process(self._pid).memory_info().rss)
        except psutil.Error:
            return 0
