"""What the window tells without being asked: problems, and deeds that can be undone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from aipc_app.ui.problems import Problem, translate_error
from aipc_app.ui.words import Words


@dataclass(frozen=True)
class Arrival:
    """What the user waited for, maybe while looking elsewhere."""

    title: str
    sentence: str


@dataclass(frozen=True)
class Undoable:
    """A deed with a way back. `expired` is called when the way back is closed, if given."""

    sentence: str
    undo: Callable[[], None] | None = None
    expired: Callable[[], None] | None = None


class Notices(QObject):
    """Screens call it; the window shows it."""

    problem = Signal(object)  # Problem
    told = Signal(object)  # Undoable
    arrived = Signal(object)  # Arrival
    settle = Signal()  # close the way back of what is shown now

    def __init__(self, words: Words) -> None:
        super().__init__()
        self._words = words

    def show_error(self, error: BaseException) -> None:
        """The one place where an error reaches the screen."""
        self.show_problem(translate_error(error, self._words))

    def show_problem(self, problem: Problem) -> None:
        self.problem.emit(problem)

    def call(self, title: str, sentence: str) -> None:
        """A short note too, and a sign outside of the window for a user who looks elsewhere."""
        self.tell(sentence)
        self.arrived.emit(Arrival(title, sentence))

    def tell(
        self, sentence: str, *, undo: Callable[[], None] | None = None, expired: Callable[[], None] | None = None
    ) -> None:
        """A short note at the foot of the window, with a button when it can be undone."""
        self.told.emit(Undoable(sentence, undo, expired))
