"""A problem across the top of the window: calm, until it is closed."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QPushButton

from aipc_app.ui.problems import Problem, Remedy
from aipc_app.ui.theme.look import Look
from aipc_app.ui.widgets.basics import announce, icon_button, label, row, themed, tone
from aipc_app.ui.words import Words


class Banner(QFrame):
    """Shows one `Problem`; a later one takes its place. `remedy` when its button is pressed."""

    remedy = Signal(object)

    def __init__(self, words: Words, look: Look) -> None:
        super().__init__()
        self.setObjectName("banner")
        self.setProperty("kind", "banner")
        self._words, self._problem = words, Problem("")
        inside = row(self, gap=10)
        inside.setContentsMargins(16, 8, 10, 8)
        mark = label()
        themed(mark, look, lambda: mark.setPixmap(look.icon("warning", look.tokens.bad).pixmap(18, 18)))
        self.text = label(wrap=True)
        self.text.setAccessibleName(words("problem.name"))
        self.action = QPushButton()
        self.action.clicked.connect(self._act)
        close = icon_button(words, look, "close", "problem.close", self.hide)
        inside.addWidget(mark)
        inside.addWidget(self.text, 1)
        inside.addWidget(self.action)
        inside.addWidget(close)
        tone(self, "bad")
        self.hide()

    def show_problem(self, problem: Problem) -> None:
        self._problem = problem
        self.text.setText(problem.sentence)
        self.action.setVisible(problem.remedy is not Remedy.NONE)
        if problem.remedy is Remedy.RELOAD:
            self.action.setText(self._words("problem.reload"))
        self.show()
        announce(self, problem.sentence)

    def _act(self) -> None:
        self.hide()
        self.remedy.emit(self._problem.remedy)
