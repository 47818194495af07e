"""One started action as the window sees it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import shiboken6
from PySide6.QtCore import QObject

from aipc_app.errors import Cancelled
from aipc_app.operations.op import Op
from aipc_app.ui.bridge.mailbox import Mailbox

REPAINTS_PER_S = 30
_REST = 3.0  # a receiver that takes long gets its batches further apart: the window has other things to do


class Running:
    """Runs an Op on a lane's thread and delivers events, in batches, and the outcome on the window's thread.

    Nothing is delivered once `owner` is gone. Cancelled before its turn, it is not run if it is `droppable`.
    """

    def __init__(
        self,
        op: Op[Any],
        owner: QObject,
        mailbox: Mailbox,
        *,
        droppable: bool,
        events: Callable[[tuple[Any, ...]], object] | None,
        outcome: Callable[[Running, Any, BaseException | None], None],
    ) -> None:
        self.name, self._droppable = op.name, droppable
        self._op, self._owner, self._mailbox = op, owner, mailbox
        self._events, self._outcome = events, outcome
        self._cancel = threading.Event()
        self._lock = threading.Lock()
        self._waiting: list[Any] = []
        self._flush_due = False
        self._next_flush = 0.0

    @property
    def wanted(self) -> bool:
        """Someone still looks at it."""
        return shiboken6.isValid(self._owner)

    @property
    def cancelled(self) -> bool:
        """It was asked to stop."""
        return self._cancel.is_set()

    def cancel(self) -> None:
        """Ask it to stop; its outcome still comes. Any thread."""
        self._cancel.set()

    def run(self) -> None:
        """On a lane's thread. Every exception becomes the outcome."""
        if self._cancel.is_set() and self._droppable:
            self._end(None, Cancelled())
            return
        try:
            result = self._op.run(self._emit, self._cancel)
        except Exception as error:
            self._end(None, error)
        else:
            self._end(result, None)

    def _emit(self, event: Any) -> None:
        if self._events is None:
            return
        with self._lock:
            self._waiting.append(event)
            if self._flush_due:
                return
            self._flush_due = True
        self._mailbox.post(self._flush_in_time)

    def _flush_in_time(self) -> None:
        wait = self._next_flush - time.monotonic()
        if wait <= 0:
            self._flush()
        else:
            self._mailbox.later(wait, self._flush)

    def _flush(self) -> None:
        with self._lock:
            batch, self._waiting = tuple(self._waiting), []
            self._flush_due = False
        started = time.monotonic()
        if batch and self._events is not None and self.wanted:
            self._events(batch)
        took = time.monotonic() - started
        self._next_flush = started + max(1 / REPAINTS_PER_S, _REST * took)

    def _end(self, result: Any, error: BaseException | None) -> None:
        def deliver() -> None:
            self._flush()
            if self.wanted:
                self._outcome(self, result, error)
        self._mailbox.post(deliver)
