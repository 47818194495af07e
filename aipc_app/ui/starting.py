"""What the middle of the frame shows before there are services, and when they can't be opened."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QStackedWidget

from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.basics import button
from aipc_app.ui.widgets.empty import EmptyState


class StartingPage(QStackedWidget):
    """Quiet while it opens: most starts are over before one can read."""

    def __init__(self, context: UiContext, on_quit: Callable[[], object]) -> None:
        super().__init__()
        self.setProperty("kind", "ground")
        self._opening = EmptyState(context.words, context.look, "clock", "start.opening", "start.opening_hint")
        self.problem = EmptyState(context.words, context.look, "warning", "start.failed", "start.failed")
        self.problem.buttons.addWidget(button(context.words, "start.quit", on_quit, "primary"))
        self.addWidget(self._opening)
        self.addWidget(self.problem)

    def show_failure(self, sentence: str) -> None:
        self.problem.hint.setText(sentence)
        self.setCurrentWidget(self.problem)
