"""Where one goes, and the two chips below."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QButtonGroup, QFrame, QHBoxLayout, QPushButton

from aipc_app.ui.context import UiContext
from aipc_app.ui.rail.engine_chip import EngineChip
from aipc_app.ui.rail.jobs_chip import JobsChip
from aipc_app.ui.screens import IN_RAIL, Screen
from aipc_app.ui.widgets.basics import column, icon_button, label, row, themed

WIDE, NARROW = 196, 60


class Rail(QFrame):
    """`chosen(Screen)` when one is clicked. Icons alone when the window is narrow."""

    chosen = Signal(object)
    help_wanted = Signal()

    def __init__(self, context: UiContext) -> None:
        super().__init__()
        self._context = context
        self._narrow = False
        self.setProperty("kind", "rail")
        self.setObjectName("rail")
        self.setFixedWidth(WIDE)
        self._buttons: dict[Screen, QPushButton] = {}
        self._group = QButtonGroup(self)
        self._name = label("AIPC", "heading")
        self.engine = EngineChip(context)
        self.jobs = JobsChip(context)
        self.help = icon_button(context.words, context.look, "help", "help.open", self.help_wanted.emit)
        self.help.setProperty("kind", "rail-tool")
        self._lay_out()
        context.words.changed.connect(self._retext)
        self._retext()

    def button(self, screen: Screen) -> QPushButton:
        return self._buttons[screen]

    def mark(self, screen: Screen) -> None:
        """Show which screen is looked at; a case belongs to Cases."""
        shown = Screen.CASES if screen is Screen.CASE else screen
        if shown in self._buttons:
            self._buttons[shown].setChecked(True)
            return
        self._group.setExclusive(False)
        for made in self._buttons.values():
            made.setChecked(False)
        self._group.setExclusive(True)

    def set_narrow(self, narrow: bool) -> None:
        if narrow == self._narrow:
            return
        self._narrow = narrow
        self.setFixedWidth(NARROW if narrow else WIDE)
        self._name.setVisible(not narrow)
        self.engine.set_narrow(narrow)
        self.jobs.set_narrow(narrow)
        self._retext()

    def _lay_out(self) -> None:
        inside = column(self, gap=4)
        inside.setContentsMargins(10, 14, 10, 10)
        inside.addLayout(self._head())
        inside.addSpacing(10)
        for screen, icon in IN_RAIL:
            inside.addWidget(self._make_button(screen, icon))
        inside.addStretch(1)
        inside.addWidget(self.jobs)
        inside.addWidget(self.engine)
        foot = row(gap=0)
        foot.addWidget(self.help)
        foot.addStretch(1)
        inside.addLayout(foot)

    def _head(self) -> QHBoxLayout:
        head = row(gap=9)
        head.setContentsMargins(5, 0, 0, 0)
        mark = label()
        mark.setPixmap(self._context.look.icons.icon("aipc", "").pixmap(26, 26))
        head.addWidget(mark)
        head.addWidget(self._name)
        head.addStretch(1)
        return head

    def _make_button(self, screen: Screen, icon: str) -> QPushButton:
        made = QPushButton()
        made.setCheckable(True)
        made.setProperty("kind", "rail")
        made.setIconSize(QSize(18, 18))
        look = self._context.look
        themed(made, look, lambda: made.setIcon(look.icon(icon)))
        made.clicked.connect(lambda: self.chosen.emit(screen))
        self._group.addButton(made)
        self._buttons[screen] = made
        return made

    def _retext(self) -> None:
        for screen, made in self._buttons.items():
            name = self._context.words(f"rail.{screen.value}")
            made.setText("" if self._narrow else "  " + name)
            made.setAccessibleName(name)
            made.setToolTip(name)
