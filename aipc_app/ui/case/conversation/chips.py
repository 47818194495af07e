"""Small signs inside an answer's text: the number of a source, or the mark of a sentence without proof."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPyTextObject, QTextDocument, QTextFormat

from aipc_app.ui.theme.look import Look

CHIP_TYPE = QTextFormat.ObjectTypes.UserObject + 1
LABEL_PROPERTY = QTextFormat.Property.UserProperty + 1
COLOUR_PROPERTY = QTextFormat.Property.UserProperty + 2
ICON_PROPERTY = QTextFormat.Property.UserProperty + 3
COPY_PROPERTY = QTextFormat.Property.UserProperty + 4
OBJECT = "\ufffc"
TIE = "\u2060"  # word joiner: no line break here


class ChipObject(QPyTextObject):
    """Draws a chip: rounded, with its number, or an icon alone."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._sizes: dict[tuple[str, str], QSizeF] = {}

    def intrinsicSize(self, document: QTextDocument, place: int, style: QTextFormat) -> QSizeF:
        """Asked for at each layout of the text, so it is kept."""
        shown = str(style.property(LABEL_PROPERTY) or "")
        key = (document.defaultFont().toString(), shown)
        if key not in self._sizes:
            metrics = QFontMetricsF(self._font(document))
            wide = metrics.horizontalAdvance(shown) + 9 if shown else metrics.height() - 1
            self._sizes[key] = QSizeF(max(wide, metrics.height()) + 3, metrics.height())
        return self._sizes[key]

    def drawObject(
        self, painter: QPainter, rect: QRectF | QRect, document: QTextDocument, place: int, style: QTextFormat
    ) -> None:
        colour, tokens = str(style.property(COLOUR_PROPERTY)), self._look.tokens
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        body = QRectF(rect).adjusted(2, 0, -1, 0)
        if icon := style.property(ICON_PROPERTY):
            side = min(body.width(), body.height()) - 1
            self._look.icons.paint(painter, str(icon), getattr(tokens, colour), QRectF(
                body.center() - QPointF(side / 2, side / 2), QSizeF(side, side)))
        else:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.accent_soft))
            painter.drawRoundedRect(body, 4, 4)
            painter.setPen(QColor(getattr(tokens, colour)))
            painter.setFont(self._font(document))
            painter.drawText(body, Qt.AlignmentFlag.AlignCenter, str(style.property(LABEL_PROPERTY)))
        painter.restore()

    def _font(self, document: QTextDocument) -> QFont:
        font = QFont(document.defaultFont())
        font.setPointSizeF(max(font.pointSizeF() - 1.5, 6.5))
        font.setBold(True)
        return font
