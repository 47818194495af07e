"""The window's only way to work: start an Op, hear of changes and of the engine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from aipc_app.domain.jobs import Changes
from aipc_app.errors import Cancelled
from aipc_app.operations.op import Op
from aipc_app.operations.services import Services
from aipc_app.ui.bridge.lanes import Lane, Lanes
from aipc_app.ui.bridge.mailbox import Mailbox
from aipc_app.ui.bridge.running import Running

Result = TypeVar("Result")
_CHANGES_EVERY_MS = 100
# The rest changes data: what the user asked for is done even while closing.
_DROPPABLE = (Lane.ASK, Lane.READ, Lane.DRAW)
# How soon a computing thread hands the interpreter to the window's. Measured with 2,000 deltas streaming and 50
# documents being read on two busy cores: an event's longest wait is 350 to 1,700 ms with Python's own 5 ms, 190 to
# 1,700 with 2 ms, 50 to 150 with 0.5 ms.
_HAND_OVER_S = 0.0005


class Bridge(QObject):
    """Lives on the window's thread; so do all its signals and callbacks.

    Signals: `attached` when the services are there, `changed(Changes)` gathered over 100 ms,
    `engine_changed(EngineState)`, `failed(error)` for an error that the starter did not take itself.
    """

    attached = Signal()
    changed = Signal(object)
    engine_changed = Signal(object)
    failed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._hand_over_before = sys.getswitchinterval()
        sys.setswitchinterval(_HAND_OVER_S)
        self._mailbox = Mailbox()
        self._lanes = Lanes()
        self._services: Services | None = None
        self._unsubscribe: list[Callable[[], None]] = []
        self._running: set[Running] = set()
        self._gathered = Changes()
        self._gathering = QTimer(self, singleShot=True, interval=_CHANGES_EVERY_MS)
        self._gathering.timeout.connect(self._tell_changes)

    @property
    def ready(self) -> bool:
        return self._services is not None

    @property
    def services(self) -> Services:
        """What operations work with. Raises RuntimeError before `attach`."""
        if self._services is None:
            raise RuntimeError("the services are not attached yet")
        return self._services

    def attach(self, services: Services) -> None:
        """From now on operations can be started."""
        self._services = services
        post = self._mailbox.post
        self._unsubscribe = [
            services.changes.subscribe(lambda changes: post(lambda: self._gather(changes))),
            services.engine.subscribe(lambda state: post(lambda: self.engine_changed.emit(state))),
        ]
        self.attached.emit()
        self.engine_changed.emit(services.engine.state)

    def start(
        self,
        op: Op[Result],
        owner: QObject,
        *,
        lane: Lane = Lane.QUICK,
        done: Callable[[Result], object] | None = None,
        events: Callable[[tuple[Any, ...]], object] | None = None,
        failed: Callable[[BaseException], object] | None = None,
        ended: Callable[[], object] | None = None,
    ) -> Running:
        """Run an Op for `owner`. `ended` comes last, whatever happened; a cancelled Op fails silently."""
        def outcome(running: Running, result: Any, error: BaseException | None) -> None:
            self._running.discard(running)
            if error is None:
                if done is not None:
                    done(result)
            elif not isinstance(error, Cancelled):
                (failed or self.failed.emit)(error)
            if ended is not None:
                ended()

        running = Running(op, owner, self._mailbox, droppable=lane in _DROPPABLE, events=events, outcome=outcome)
        self._running = {other for other in self._running if other.wanted} | {running}
        self._lanes.submit(lane, running.run)
        return running

    def post(self, call: Callable[[], None]) -> None:
        """Run `call` on the window's thread soon. Any thread."""
        self._mailbox.post(call)

    def close(self, timeout_s: float = 3.0) -> bool:
        """Cancel everything, hear no more. True when every thread ended in time."""
        for stop in self._unsubscribe:
            stop()
        for running in self._running:
            running.cancel()
        self._gathering.stop()
        self._mailbox.close()
        sys.setswitchinterval(self._hand_over_before)
        return self._lanes.close(timeout_s)

    def _gather(self, changes: Changes) -> None:
        self._gathered = self._gathered | changes
        if not self._gathering.isActive():
            self._gathering.start()

    def _tell_changes(self) -> None:
        changes, self._gathered = self._gathered, Changes()
        self.changed.emit(changes)
