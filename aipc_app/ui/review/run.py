"""The review that is being worked out, whichever case is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from aipc_app.domain.documents import Document
from aipc_app.domain.jobs import Changes
from aipc_app.domain.review import Review, ReviewBegun, ReviewState
from aipc_app.operations import documents, reviewing
from aipc_app.operations.op import Op
from aipc_app.ui.bridge.lanes import Lane
from aipc_app.ui.bridge.running import Running
from aipc_app.ui.context import UiContext


@dataclass(frozen=True)
class FilesRead:
    """How many files can be read by now, or could not be."""

    done: int
    total: int


class ReviewRun(QObject):
    """One at a time; it goes on while another case or screen is looked at.

    Signals: `changed` when it began or ended, `events(tuple)` of `ReviewEvent`, float while a model loads and
    `FilesRead` while files are read first, `ended(Review)`.
    """

    changed = Signal()
    events = Signal(tuple)
    ended = Signal(object)

    def __init__(self, context: UiContext, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._running: Running | None = None
        self.case_id: int | None = None
        self.review_id: int | None = None
        self._waits, self._template = False, ""  # for files to be read
        context.bridge.changed.connect(self._look)

    @property
    def busy(self) -> bool:
        return self._running is not None or self._waits

    @property
    def stopping(self) -> bool:
        return self._running is not None and self._running.cancelled

    def start(self, case_id: int, template: str) -> None:
        """Begin, or go on with one of this template that is not done."""
        services = self._context.services
        self._run(case_id, None, reviewing.review_case(services, case_id=case_id, template=template))

    def ask_each(self, case_id: int, question: str) -> None:
        """One question of every document."""
        services = self._context.services
        self._run(case_id, None, reviewing.ask_each_document(services, case_id=case_id, question=question))

    def ask_list(self, case_id: int, asked: Sequence[str]) -> None:
        """A list of questions over the whole case."""
        services = self._context.services
        self._run(case_id, None, reviewing.ask_questions(services, case_id=case_id, asked=asked))

    def do_task(self, case_id: int, task: str) -> None:
        """A task in the user's own words."""
        services = self._context.services
        self._run(case_id, None, reviewing.do_task(services, case_id=case_id, task=task))

    def resume(self, case_id: int, review_id: int) -> None:
        services = self._context.services
        self._run(case_id, review_id, reviewing.resume_review(services, review_id=review_id))

    def read_first(self, case_id: int, paths: Sequence[Path], template: str) -> None:
        """Take files in, wait until each can be read or could not be, then begin."""
        if self.busy:
            return
        self.case_id, self.review_id, self._template = case_id, None, template
        bridge = self._context.bridge
        op = documents.add_files(bridge.services, case_id=case_id, paths=paths)
        self._running = bridge.start(op, self, lane=Lane.WORK, done=self._taken_in, ended=self._now_read)
        self.changed.emit()

    def _taken_in(self, _added: object) -> None:
        """The files are queued; whoever stopped meanwhile keeps them, without a review."""
        self._waits = not self.stopping

    def _now_read(self) -> None:
        self._running = None
        self.changed.emit()
        self._look()

    def _look(self, changes: Changes | None = None) -> None:
        """Whether all is read by now."""
        concerned = changes is None or changes.jobs or self.case_id in changes.documents
        if self._waits and concerned and self.case_id is not None:
            bridge = self._context.bridge
            bridge.start(documents.list_documents(bridge.services, case_id=self.case_id), self, done=self._count)

    def _count(self, found: tuple[Document, ...]) -> None:
        if not self._waits or self.case_id is None:
            return
        read = sum(1 for one in found if one.status.readable or one.status.settled)
        self.events.emit((FilesRead(read, len(found)),))
        if read == len(found):
            self._waits = False
            self.start(self.case_id, self._template)

    def stop(self) -> None:
        """What is done is kept."""
        self._waits = False
        if self._running is not None:
            self._running.cancel()
        self.changed.emit()

    def _run(self, case_id: int, review_id: int | None, op: Op[Review]) -> None:
        if self.busy:
            return
        self.case_id, self.review_id = case_id, review_id
        self._context.awake.hold(self, self._context.words("review.awake"))
        self._running = self._context.bridge.start(
            op, self, lane=Lane.READ, events=self._tell, done=self._done, ended=self._free)
        self.changed.emit()

    def _tell(self, events: tuple[Any, ...]) -> None:
        for event in events:
            if isinstance(event, ReviewBegun):
                self.review_id = event.review.id
        self.events.emit(events)

    def _done(self, review: Review) -> None:
        words = self._context.words
        if review.state is ReviewState.DONE:
            self._context.notices.call(words("review.ready"), words("review.ready_sentence",
                                       title=review.template.title.of(words.language)))
        self.ended.emit(review)

    def _free(self) -> None:
        self._running = None
        self._context.awake.release(self)
        self.changed.emit()
