"""A user's stop reaches the engine while the thread that asked it waits."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_POLL_S = 0.1


@contextmanager
def cancelling(cancel: threading.Event, stop: Callable[[], None]) -> Iterator[None]:
    """While this is open, setting `cancel` calls `stop`, once, on a thread of its own."""
    over = threading.Event()

    def watch() -> None:
        while not over.is_set():
            if cancel.wait(_POLL_S):
                stop()
                return

    watcher = threading.Thread(target=watch, name="answer-cancel", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()
