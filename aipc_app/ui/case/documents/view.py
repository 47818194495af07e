"""The list of documents: check, open, drag to reorder; files from outside are left to the screen."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QAbstractItemView, QListView

from aipc_app.ui.case.documents.delegate import check_rect
from aipc_app.ui.case.documents.model import ROW_MIME, ROW_ROLE, DocumentsModel
from aipc_app.ui.case.documents.rows import DocumentRow
from aipc_app.ui.theme.look import Look


class DocumentsView(QListView):
    """Signals carry the DocumentRow; `menu` the place too. Alt+Up and Alt+Down move the row."""

    opened = Signal(object)
    menu = Signal(object, QPoint)
    remove = Signal(object)

    def __init__(self, model: DocumentsModel, look: Look) -> None:
        super().__init__()
        self._model, self._look = model, look
        self._gap = -1
        self.setModel(model)
        self.setMouseTracking(True)
        self.setUniformItemSizes(True)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setDragEnabled(True)
        self.setAcceptDrops(True)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)

    @property
    def current(self) -> DocumentRow | None:
        row = self.currentIndex().data(ROW_ROLE)
        return row if isinstance(row, DocumentRow) else None

    def dataChanged(
        self, first: QModelIndex | QPersistentModelIndex, last: QModelIndex | QPersistentModelIndex,
        roles: Sequence[int] = (),
    ) -> None:
        """Draw these rows alone: a list view of Qt's lays all rows out again and draws all that can be seen.

        Rows are of one height whatever they say. While thousands of files were read, two fifths of the window's
        time went there.
        """
        QAbstractItemView.dataChanged(self, first, last, list(roles))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        event.setAccepted(event.mimeData().hasFormat(ROW_MIME))

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        if not event.mimeData().hasFormat(ROW_MIME):
            event.ignore()
            return
        event.accept()
        self._show_gap(self.gap_at(event.position().toPoint()))

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._show_gap(-1)

    def dropEvent(self, event: QDropEvent) -> None:
        self._show_gap(-1)
        if not event.mimeData().hasFormat(ROW_MIME):
            event.ignore()
            return
        event.setDropAction(Qt.DropAction.CopyAction)  # the model moves it; the view must not remove the row
        event.accept()
        source = int(event.mimeData().data(ROW_MIME).data())
        self._model.move(source, self.gap_at(event.position().toPoint()))

    def gap_at(self, place: QPoint) -> int:
        """The row before which something dropped here comes."""
        index = self.indexAt(place)
        if not index.isValid():
            return self._model.rowCount()
        return index.row() + (1 if place.y() > self.visualRect(index).center().y() else 0)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        index = self.indexAt(event.position().toPoint())
        on_check = index.isValid() and check_rect(self.visualRect(index)).adjusted(-8, -8, 8, 8).contains(
            event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and index.isValid() and not on_check:
            self.opened.emit(index.data(ROW_ROLE))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_mouse = event.reason() == QContextMenuEvent.Reason.Mouse
        index = self.indexAt(event.pos()) if by_mouse else self.currentIndex()
        if index.isValid():
            where = event.pos() if by_mouse else self.visualRect(index).center()
            self.menu.emit(index.data(ROW_ROLE), self.viewport().mapToGlobal(where))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row, place = self.current, self.currentIndex().row()
        alt = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        if row is None:
            super().keyPressEvent(event)
        elif alt and event.key() == Qt.Key.Key_Up:
            self._model.move(place, place - 1)
        elif alt and event.key() == Qt.Key.Key_Down:
            self._model.move(place, place + 2)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit(row)
        elif event.key() == Qt.Key.Key_Space:
            self._model.include(row.document.id, not row.included)
        elif event.key() == Qt.Key.Key_Delete:
            self.remove.emit(row)
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._gap < 0 or not self._model.rowCount():
            return
        last = self._gap >= self._model.rowCount()
        rect = self.visualRect(self._model.index(self._gap - 1 if last else self._gap))
        y = rect.bottom() if last else rect.top()
        painter = QPainter(self.viewport())
        painter.setPen(QPen(QColor(self._look.tokens.accent), 2))
        painter.drawLine(rect.left() + 8, y, rect.right() - 8, y)

    def _show_gap(self, gap: int) -> None:
        if gap != self._gap:
            self._gap = gap
            self.viewport().update()
