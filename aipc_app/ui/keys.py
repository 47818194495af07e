"""Key sequences, given to the screen that is looked at; F1 shows them all."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol, runtime_checkable

from PySide6.QtCore import QObject
from PySide6.QtGui import QKeySequence, QShortcut

from aipc_app.ui.commands import HELP_KEY, KEYS, SCREEN_KEYS, Command
from aipc_app.ui.context import UiContext
from aipc_app.ui.help import HelpOverlay
from aipc_app.ui.screens import Screen
from aipc_app.ui.window import Window


@runtime_checkable
class Commanded(Protocol):
    """A screen that takes commands; True when it did."""

    def command(self, command: Command) -> bool: ...


class Keyboard(QObject):
    """Owns the window's shortcuts."""

    def __init__(self, window: Window, context: UiContext) -> None:
        super().__init__(window)
        self._window, self._context = window, context
        self.help: HelpOverlay | None = None
        for keys in KEYS:
            self._on(keys.sequence, partial(self.give, keys.command))
        for sequence, screen in SCREEN_KEYS:
            self._on(sequence, partial(self._show, screen))
        self._on(HELP_KEY, self.show_help)

    def give(self, command: Command) -> bool:
        """To the screen that is looked at, once there are services; Esc first closes the help."""
        if command is Command.STOP and self.help is not None and self.help.isVisible():
            self.help.hide()
            return True
        if not self._context.bridge.ready:
            return False
        screen = self._window.stack.currentWidget()
        if isinstance(screen, Commanded) and screen.command(command):
            return True
        if command is not Command.NEW:
            return False
        self._window.show_screen(Screen.CASES)
        return self.give(command)

    def show_help(self) -> None:
        """All key sequences over the window; again: away."""
        if self.help is None:
            self.help = HelpOverlay(self._window, self._context.words)
        if self.help.isVisible():
            self.help.hide()
        else:
            self.help.open()

    def _show(self, screen: Screen) -> None:
        if self._context.bridge.ready:
            self._window.show_screen(screen)

    def _on(self, sequence: str, act: Callable[[], object]) -> None:
        shortcut = QShortcut(QKeySequence(sequence), self._window)
        shortcut.activated.connect(lambda: act())
