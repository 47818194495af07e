"""A thread that works through what is queued, sleeps when there is nothing, and can be woken, paused and ended."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable

from aipc_app.errors import StorageError
from aipc_app.log import INGEST

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 30.0


class Backoff:
    """Pauses that double with each failure in a row."""

    def __init__(self) -> None:
        self.failures = 0

    def next_pause_s(self) -> float:
        pause = min(FIRST_PAUSE_S * 2.0**self.failures, LONGEST_PAUSE_S)
        self.failures += 1
        return float(pause)

    def reset(self) -> None:
        self.failures = 0


class Lane:
    """Calls `step` again and again on its own thread.

    `step` returns how long to sleep before the next call, in seconds: 0 for not at all, None until `wake`.
    A StorageError from it is kept in `problem`, and it is tried again later, ever more seldom.
    """

    def __init__(self, name: str, step: Callable[[], float | None]) -> None:
        self._step = step
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._backoff = Backoff()
        self.problem: StorageError | None = None
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    @property
    def stopping(self) -> bool:
        return self._stopping.is_set()

    def start(self) -> None:
        self._thread.start()

    def wake(self) -> None:
        """There may be something to do."""
        self._wake.set()

    def ask_to_stop(self) -> None:
        """No further step is begun."""
        self._stopping.set()
        self._wake.set()

    def join(self, timeout_s: float) -> bool:
        """Wait for the step that is under way; False when it is not over in time (the thread then ends by itself)."""
        if self._thread.is_alive():
            self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while not self.stopping:
            self._wake.clear()
            pause = self._guarded_step()
            if pause is None or pause > 0:
                self._wake.wait(pause)

    def _guarded_step(self) -> float | None:
        try:
            pause = self._step()
        except StorageError as error:
            self.problem = error
            return self._backoff.next_pause_s()
        except Exception as error:
            log_bug(error)
            return self._backoff.next_pause_s()
        self.problem = None
        self._backoff.reset()
        return pause


def log_bug(error: Exception) -> None:
    """Where an unexpected error came from; not its words, which may be a document's."""
    frames = traceback.extract_tb(error.__traceback__)[-6:]
    places = " < ".join(
        f"{frame.name} {frame.filename.rsplit('/', 1)[-1]}:{frame.lineno}" for frame in reversed(frames)
    )
    INGEST.error("%s at %s", type(error).__name__, places)
