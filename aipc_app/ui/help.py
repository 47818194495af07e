"""The key sequences, over the window."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QFrame, QGridLayout, QWidget

from aipc_app.ui.commands import HELP_KEY, KEYS, SCREEN_KEYS
from aipc_app.ui.widgets.basics import column, label, said
from aipc_app.ui.words import Words

_IN_LISTS = (("F2", "help.rename"), ("Del", "help.remove"), ("Space", "help.check"), ("Alt+Up", "help.move"))


class HelpOverlay(QFrame):
    """Closes on Esc, F1 or a click."""

    def __init__(self, window: QWidget, words: Words) -> None:
        super().__init__(window)
        self._window = window
        self.setObjectName("helpOverlay")
        self.setProperty("kind", "card")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        words.bind(self, self.setAccessibleName, "help.title")
        inside = column(self, margin=22, gap=12)
        inside.addWidget(said(words, "help.title", "heading"))
        grid = QGridLayout()
        grid.setHorizontalSpacing(14)
        grid.setVerticalSpacing(7)
        entries = [(keys.sequence, f"help.{keys.command.value}") for keys in KEYS]
        entries += [(sequence, f"rail.{screen.value}") for sequence, screen in SCREEN_KEYS]
        entries += [("Return", "help.send"), ("Shift+Return", "help.newline"), *_IN_LISTS, (HELP_KEY, "help.open")]
        rows = (len(entries) + 1) // 2
        for number, (sequence, key) in enumerate(entries):
            across, down = (number // rows) * 2, number % rows
            shown = QKeySequence(sequence).toString(QKeySequence.SequenceFormat.NativeText)
            grid.addWidget(label(shown, "pill"), down, across, Qt.AlignmentFlag.AlignLeft)
            grid.addWidget(said(words, key), down, across + 1)
        inside.addLayout(grid)
        self.hide()

    def open(self) -> None:
        window = self._window
        self.adjustSize()
        self.move((window.width() - self.width()) // 2, (window.height() - self.height()) // 2)
        self.show()
        self.raise_()
        self.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.hide()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: object) -> None:
        self.hide()
