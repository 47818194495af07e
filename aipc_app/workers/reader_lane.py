"""One reader process and the queue of what it says; replaced when it has died."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import psutil
from msgspec import Struct

from aipc_app.domain.reader_wire import ReaderReply, ReadFile
from aipc_app.errors import WorkerDied
from aipc_app.workers.memory import MemoryWatch
from engine.errors import EngineError
from engine.wire.child import ChildProcess

_ABORTS = (-6, -5, -4)  # SIGABRT, SIGTRAP, SIGILL: how native code gives up when it gets no memory
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.2, 10.0

_LEAVE_S = 2.0  # the end of its input ends a reader at once, unless native code holds it


class ChildGoneError(Exception):
    """The lane's process ended by itself, was closed, or went over its memory."""

    def __init__(self, status: int, *, closing: bool = False, over_memory: bool = False) -> None:
        super().__init__(f"status {status}")
        self.status, self.closing, self.over_memory = status, closing, over_memory


class Lane:
    """Used by one thread at a time, but for `close`, which may come from any."""

    def __init__(self, command: Sequence[str], log_path: Path) -> None:
        self._command, self._log_path = list(command), log_path
        self._child: ChildProcess[ReaderReply] | None = None
        self._replies: queue.SimpleQueue[ReaderReply | ChildGoneError] = queue.SimpleQueue()
        self._closed = threading.Event()
        self._lock = threading.Lock()  # guards self._child against close()
        self._failures, self._not_before = 0, 0.0
        self._memory: MemoryWatch | None = None

    def start(self, cancel: threading.Event | None = None) -> None:
        """Make sure that a child is there. Raises WorkerDied when none can be started."""
        if self._child is not None and self._child.alive:
            return
        self.drop()
        self._pause(cancel)
        replies: queue.SimpleQueue[ReaderReply | ChildGoneError] = queue.SimpleQueue()
        try:
            with self._lock:
                if self._closed.is_set():
                    raise WorkerDied("The reader is closed.")
                child: ChildProcess[ReaderReply] = ChildProcess(
                    self._command, accepts=ReaderReply, log_path=self._log_path, on_message=replies.put,
                    on_exit=lambda status: replies.put(ChildGoneError(status)),
                )  # fmt: skip
                self._child, self._replies = child, replies
            child.wait_ready()
        except (EngineError, OSError) as error:
            self._failed()
            raise WorkerDied(
                f"The part of the program that reads documents could not be started ({_sentence(error)}); "
                "try again, and install the program again if this stays."
            ) from error
        self._failures = 0

    def send(self, message: Struct) -> None:
        """To the child; a child that is gone is told by `receive`."""
        if self._child is not None:
            if isinstance(message, ReadFile):
                self._memory = MemoryWatch(self._child.pid, message.limits.memory_bytes)
            self._child.send(message)

    def cpu_seconds(self) -> float:
        """What the child, and what it started and waited for, worked so far; 0 when there is none."""
        try:
            times = psutil.Process(self._child.pid).cpu_times() if self._child is not None else ()
        except psutil.Error:
            return 0.0
        return float(sum(times[:4]))  # user, system, and both of its children

    def receive(self, timeout_s: float) -> ReaderReply | None:
        """The next reply, None when there was none in time. Raises ChildGoneError."""
        try:
            reply = self._replies.get(timeout=timeout_s)
        except queue.Empty:
            self._check_memory()
            return None
        if isinstance(reply, ChildGoneError):
            over = self._memory is not None and self._memory.was_near and reply.status in _ABORTS
            self.drop()
            raise ChildGoneError(reply.status, closing=self._closed.is_set(), over_memory=over)
        return reply

    def drop(self) -> None:
        """Kill the child, if any, and wait until it and its thread are gone."""
        with self._lock:
            child, self._child, self._memory = self._child, None, None
        if child is not None:
            child.kill()
            child.close()

    def close(self) -> None:
        """Let the child end, whatever it works on, and start no other; one that doesn't hear is killed."""
        self._closed.set()
        with self._lock:
            child = self._child
        if child is not None:
            child.close(_LEAVE_S)

    def _check_memory(self) -> None:
        if self._memory is not None and self._memory.is_over():
            self.drop()
            raise ChildGoneError(-9, over_memory=True)

    def _failed(self) -> None:
        self.drop()
        pause = min(_FIRST_PAUSE_S * 2.0**self._failures, _LONGEST_PAUSE_S)
        self._failures, self._not_before = self._failures + 1, time.monotonic() + pause

    def _pause(self, cancel: threading.Event | None) -> None:
        """After children that did not start, wait longer each time."""
        while (left := self._not_before - time.monotonic()) > 0 and not self._closed.is_set():
            if cancel is not None and cancel.wait(min(left, 0.05)):
                return
            if cancel is None:
                self._closed.wait(left)


def _sentence(error: Exception) -> str:
    return str(error).rstrip(".")
