"""How a document looks in the list."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QAbstractItemView, QStyleOptionViewItem, QToolTip

from aipc_app.domain.documents import DocumentStatus
from aipc_app.ui.case.documents.model import ROW_ROLE
from aipc_app.ui.case.documents.rows import DocumentRow, badge_of
from aipc_app.ui.theme.look import Look
from aipc_app.ui.widgets.basics import tip
from aipc_app.ui.widgets.rows import RowDelegate, draw_badge, draw_text
from aipc_app.ui.words import Words

Index = QModelIndex | QPersistentModelIndex


class DocumentDelegate(RowDelegate):
    """Check box, name, then state, pages and what needs attention; a bar below while it is worked on or read."""

    def __init__(self, look: Look, words: Words) -> None:
        super().__init__(look)
        self._words = words

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(120, option.fontMetrics.height() * 2 + 18)

    def paint_row(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: DocumentRow = index.data(ROW_ROLE)
        whole, tokens = option.rect, self.look.tokens
        if not row.included:
            painter.setOpacity(0.55)
        self._paint_check(painter, check_rect(whole), row.included)
        rect = whole.adjusted(38, 6, -10, -6)
        half = rect.height() // 2
        draw_text(painter, QRect(rect.left(), rect.top(), rect.width(), half), row.document.name, tokens.text,
                  middle=True)
        self._paint_state(painter, QRect(rect.left(), rect.top() + half, rect.width(), half), row)
        share = row.progress if row.progress is not None else row.remembered
        if row.progress is not None or 0.0 < row.remembered < 1.0:
            self._paint_bar(painter, QRectF(rect.left(), whole.bottom() - 5, rect.width(), 3), share)

    def editorEvent(
        self, event: QEvent, model: QAbstractItemModel, option: QStyleOptionViewItem, index: Index
    ) -> bool:
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseButtonRelease:
            place = check_rect(option.rect).adjusted(-8, -8, 8, 8)
            if event.button() == Qt.MouseButton.LeftButton and place.contains(event.position().toPoint()):
                included = index.data(ROW_ROLE).included
                now = Qt.CheckState.Unchecked if included else Qt.CheckState.Checked
                return model.setData(index, now, Qt.ItemDataRole.CheckStateRole)
        return False

    def helpEvent(
        self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: Index
    ) -> bool:
        row = index.data(ROW_ROLE)
        if not isinstance(row, DocumentRow):
            return False
        over_check = check_rect(option.rect).adjusted(-8, -8, 8, 8).contains(event.pos())
        text = self._words("documents.check") if over_check else "\n".join(
            part for part in (row.document.name, self._words.sentence(row.document.reason),
                              self._words("documents.file_gone") if row.gone else "") if part)
        QToolTip.showText(event.globalPos(), tip(text).replace("\n", "<br>"), view)
        return True

    def _paint_check(self, painter: QPainter, rect: QRect, on: bool) -> None:
        tokens = self.look.tokens
        painter.setPen(QPen(QColor(tokens.accent if on else tokens.border_strong), 1.2))
        painter.setBrush(QColor(tokens.accent if on else tokens.surface))
        painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        if on:
            self.look.icons.paint(painter, "check", tokens.on_accent, QRectF(rect).adjusted(1, 1, -1, -1))

    def _paint_state(self, painter: QPainter, rect: QRect, row: DocumentRow) -> None:
        shown, tokens = badge_of(row), self.look.tokens
        word = self._words(shown.key)
        if row.progress is not None and row.document.status is DocumentStatus.READING:
            word = f"{word} {row.progress:.0%}"
        elif row.being_read:
            word = f"{word} {row.remembered:.0%}"
        end = draw_badge(painter, self.look, rect.left(), rect.center().y(), shown.icon, word,
                         getattr(tokens, shown.colour))
        rest = QRect(end + 8, rect.top(), rect.right() - end - 8, rect.height())
        if row.gone and rest.width() > 24:
            draw_text(painter, rest, "· " + self._words("documents.gone"), tokens.warn,
                      points=max(self.look.points - 1, 7))
        elif row.document.pages and rest.width() > 24:
            draw_text(painter, rest, "· " + self._words("documents.pages", count=row.document.pages), tokens.muted,
                      points=max(self.look.points - 1, 7))

    def _paint_bar(self, painter: QPainter, rect: QRectF, progress: float) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self.look.tokens.pressed))
        painter.drawRoundedRect(rect, 1.5, 1.5)
        painter.setBrush(QColor(self.look.tokens.accent))
        rect.setWidth(rect.width() * min(max(progress, 0.0), 1.0))
        painter.drawRoundedRect(rect, 1.5, 1.5)


def check_rect(row: QRect) -> QRect:
    """Where a row's check box is."""
    return QRect(row.left() + 12, row.center().y() - 7, 16, 16)
