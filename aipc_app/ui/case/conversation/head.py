"""Over the conversation: past ones, a new one, export."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QFrame

from aipc_app.ui.case.conversation.history import HistoryPanel
from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.basics import button, icon_button, row, said, with_icon


class ConversationHead(QFrame):
    """`chosen(id)` and `deleted(id)` of a past conversation, `new`, `export`."""

    chosen = Signal(int)
    deleted = Signal(int)
    new = Signal()
    export = Signal()

    def __init__(self, context: UiContext) -> None:
        super().__init__()
        self._context = context
        self._case_id: int | None = None
        self.panel: HistoryPanel | None = None
        self.setProperty("kind", "bar")
        words, look = context.words, context.look
        inside = row(self, gap=2)
        inside.setContentsMargins(18, 6, 8, 6)
        inside.addWidget(said(words, "ask.title", "heading"))
        inside.addStretch(1)
        self.history = button(words, "history.open", self.open_history, "plain")
        with_icon(self.history, look, "clock")
        self.start = button(words, "history.new", self.new.emit, "plain")
        with_icon(self.start, look, "plus")
        self.save = icon_button(words, look, "export", "export.open", self.export.emit)
        for widget in (self.history, self.start, self.save):
            inside.addWidget(widget)

    def show_scope(self, case_id: int | None) -> None:
        self._case_id = case_id

    def open_history(self) -> None:
        """The list of past conversations, below the button."""
        if self.panel is None:
            self.panel = HistoryPanel(self.window(), self._context)
            self.panel.chosen.connect(self.chosen)
            self.panel.deleted.connect(self.deleted)
        corner = self.history.mapTo(self.window(), QPoint(self.history.width(), self.history.height()))
        self.panel.open_at(corner.x(), corner.y() + 4, self._case_id)
