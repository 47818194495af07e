"""Past conversations of a case: find, open, delete."""

from __future__ import annotations

import time

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem, QStyleOptionViewItem, QWidget

from aipc_app.domain.answers import Conversation
from aipc_app.domain.jobs import Changes
from aipc_app.operations import asking
from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.basics import column, icon_button, label, row, said
from aipc_app.ui.widgets.dialogs import confirm
from aipc_app.ui.widgets.rows import RowDelegate, draw_text
from aipc_app.ui.widgets.search_field import SearchField

_ID, _DETAIL = Qt.ItemDataRole.UserRole + 1, Qt.ItemDataRole.UserRole + 2


class HistoryPanel(QFrame):
    """Floats over the window; closes when one is chosen."""

    chosen = Signal(int)
    deleted = Signal(int)

    def __init__(self, window: QWidget, context: UiContext) -> None:
        super().__init__(window)
        self._context = context
        self._case_id: int | None = None
        self._found: tuple[Conversation, ...] = ()
        self.setProperty("kind", "card")
        self.setObjectName("historyPanel")
        self.setFixedSize(380, 400)
        words, look = context.words, context.look
        self.search = SearchField(words, look, "history.search")
        self.list = ConversationList(context)
        self.none = label(words("history.none"), "muted", wrap=True)
        inside = column(self, gap=8)
        inside.setContentsMargins(14, 10, 12, 12)
        head = row()
        head.addWidget(said(words, "history.title", "heading"))
        head.addStretch(1)
        head.addWidget(icon_button(words, look, "close", "history.close", self.hide))
        inside.addLayout(head)
        inside.addWidget(self.search)
        inside.addWidget(self.none)
        inside.addWidget(self.list, 1)
        self.search.textChanged.connect(lambda _text: self._fill())
        self.list.chosen.connect(self._open)
        self.list.remove.connect(self._ask_delete)
        context.bridge.changed.connect(self._changed)
        self.hide()

    def open_at(self, right: int, top: int, case_id: int | None) -> None:
        self._case_id = case_id
        self.move(max(right - self.width(), 8), top)
        self._reload()
        self.show()
        self.raise_()
        self.search.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.hide()
        else:
            super().keyPressEvent(event)

    def _changed(self, changes: Changes) -> None:
        if changes.conversations and self.isVisible():
            self._reload()

    def _reload(self) -> None:
        bridge = self._context.bridge
        bridge.start(asking.list_conversations(bridge.services, case_id=self._case_id), self, done=self._take)

    def _take(self, found: tuple[Conversation, ...]) -> None:
        self._found = found
        self._fill()

    def _fill(self) -> None:
        needle = self.search.text().strip().casefold()
        shown = [item for item in self._found if needle in item.title.casefold()]
        self.list.show_conversations(shown)
        self.none.setVisible(not shown)

    def _open(self, conversation_id: int) -> None:
        self.hide()
        self.chosen.emit(conversation_id)

    def _ask_delete(self, conversation_id: int, title: str) -> None:
        words = self._context.words
        confirm(self, words, words("history.delete_title"), title, "history.delete",
                lambda: self._delete(conversation_id))

    def _delete(self, conversation_id: int) -> None:
        bridge = self._context.bridge
        bridge.start(asking.delete_conversation(bridge.services, conversation_id=conversation_id), self,
                     done=lambda _nothing: self.deleted.emit(conversation_id))


class ConversationList(QListWidget):
    """`chosen(id)` on click or Enter; `remove(id, title)` on the bin or Delete."""

    chosen = Signal(int)
    remove = Signal(int, str)

    def __init__(self, context: UiContext) -> None:
        super().__init__()
        self._context = context
        self.setMouseTracking(True)
        self._delegate = _ConversationDelegate(context.look)
        self.setItemDelegate(self._delegate)
        context.words.bind(self, self.setAccessibleName, "history.title")

    def show_conversations(self, shown: list[Conversation]) -> None:
        self.clear()
        for conversation in shown:
            day = time.strftime("%Y-%m-%d %H:%M", time.localtime(conversation.created))
            turns = self._context.words("history.turns", count=conversation.turns)
            item = QListWidgetItem(conversation.title)
            item.setData(_ID, conversation.id)
            item.setData(_DETAIL, f"{day} · {turns}")
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{conversation.title}, {day}, {turns}")
            self.addItem(item)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        place = event.position().toPoint()
        item = self.itemAt(place)
        if item is None or event.button() != Qt.MouseButton.LeftButton:
            return
        if bin_rect(self.visualItemRect(item)).adjusted(-8, -8, 8, 8).contains(place):
            self.remove.emit(item.data(_ID), item.text())
        else:
            self.chosen.emit(item.data(_ID))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        item = self.currentItem()
        if item is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.chosen.emit(item.data(_ID))
        elif item is not None and event.key() == Qt.Key.Key_Delete:
            self.remove.emit(item.data(_ID), item.text())
        else:
            super().keyPressEvent(event)


class _ConversationDelegate(RowDelegate):
    """Title, day and turns, a bin at the right."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(120, option.fontMetrics.height() * 2 + 14)

    def paint_row(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        rect, tokens = option.rect.adjusted(10, 5, -40, -5), self.look.tokens
        half = rect.height() // 2
        draw_text(painter, QRect(rect.left(), rect.top(), rect.width(), half), index.data(), tokens.text)
        draw_text(painter, QRect(rect.left(), rect.top() + half, rect.width(), half), index.data(_DETAIL),
                  tokens.muted, points=max(self.look.points - 1, 7))
        self.look.icons.paint(painter, "trash", tokens.muted, QRectF(bin_rect(option.rect)))


def bin_rect(row_: QRect) -> QRect:
    """Where a row's bin is."""
    return QRect(row_.right() - 28, row_.center().y() - 8, 16, 16)
