"""The user's own questions: one of every document, or a list of them over the case."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.basics import button, column, row, said

_LINES = 4


class OwnQuestions(QWidget):
    """`each_wanted(question)` for every document, `list_wanted(questions)` for the whole case."""

    each_wanted = Signal(str)
    list_wanted = Signal(list)

    def __init__(self, context: UiContext) -> None:
        super().__init__()
        words = context.words
        inside = column(self, gap=6)
        inside.addWidget(said(words, "review.own", "heading"))
        inside.addWidget(said(words, "review.own_hint", "muted", wrap=True))
        self.field = QPlainTextEdit()
        self.field.setTabChangesFocus(True)
        self.field.setFixedHeight(self.field.fontMetrics().lineSpacing() * _LINES + 14)
        words.bind(self.field, self.field.setPlaceholderText, "review.own_field")
        words.bind(self.field, self.field.setAccessibleName, "review.own_field")
        inside.addWidget(self.field)
        buttons = row(gap=6)
        self.each = button(words, "review.ask_each", lambda: self.each_wanted.emit(self.questions[0]))
        self.all = button(words, "review.ask_list", lambda: self.list_wanted.emit(self.questions))
        for widget in (self.each, self.all):
            buttons.addWidget(widget)
        buttons.addStretch(1)
        inside.addLayout(buttons)
        self.field.textChanged.connect(self._offer)
        self._offer()

    @property
    def questions(self) -> list[str]:
        """A line each."""
        return [line.strip() for line in self.field.toPlainText().splitlines() if line.strip()]

    def _offer(self) -> None:
        """Of every document one question is asked at a time."""
        count = len(self.questions)
        self.each.setEnabled(count == 1)
        self.all.setEnabled(count > 0)
