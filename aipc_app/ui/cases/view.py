"""The list itself: opens, and offers a menu on three dots, right click and the menu key."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QListView

from aipc_app.domain.documents import Case
from aipc_app.ui.cases.delegate import more_rect
from aipc_app.ui.cases.model import CASE_ROLE


class CasesView(QListView):
    """Signals carry the Case; `menu` the place too."""

    opened = Signal(object)
    menu = Signal(object, QPoint)
    rename = Signal(object)
    remove = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setUniformItemSizes(True)

    @property
    def current(self) -> Case | None:
        case = self.currentIndex().data(CASE_ROLE)
        return case if isinstance(case, Case) else None

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        index = self.indexAt(event.position().toPoint())
        if event.button() != Qt.MouseButton.LeftButton or not index.isValid():
            return
        if more_rect(self.visualRect(index)).adjusted(-8, -8, 8, 8).contains(event.position().toPoint()):
            self.menu.emit(index.data(CASE_ROLE), event.globalPosition().toPoint())
        else:
            self.opened.emit(index.data(CASE_ROLE))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        index = self.currentIndex()
        if event.reason() == QContextMenuEvent.Reason.Mouse:
            index = self.indexAt(event.pos())
        if index.isValid():
            where = self.visualRect(index).center() if event.reason() != QContextMenuEvent.Reason.Mouse else event.pos()
            self.menu.emit(index.data(CASE_ROLE), self.viewport().mapToGlobal(where))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        case = self.current
        if case is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit(case)
        elif case is not None and event.key() == Qt.Key.Key_F2:
            self.rename.emit(case)
        elif case is not None and event.key() == Qt.Key.Key_Delete:
            self.remove.emit(case)
        else:
            super().keyPressEvent(event)
