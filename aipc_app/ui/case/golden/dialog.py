"""Write a golden question, and what its answer must say."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QDialog, QLineEdit, QPlainTextEdit, QWidget

from aipc_app.ui.widgets.basics import button, column, label, row
from aipc_app.ui.words import Words

_LINES = 4


class GoldenDialog(QDialog):
    """One question and, a line each, what must stand in its answer."""

    def __init__(self, parent: QWidget, words: Words, question: str = "", expected: str = "") -> None:
        super().__init__(parent)
        self.setWindowTitle(words("golden.dialog"))
        self.setMinimumWidth(460)
        inside = column(self, margin=20, gap=8)
        inside.addWidget(label(words("golden.dialog"), "heading"))
        inside.addWidget(label(words("golden.question"), "muted"))
        self.question = QLineEdit(question)
        self.question.setAccessibleName(words("golden.question"))
        self.question.setCursorPosition(0)
        inside.addWidget(self.question)
        inside.addWidget(label(words("golden.expected"), "muted"))
        self.expected = QPlainTextEdit(expected)
        self.expected.setAccessibleName(words("golden.expected"))
        self.expected.setTabChangesFocus(True)
        self.expected.setFixedHeight(self.expected.fontMetrics().lineSpacing() * _LINES + 18)
        inside.addWidget(self.expected)
        inside.addWidget(label(words("golden.expected_hint"), "small", wrap=True))
        buttons = row()
        buttons.addStretch(1)
        buttons.addWidget(button(words, "dialog.cancel", self.reject))
        self.accept_button = button(words, "golden.save", self.accept, "primary")
        self.accept_button.setDefault(True)
        buttons.addWidget(self.accept_button)
        inside.addLayout(buttons)
        self.question.textChanged.connect(lambda now: self.accept_button.setEnabled(bool(now.strip())))
        self.accept_button.setEnabled(bool(question.strip()))


def ask_golden(
    parent: QWidget, words: Words, then: Callable[[str, str], object], question: str = "", expected: str = ""
) -> GoldenDialog:
    """Open the dialog without stopping the window; `then` gets question and expectation."""
    dialog = GoldenDialog(parent, words, question, expected)
    dialog.accepted.connect(lambda: then(dialog.question.text(), dialog.expected.toPlainText()))
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()
    return dialog
