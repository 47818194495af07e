"""The list of jobs: what runs, what waits, what failed and why; retry and cancel."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QPushButton, QScrollArea, QWidget

from aipc_app.domain.jobs import Indexing, Job, JobState
from aipc_app.operations import documents
from aipc_app.ui.bridge.lanes import Lane
from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.basics import button, clear, column, frame, icon_button, label, row, said
from aipc_app.ui.widgets.elided import ElidedLabel
from aipc_app.ui.widgets.figures import roughly

MOST_ROWS = 60  # drawn: more take long to make, and nobody reads them


class JobsPanel(QFrame):
    """Floats over the window."""

    def __init__(self, window: QWidget, context: UiContext) -> None:
        super().__init__(window)
        self._context = context
        self._shown: tuple[tuple[int, JobState, str | None], ...] = ()
        self._bars: dict[int, QProgressBar] = {}
        self.setObjectName("jobsPanel")
        self.setProperty("kind", "card")
        self.setFixedSize(420, 380)
        inside = column(self, gap=8)
        inside.setContentsMargins(14, 10, 10, 12)
        head = row()
        head.addWidget(said(context.words, "jobs.title", "heading"))
        head.addStretch(1)
        head.addWidget(icon_button(context.words, context.look, "close", "jobs.close", self.hide))
        inside.addLayout(head)
        inside.addLayout(self._state_line())
        self._none = said(context.words, "jobs.none", "muted", wrap=True)
        self._none.hide()  # nothing is said before the jobs were looked at
        inside.addWidget(self._none)
        self._area = QScrollArea(widgetResizable=True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        sheet = QWidget()
        sheet.setProperty("kind", "sheet")
        whole, self._rows = column(sheet), column(gap=6)
        whole.addLayout(self._rows)
        whole.addStretch(1)
        self._area.setWidget(sheet)
        inside.addWidget(self._area, 1)
        self.hide()

    def open_at(self, left: int, bottom: int) -> None:
        self.move(left, max(bottom - self.height(), 8))
        self.show()
        self.raise_()
        self.setFocus()

    def show_indexing(self, now: Indexing) -> None:
        """Whether it is paused, and how long the rest takes where that is known."""
        words, waits = self._context.words, now.pending.read_documents + now.pending.embed_documents > 0
        told = ""
        if now.paused:
            told = words("jobs.paused")
        elif waits and now.seconds_left is not None:
            told = words("jobs.left", took=roughly(now.seconds_left))
        self.state.setText(told)
        self.pause.setVisible(waits and not now.paused)
        self.resume.setVisible(now.paused)

    def _state_line(self) -> QHBoxLayout:
        across = row(gap=8)
        self.state = label(kind="small", wrap=True)
        self.pause = button(self._context.words, "jobs.pause", lambda: self._pause(True), "link")
        self.resume = button(self._context.words, "jobs.resume", lambda: self._pause(False), "link")
        across.addWidget(self.state, 1)
        across.addWidget(self.pause)
        across.addWidget(self.resume)
        self.pause.hide()
        self.resume.hide()
        return across

    def _pause(self, on: bool) -> None:
        bridge = self._context.bridge
        bridge.start(documents.pause_indexing(bridge.services, on=on), self, done=self.show_indexing)

    def show_jobs(self, jobs: Sequence[Job]) -> None:
        """Anew where others are to be seen; else only how far they are."""
        self._none.setVisible(not jobs)
        now = tuple((job.id, job.state, job.reason) for job in jobs)
        if now != self._shown:
            self._shown = now
            self._bars.clear()
            clear(self._rows)
            for job in jobs:
                self._rows.addWidget(self._row(job))
        for job in jobs:
            if job.id in self._bars:
                self._bars[job.id].setValue(int(job.progress * 100))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.hide()
        else:
            super().keyPressEvent(event)

    def _row(self, job: Job) -> QFrame:
        words = self._context.words
        made = frame("quiet-card")
        inside = column(made, gap=3)
        inside.setContentsMargins(10, 7, 8, 7)
        top = row(gap=6)
        top.addWidget(ElidedLabel(job.document, "strong", middle=True), 1)
        top.addWidget(self._action(job))
        inside.addLayout(top)
        state = words(f"jobs.{job.kind.value}_{job.state.value}")
        inside.addWidget(label(f"{state}: {words.sentence(job.reason)}" if job.reason else state, "small", wrap=True))
        if job.state is JobState.RUNNING:
            self._bars[job.id] = bar = QProgressBar(textVisible=False)
            bar.setRange(0, 100)
            inside.addWidget(bar)
        return made

    def _action(self, job: Job) -> QPushButton:
        bridge, services = self._context.bridge, self._context.services
        failed = job.state is JobState.FAILED
        op = (documents.retry_document if failed else documents.cancel_document)
        made = button(
            self._context.words, "jobs.retry" if failed else "jobs.cancel",
            lambda: bridge.start(op(services, document_id=job.document_id), self, lane=Lane.WORK), "link")
        made.setAccessibleName(f"{made.text()}: {job.document}")
        return made
