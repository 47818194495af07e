"""The frame: rail, screens, banner and toast. Shown before there are services; screens come when first looked at."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent, QResizeEvent
from PySide6.QtWidgets import QMainWindow, QStackedWidget, QWidget

from aipc_app.ui.context import UiContext
from aipc_app.ui.notices import Undoable
from aipc_app.ui.problems import Problem
from aipc_app.ui.rail.rail import Rail
from aipc_app.ui.screens import Screen
from aipc_app.ui.widgets.banner import Banner
from aipc_app.ui.widgets.basics import column, row
from aipc_app.ui.widgets.toast import Toast

HOME_SIZE = (1280, 800)
SMALLEST = (960, 620)
NARROW = 1180


class Window(QMainWindow):
    """Holds the screens by name. `shown(Screen)` when another one is looked at, `remedy(Remedy)` from the banner."""

    shown = Signal(object)
    remedy = Signal(object)
    closing = Signal()

    def __init__(self, context: UiContext) -> None:
        super().__init__()
        self.context = context
        self._makers: dict[Screen, Callable[[], QWidget]] = {}
        self._screens: dict[Screen, QWidget] = {}
        self.may_close: Callable[[], bool] = lambda: True  # asked when the user wants to leave
        self.setWindowTitle("AIPC")
        self.setWindowIcon(context.look.icons.icon("aipc", ""))
        self.setMinimumSize(*SMALLEST)
        self.resize(*HOME_SIZE)
        self.rail = Rail(context)
        self.banner = Banner(context.words, context.look)
        self.stack = QStackedWidget()
        self._lay_out()
        self.toast = Toast(self, context.words)
        self.banner.remedy.connect(self.remedy)
        context.notices.problem.connect(self._show_problem)
        context.notices.told.connect(self._tell)
        context.notices.settle.connect(self.toast.settle)

    def add_screen(self, screen: Screen, make: Callable[[], QWidget]) -> None:
        """Made when first shown."""
        self._makers[screen] = make

    def screen_widget(self, screen: Screen) -> QWidget:
        """The screen, made if need be."""
        if screen not in self._screens:
            widget = self._makers[screen]()
            self._screens[screen] = widget
            self.stack.addWidget(widget)
        return self._screens[screen]

    def show_screen(self, screen: Screen) -> None:
        """Look at a screen."""
        widget = self.screen_widget(screen)
        self.stack.setCurrentWidget(widget)
        self.rail.mark(screen)
        if widget.focusProxy() is not None:
            widget.setFocus()
        self.shown.emit(screen)

    def come_forward(self) -> None:
        """As far as the desktop lets a program do that."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.raise_()
        self.activateWindow()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.rail.set_narrow(self.width() < NARROW)

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self.may_close():
            event.ignore()
            return
        self.toast.settle()
        self.closing.emit()
        super().closeEvent(event)

    def _lay_out(self) -> None:
        whole = QWidget()
        whole.setProperty("kind", "ground")
        across = row(whole, gap=0)
        across.addWidget(self.rail)
        right = column(gap=0)
        right.addWidget(self.banner)
        right.addWidget(self.stack, 1)
        across.addLayout(right, 1)
        self.setCentralWidget(whole)

    def _show_problem(self, problem: Problem) -> None:
        self.banner.show_problem(problem)

    def _tell(self, told: Undoable) -> None:
        self.toast.tell(told)

