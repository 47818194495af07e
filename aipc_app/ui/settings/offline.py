"""For a security officer: how often the program tried to reach a network, and how that is counted."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame

from aipc_app.operations.offline import OfflineReport, offline_report
from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.basics import column, label, row, said, themed


class OfflineCard(QFrame):
    """Looked up whenever it is shown."""

    def __init__(self, context: UiContext) -> None:
        super().__init__()
        self._context = context
        self._report: OfflineReport | None = None
        self.setProperty("kind", "card")
        across = row(self, gap=14)
        across.setContentsMargins(18, 13, 18, 13)
        shield, look = label(), context.look
        themed(shield, look, lambda: shield.setPixmap(look.icon("shield", look.tokens.good).pixmap(24, 24)))
        across.addWidget(shield, alignment=Qt.AlignmentFlag.AlignTop)
        texts = column(gap=3)
        self.count, self.ever, self.server = label(kind="strong"), label(kind="small", wrap=True), label(wrap=True)
        self.ever.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        texts.addWidget(self.count)
        texts.addWidget(self.server)
        texts.addWidget(said(context.words, "offline.how", "small", wrap=True))
        texts.addWidget(self.ever)
        across.addLayout(texts, 1)
        context.words.changed.connect(self._say)
        self._say()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        bridge = self._context.bridge
        bridge.start(offline_report(bridge.services), self, done=self._show)

    def _show(self, report: OfflineReport) -> None:
        self._report = report
        self._say()

    def _say(self) -> None:
        words, report = self._context.words, self._report
        self.count.setText(words("offline.count", count=report.since_start) if report else words("offline.looking"))
        if report is None:
            return
        self.ever.setText(words("offline.ever", count=report.ever, log=report.log))
        key = "offline.server" if report.server else "offline.no_server"
        self.server.setText(words(key, server=report.server or ""))
