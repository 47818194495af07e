"""A task in the user's own words, to be done step by step."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.basics import button, column, row, said

_LINES = 3


class OwnTask(QWidget):
    """`wanted(task)` to begin it."""

    wanted = Signal(str)

    def __init__(self, context: UiContext) -> None:
        super().__init__()
        words = context.words
        inside = column(self, gap=6)
        inside.addWidget(said(words, "review.task", "heading"))
        inside.addWidget(said(words, "review.task_hint", "muted", wrap=True))
        self.field = QPlainTextEdit()
        self.field.setTabChangesFocus(True)
        self.field.setFixedHeight(self.field.fontMetrics().lineSpacing() * _LINES + 14)
        words.bind(self.field, self.field.setPlaceholderText, "review.task_field")
        words.bind(self.field, self.field.setAccessibleName, "review.task_field")
        inside.addWidget(self.field)
        across = row(gap=6)
        self.start = button(words, "review.task_start", lambda: self.wanted.emit(self.text))
        across.addWidget(self.start)
        across.addStretch(1)
        inside.addLayout(across)
        self.field.textChanged.connect(self._offer)
        self._offer()

    @property
    def text(self) -> str:
        return self.field.toPlainText().strip()

    def _offer(self) -> None:
        self.start.setEnabled(any(character.isalnum() for character in self.text))
