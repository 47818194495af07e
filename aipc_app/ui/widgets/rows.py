"""Painting of list rows, shared by the delegates."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from aipc_app.ui.theme.look import Look

Index = QModelIndex | QPersistentModelIndex
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
CENTER = Qt.AlignmentFlag.AlignCenter


class RowDelegate(QStyledItemDelegate):
    """Ground, selection and focus of a row; what is on it is painted by subclasses in `paint_row`."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.look = look

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.paint_ground(painter, option)
        self.paint_row(painter, option, index)
        painter.restore()

    def paint_row(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        raise NotImplementedError

    def paint_ground(self, painter: QPainter, option: QStyleOptionViewItem) -> None:
        """Selection, hover and focus; may be drawn in another way."""
        state, tokens = option.state, self.look.tokens
        rect = QRectF(option.rect).adjusted(2.5, 1.5, -2.5, -1.5)
        selected = bool(state & QStyle.StateFlag.State_Selected)
        hovered = bool(state & QStyle.StateFlag.State_MouseOver)
        painter.setPen(Qt.PenStyle.NoPen)
        if selected or hovered:
            painter.setBrush(QColor(tokens.accent_soft if selected else tokens.raised))
            painter.drawRoundedRect(rect, 6, 6)
        if state & QStyle.StateFlag.State_HasFocus:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(tokens.accent), 1))
            painter.drawRoundedRect(rect, 6, 6)


def draw_text(
    painter: QPainter, rect: QRect, text: str, colour: str, *, bold: bool = False, points: int = 0,
    middle: bool = False, align: Qt.AlignmentFlag = LEFT,
) -> None:
    """One line, shortened to the width."""
    font = QFont(painter.font())
    font.setBold(bold)
    if points:
        font.setPointSize(points)
    painter.setFont(font)
    painter.setPen(QColor(colour))
    mode = Qt.TextElideMode.ElideMiddle if middle else Qt.TextElideMode.ElideRight
    painter.drawText(rect, align, painter.fontMetrics().elidedText(text, mode, rect.width()))


def draw_badge(painter: QPainter, look: Look, x: int, middle: int, icon: str, text: str, colour: str) -> int:
    """An icon and a word in one colour, so that the state never rests on colour alone. Returns where it ends."""
    font = QFont(painter.font())
    font.setBold(False)
    font.setPointSize(max(look.points - 1, 7))
    painter.setFont(font)
    size = painter.fontMetrics().height() - 2
    look.icons.paint(painter, icon, colour, QRectF(x, middle - size / 2, size, size))
    width = painter.fontMetrics().horizontalAdvance(text)
    painter.setPen(QColor(colour))
    painter.drawText(QRect(x + size + 4, middle - size, width + 2, size * 2), LEFT, text)
    return x + size + 4 + width
