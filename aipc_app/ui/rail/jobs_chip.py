"""Indexing at a glance; a click opens the list of jobs."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QProgressBar, QPushButton, QSizePolicy

from aipc_app.domain.jobs import Changes, JobsGlance
from aipc_app.operations import documents
from aipc_app.ui.bridge.running import Running
from aipc_app.ui.context import UiContext
from aipc_app.ui.rail.jobs_panel import MOST_ROWS, JobsPanel
from aipc_app.ui.rail.tally import Tally, tally
from aipc_app.ui.widgets.basics import column, label, row, themed
from aipc_app.ui.widgets.elided import ElidedLabel

_PAUSE_MS = 100  # at least, between two looks at the jobs
_JOBS_A_MS = 10  # the more there are, the longer the pause


class JobsChip(QPushButton):
    """"3 of 12 indexed", and how many failed."""

    def __init__(self, context: UiContext) -> None:
        super().__init__()
        self._context = context
        self.tally = Tally()
        self._asked: Running | None = None
        self._again = False
        self._pause = QTimer(self, singleShot=True)
        self._pause.timeout.connect(self._after_pause)
        self.setProperty("kind", "chip")
        self.setObjectName("jobsChip")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._mark, self._text, self._bar = label(), ElidedLabel(), QProgressBar()
        self._bar.setTextVisible(False)
        self.panel: JobsPanel | None = None
        self._lay_out()
        self.clicked.connect(self.open_panel)
        context.bridge.changed.connect(self._changed)
        context.bridge.attached.connect(self.reload)
        context.words.changed.connect(self._refresh)
        themed(self, context.look, self._refresh)

    def set_narrow(self, narrow: bool) -> None:
        self._text.setVisible(not narrow)

    def reload(self) -> None:
        bridge = self._context.bridge
        if self._asked is not None or self._pause.isActive():
            self._again = True  # one look at a time: thousands of jobs change faster than they are looked at
            return
        self._again = False
        glance = documents.jobs_at_a_glance(bridge.services)
        self._asked = bridge.start(glance, self, done=self._show, ended=self._looked)
        if self.panel is not None and self.panel.isVisible():
            self._fill_panel(self.panel)

    def _looked(self) -> None:
        self._asked = None
        self._pause.start(_PAUSE_MS + len(self.tally.pending) // _JOBS_A_MS)

    def _after_pause(self) -> None:
        if self._again and self._context.bridge.ready:
            self.reload()

    def open_panel(self) -> None:
        """The list of jobs, beside the chip."""
        if not self._context.bridge.ready:
            return
        if self.panel is None:
            self.panel = JobsPanel(self.window(), self._context)
        self._fill_panel(self.panel)
        corner = self.mapTo(self.window(), self.rect().topRight())
        self.panel.open_at(corner.x() + 16, corner.y() + self.height())

    def _lay_out(self) -> None:
        inside = column(self, gap=4)
        inside.setContentsMargins(10, 7, 8, 7)
        across = row(gap=8)
        across.addWidget(self._mark)
        across.addWidget(self._text, 1)
        inside.addLayout(across)
        inside.addWidget(self._bar)
        for part in (self._mark, self._text, self._bar):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def _changed(self, changes: Changes) -> None:
        if changes.jobs or changes.documents:
            self.reload()

    def _show(self, now: JobsGlance) -> None:
        before, self.tally = self.tally, tally(self.tally, now)
        if self.tally != before:
            self._refresh()

    def _fill_panel(self, panel: JobsPanel) -> None:
        bridge = self._context.bridge
        bridge.start(documents.foremost_jobs(bridge.services, most=MOST_ROWS), panel, done=panel.show_jobs)
        bridge.start(documents.indexing(bridge.services), panel, done=panel.show_indexing)

    def _refresh(self) -> None:
        tokens, now = self._context.look.tokens, self.tally
        icon, colour = ("working", tokens.accent) if now.busy else (
            ("warning", tokens.warn) if now.failed else ("check", tokens.good))
        self._mark.setPixmap(self._context.look.icon(icon, colour).pixmap(18, 18))
        self._text.setText(self._sentence(now))
        self._bar.setVisible(now.busy)
        self._bar.setRange(0, max(len(now.seen), 1))
        self._bar.setValue(now.done)
        self.setAccessibleName(self._text.text())
        self.setToolTip(self._text.text())
        self.setFixedHeight(self._text.sizeHint().height() + (24 if now.busy else 16))

    def _sentence(self, now: Tally) -> str:
        words = self._context.words
        parts = [words("jobs.progress", done=now.done, total=len(now.seen))] if now.busy else []
        if now.failed:
            parts.append(words("jobs.failed", count=now.failed))
        return " · ".join(parts) or words("jobs.idle")
