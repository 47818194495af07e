"""Small signs inside an answer's text: the number of a source, or the mark of a sentence without proof."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPixmap, QPyTextObject, QTextDocument, QTextFormat

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
        self._sizes: dict[tuple[str, float, str], QSizeF] = {}
        self._pictures: dict[tuple[object, ...], QPixmap] = {}

    def intrinsicSize(self, document: QTextDocument, place: int, style: QTextFormat) -> QSizeF:
        """Asked for at each layout of the text, for each chip: kept, and found by what is cheap to read."""
        shown, font = style.stringProperty(LABEL_PROPERTY), document.defaultFont()
        key = (shown, font.pointSizeF(), font.family())
        size = self._sizes.get(key)
        if size is None:
            metrics = QFontMetricsF(self._font(document))
            wide = metrics.horizontalAdvance(shown) + 9 if shown else metrics.height() - 1
            size = self._sizes[key] = QSizeF(max(wide, metrics.height()) + 3, metrics.height())
        return size

    def drawObject(
        self, painter: QPainter, rect: QRectF | QRect, document: QTextDocument, place: int, style: QTextFormat
    ) -> None:
        """A picture made once: while an answer streams, all chips in sight are drawn with each piece of text."""
        painter.drawPixmap(QRectF(rect).topLeft(), self._picture(painter, QRectF(rect).size(), document, style))

    def _picture(self, painter: QPainter, size: QSizeF, document: QTextDocument, style: QTextFormat) -> QPixmap:
        tokens, font, scale = self._look.tokens, document.defaultFont(), painter.device().devicePixelRatioF()
        shown, icon = style.stringProperty(LABEL_PROPERTY), style.stringProperty(ICON_PROPERTY)
        colour = getattr(tokens, style.stringProperty(COLOUR_PROPERTY))
        key = (shown, icon, colour, tokens.accent_soft, font.pointSizeF(), font.family(), size.toTuple(), scale)
        picture = self._pictures.get(key)
        if picture is None:
            picture = self._pictures[key] = QPixmap(math.ceil(size.width() * scale), math.ceil(size.height() * scale))
            picture.setDevicePixelRatio(scale)
            picture.fill(Qt.GlobalColor.transparent)
            with QPainter(picture) as brush:
                brush.setRenderHint(QPainter.RenderHint.Antialiasing)
                body = QRectF(2, 0, size.width() - 3, size.height())
                if icon:
                    self._paint_icon(brush, body, icon, colour)
                else:
                    self._paint_number(brush, body, shown, colour, self._font(document))
        return picture

    def _paint_icon(self, painter: QPainter, body: QRectF, icon: str, colour: str) -> None:
        side = min(body.width(), body.height()) - 1
        square = QRectF(body.center() - QPointF(side / 2, side / 2), QSizeF(side, side))
        self._look.icons.paint(painter, icon, colour, square)

    def _paint_number(self, painter: QPainter, body: QRectF, shown: str, colour: str, font: QFont) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._look.tokens.accent_soft))
        painter.drawRoundedRect(body, 4, 4)
        painter.setPen(QColor(colour))
        painter.setFont(font)
        painter.drawText(body, Qt.AlignmentFlag.AlignCenter, shown)

    def _font(self, document: QTextDocument) -> QFont:
        font = QFont(document.defaultFont())
        font.setPointSizeF(max(font.pointSizeF() - 1.5, 6.5))
        font.setBold(True)
        return font
