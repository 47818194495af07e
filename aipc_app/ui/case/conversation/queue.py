"""Questions that wait until their documents are read: one after another, this PC kept awake, the user told."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from aipc_app.domain.answers import Answer, Question
from aipc_app.operations import remembering
from aipc_app.ui.bridge.lanes import Lane
from aipc_app.ui.bridge.running import Running
from aipc_app.ui.context import UiContext
from aipc_app.ui.problems import translate_error


@dataclass(frozen=True)
class Waiting:
    """One question; `question()` makes it when its turn comes, so that it goes on with the conversation as it is then.

    `take(batch)`, `failed(sentence)` and `ended()` show it, as long as somebody looks at it.
    """

    text: str
    question: Callable[[], Question]
    take: Callable[[tuple[object, ...]], object]
    done: Callable[[Answer], object]
    failed: Callable[[str], object]
    ended: Callable[[], object]


class QuestionQueue(QObject):
    """Lives as long as the pane it belongs to. `changed` when a question came, began or ended."""

    changed = Signal()

    def __init__(self, context: UiContext, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._waiting: deque[Waiting] = deque()
        self._now: Waiting | None = None
        self._running: Running | None = None

    def __len__(self) -> int:
        return len(self._waiting) + (self._now is not None)

    def add(self, waiting: Waiting) -> None:
        """Answer it when those before are answered and its documents are read."""
        self._context.awake.hold(self, self._context.words("remembered.reading"))
        self._waiting.append(waiting)
        self._next()

    def cancel(self, waiting: Waiting) -> None:
        """Take it out; what was read for it stays remembered."""
        if waiting is self._now and self._running is not None:
            self._running.cancel()
        elif waiting in self._waiting:
            self._waiting.remove(waiting)
            waiting.ended()
            self._rest_if_empty()

    def _next(self) -> None:
        if self._now is None and self._waiting:
            self._now = waiting = self._waiting.popleft()
            bridge = self._context.bridge
            self._running = bridge.start(
                remembering.ask_when_read(bridge.services, question=waiting.question()), self, lane=Lane.READ,
                events=waiting.take, done=lambda answer: self._done(waiting, answer),
                failed=lambda error: self._failed(waiting, error), ended=lambda: self._ended(waiting))
        self.changed.emit()

    def _done(self, waiting: Waiting, answer: Answer) -> None:
        waiting.done(answer)
        if not answer.stopped:
            words = self._context.words
            self._context.notices.call(words("ask.answered_title"), words("ask.answered", question=waiting.text))

    def _failed(self, waiting: Waiting, error: BaseException) -> None:
        words = self._context.words
        sentence = translate_error(error, words).sentence
        waiting.failed(sentence)
        self._context.notices.call(
            words("ask.answered_title"), words("ask.not_answered", question=waiting.text, reason=sentence))

    def _ended(self, waiting: Waiting) -> None:
        self._now, self._running = None, None
        waiting.ended()
        self._next()
        self._rest_if_empty()

    def _rest_if_empty(self) -> None:
        if not len(self):
            self._context.awake.release(self)
        self.changed.emit()
