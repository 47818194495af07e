"""Tells screens what changed."""

from __future__ import annotations

import threading
from collections.abc import Callable

from aipc_app.domain.jobs import Changes

Listener = Callable[[Changes], None]


class ChangeBus:
    """Publish from any thread; listeners are called on the publishing thread and must be quick."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []
        self._lock = threading.Lock()

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Returns how to stop listening."""
        with self._lock:
            self._listeners.append(listener)
        return lambda: self._drop(listener)

    def publish(self, changes: Changes) -> None:
        with self._lock:
            listeners = tuple(self._listeners)
        for listener in listeners:
            listener(changes)

    def _drop(self, listener: Listener) -> None:
        with self._lock:
            if listener in self._listeners:
                self._listeners.remove(listener)
