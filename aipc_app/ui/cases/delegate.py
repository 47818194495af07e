"""How a case looks in the list."""

from __future__ import annotations

import time

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem

from aipc_app.domain.documents import Case
from aipc_app.ui.cases.model import CASE_ROLE
from aipc_app.ui.theme.look import Look
from aipc_app.ui.widgets.rows import RowDelegate, draw_text
from aipc_app.ui.words import Words

Index = QModelIndex | QPersistentModelIndex
MORE_WIDTH = 40


class CaseDelegate(RowDelegate):
    """Icon, name, number of documents, day made, and three dots at the right for its menu."""

    def __init__(self, look: Look, words: Words) -> None:
        super().__init__(look)
        self._words = words

    def paint_ground(self, painter: QPainter, option: QStyleOptionViewItem) -> None:
        """Each case is a card of its own."""
        tokens, state = self.look.tokens, option.state
        hovered = bool(state & QStyle.StateFlag.State_MouseOver)
        chosen = bool(state & (QStyle.StateFlag.State_HasFocus | QStyle.StateFlag.State_Selected))
        painter.setBrush(QColor(tokens.raised if hovered else tokens.surface))
        painter.setPen(QPen(QColor(tokens.accent if chosen or hovered else tokens.border), 1))
        painter.drawRoundedRect(QRectF(option.rect).adjusted(1.5, 4.5, -1.5, -3.5), 8, 8)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        height = option.fontMetrics.height()
        return QSize(200, height * 2 + 32)

    def paint_row(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        case: Case = index.data(CASE_ROLE)
        rect, tokens = option.rect.adjusted(18, 12, -8, -12), self.look.tokens
        icon = QRectF(rect.left(), rect.center().y() - 10, 20, 20)
        self.look.icons.paint(painter, "cases", tokens.accent, icon)
        half = rect.height() // 2
        across = rect.adjusted(34, 0, -MORE_WIDTH, 0)
        draw_text(painter, QRect(across.left(), across.top(), across.width(), half), case.name, tokens.text, bold=True)
        draw_text(painter, QRect(across.left(), across.top() + half, across.width(), half), self._detail(case),
                  tokens.muted, points=max(self.look.points - 1, 7))
        self.look.icons.paint(painter, "more", tokens.muted, QRectF(more_rect(option.rect)))

    def _detail(self, case: Case) -> str:
        parts = [self._words("cases.documents", count=case.documents)]
        if case.created:
            parts.append(self._words("cases.created", day=time.strftime("%Y-%m-%d", time.localtime(case.created))))
        return " · ".join(parts)


def more_rect(row: QRect) -> QRect:
    """Where the three dots of a row are."""
    return QRect(row.right() - 38, row.center().y() - 9, 18, 18)
