"""The few questions the window asks back."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QDialog, QLineEdit, QWidget

from aipc_app.ui.widgets.basics import button, column, label, row
from aipc_app.ui.words import Words


class NameDialog(QDialog):
    """Asks for one line. `accept_name` may refuse by returning a sentence, shown beside the field."""

    def __init__(
        self, parent: QWidget, words: Words, title: str, action: str, text: str = "", *, secret: bool = False
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(words(title))
        self.setMinimumWidth(380)
        inside = column(self, margin=20, gap=10)
        inside.addWidget(label(words(title), "heading", wrap=True))
        self.field = QLineEdit(text)
        self.field.setAccessibleName(words(title))
        self.field.selectAll()
        if secret:
            self.field.setEchoMode(QLineEdit.EchoMode.Password)
        inside.addWidget(self.field)
        self.accept_button = button(words, action, self.accept, "primary")
        self.accept_button.setDefault(True)
        cancel = button(words, "dialog.cancel", self.reject)
        buttons = row()
        buttons.addStretch(1)
        buttons.addWidget(cancel)
        buttons.addWidget(self.accept_button)
        inside.addLayout(buttons)
        self.field.textChanged.connect(lambda now: self.accept_button.setEnabled(bool(now.strip())))
        self.accept_button.setEnabled(bool(text.strip()))


def ask_name(
    parent: QWidget, words: Words, title: str, action: str, then: Callable[[str], object], text: str = "",
    *, secret: bool = False,
) -> NameDialog:
    """Open a NameDialog without stopping the window; `then` gets the line."""
    dialog = NameDialog(parent, words, title, action, text, secret=secret)
    dialog.accepted.connect(lambda: then(dialog.field.text()))
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()
    return dialog


class ConfirmDialog(QDialog):
    """Says what will be gone for good, and asks."""

    def __init__(self, parent: QWidget, words: Words, title: str, sentence: str, action: str) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setMinimumWidth(400)
        inside = column(self, margin=20, gap=10)
        inside.addWidget(label(title, "heading", wrap=True))
        inside.addWidget(label(sentence, wrap=True))
        self.accept_button = button(words, action, self.accept, "danger")
        cancel = button(words, "dialog.cancel", self.reject)
        cancel.setDefault(True)
        buttons = row()
        buttons.addStretch(1)
        buttons.addWidget(cancel)
        buttons.addWidget(self.accept_button)
        inside.addLayout(buttons)


def confirm(
    parent: QWidget, words: Words, title: str, sentence: str, action: str, then: Callable[[], object]
) -> ConfirmDialog:
    """Open a ConfirmDialog without stopping the window."""
    dialog = ConfirmDialog(parent, words, title, sentence, action)
    dialog.accepted.connect(lambda: then())
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()
    return dialog
