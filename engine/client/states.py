"""The state of an engine, and who wants to hear of its changes."""

from __future__ import annotations

import threading
from collections.abc import Callable

from engine.types.model import EngineState, EngineStopped


class StateBoard:
    """Any thread; listeners are called on the thread that announces, outside the lock. Once `over`, it is stopped."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listeners: list[Callable[[EngineState], None]] = []
        self.state: EngineState = EngineStopped()
        self.over = False

    def subscribe(self, listener: Callable[[EngineState], None]) -> Callable[[], None]:
        """Returns how to stop hearing."""
        with self._lock:
            self._listeners.append(listener)

        def stop() -> None:
            with self._lock:
                if listener in self._listeners:
                    self._listeners.remove(listener)

        return stop

    def announce(self, state: EngineState) -> None:
        """From now on it is this."""
        with self._lock:
            self.state = told = EngineStopped() if self.over else state
            listeners = list(self._listeners)
        for listener in listeners:
            listener(told)
