"""What a screen shows when there is nothing yet: why, and what to do."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from aipc_app.ui.theme.look import Look
from aipc_app.ui.widgets.basics import column, label, said, themed
from aipc_app.ui.words import Words


class EmptyState(QWidget):
    """An icon, a sentence, a hint, and room for buttons below (`self.buttons`)."""

    def __init__(self, words: Words, look: Look, icon: str, title: str, hint: str) -> None:
        super().__init__()
        inside = column(self, margin=24, gap=8)
        inside.addStretch(1)
        mark = label()
        mark.setAlignment(Qt.AlignmentFlag.AlignCenter)
        themed(mark, look, lambda: mark.setPixmap(look.icon(icon, look.tokens.faint).pixmap(36, 36)))
        self.title = said(words, title, "heading", wrap=True)
        self.hint = said(words, hint, "muted", wrap=True)
        for text in (self.title, self.hint):
            text.setAlignment(Qt.AlignmentFlag.AlignCenter)
        for widget in (mark, self.title, self.hint):
            inside.addWidget(widget)
        self.buttons = column(gap=8)
        self.buttons.setAlignment(Qt.AlignmentFlag.AlignCenter)
        inside.addLayout(self.buttons)
        inside.addStretch(2)
