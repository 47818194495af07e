"""A line to search in."""

from __future__ import annotations

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLineEdit

from aipc_app.ui.theme.look import Look
from aipc_app.ui.widgets.basics import themed
from aipc_app.ui.words import Words


class SearchField(QLineEdit):
    """With a glass and a button that empties it. `key` is its placeholder and its name."""

    def __init__(self, words: Words, look: Look, key: str) -> None:
        super().__init__()
        self.setClearButtonEnabled(True)
        glass = QAction(self)
        self.addAction(glass, QLineEdit.ActionPosition.LeadingPosition)
        themed(self, look, lambda: glass.setIcon(look.icon("search", look.tokens.faint)))
        clear = self.findChild(QAction, "_q_qlineeditclearaction")
        if clear is not None:
            themed(self, look, lambda: clear.setIcon(look.icon("close")))
        words.bind(self, self.setPlaceholderText, key)
        words.bind(self, self.setAccessibleName, key)
