"""Threads that run operations. Each lane has its own, so that slow work never delays a quick read."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from enum import StrEnum

Work = Callable[[], None]


class Lane(StrEnum):
    """What a piece of work may wait for."""

    QUICK = "quick"  # reads of the store
    WORK = "work"    # adding files, checking models
    ASK = "ask"      # the engine
    READ = "read"    # what the engine does behind questions: a question never waits for a thread of these
    DRAW = "draw"    # page images


_THREADS = {Lane.QUICK: 2, Lane.WORK: 2, Lane.ASK: 2, Lane.READ: 2, Lane.DRAW: 1}


class Lanes:
    """Starts threads at first use. Daemon threads: work that will not end can't keep the program alive."""

    def __init__(self) -> None:
        self._queues: dict[Lane, queue.SimpleQueue[Work | None]] = {lane: queue.SimpleQueue() for lane in Lane}
        self._threads: list[threading.Thread] = []
        self._started: set[Lane] = set()
        self._closed = False

    def submit(self, lane: Lane, work: Work) -> None:
        """Run `work` on the lane after what was submitted before. `work` must not raise."""
        if self._closed:
            return
        if lane not in self._started:
            self._start(lane)
        self._queues[lane].put(work)

    def close(self, timeout_s: float) -> bool:
        """Let the threads end; True when all did within the time."""
        self._closed = True
        for lane in self._started:
            for _ in range(_THREADS[lane]):
                self._queues[lane].put(None)
        for thread in self._threads:
            thread.join(timeout_s / max(len(self._threads), 1))
        return not any(thread.is_alive() for thread in self._threads)

    def _start(self, lane: Lane) -> None:
        self._started.add(lane)
        for number in range(_THREADS[lane]):
            thread = threading.Thread(
                target=self._run, args=(self._queues[lane],), name=f"ui-{lane}-{number}", daemon=True)
            self._threads.append(thread)
            thread.start()

    def _run(self, todo: queue.SimpleQueue[Work | None]) -> None:
        while (work := todo.get()) is not None:
            work()
