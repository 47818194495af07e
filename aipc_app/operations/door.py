"""The door for other programs on this computer, while it is open."""

from __future__ import annotations

import threading
from collections.abc import Callable

from engine.client.serving import Door


class DoorKeeper:
    """At most one door. Any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._door: Door | None = None

    @property
    def door(self) -> Door | None:
        return self._door

    def open(self, make: Callable[[], Door]) -> Door:
        """The door that is open, or a new one. Raises what `make` raises."""
        with self._lock:
            if self._door is None:
                self._door = make()
            return self._door

    def close(self) -> None:
        """Blocks until what is being answered has been stopped."""
        with self._lock:
            door, self._door = self._door, None
            if door is not None:
                door.close()
