"""A bar of what lies in one kind of memory, drawn to the scale of its limit."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from aipc_app.ui.theme.look import Look
from aipc_app.ui.theme.tokens import Tokens
from aipc_app.ui.widgets.basics import themed, tip
from engine.types.plan import Part, PartKind

_HEIGHT, _RADIUS, _LEAST_WIDTH = 22, 5.0, 2.0
_COLOURS = {
    PartKind.ATTENTION: "accent", PartKind.SHARED_EXPERTS: "good", PartKind.ROUTED_EXPERTS: "warn",
    PartKind.DENSE_FFN: "accent_hover", PartKind.RECURRENT: "good", PartKind.EMBEDDING: "faint",
    PartKind.OUTPUT: "muted", PartKind.KV_CACHE: "bad", PartKind.COMPUTE: "border_strong",
}


def colour_of(kind: PartKind, tokens: Tokens) -> QColor:
    """The colour of a part; its name stands beside it wherever that matters."""
    return QColor(getattr(tokens, _COLOURS[kind]))


class PartsBar(QWidget):
    """Segments in the order of the parts; what is left of the limit stays empty."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._parts: tuple[tuple[Part, str], ...] = ()
        self._limit = 1
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        themed(self, look, self.update)

    def sizeHint(self) -> QSize:
        return QSize(240, _HEIGHT)

    def show_parts(self, parts: Sequence[tuple[Part, str]], limit: int) -> None:
        """`parts` with what each is called; `limit` in bytes."""
        self._parts, self._limit = tuple(parts), max(limit, sum(part.bytes for part, _ in parts), 1)
        self.setAccessibleName(", ".join(name for _, name in self._parts))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        around = QPainterPath()
        around.addRoundedRect(QRectF(self.rect()), _RADIUS, _RADIUS)
        painter.setClipPath(around)
        painter.fillRect(self.rect(), QColor(self._look.tokens.pressed))
        for part, left, width in self._segments():
            painter.fillRect(QRectF(left, 0, max(width - 1, _LEAST_WIDTH), self.height()), self._colour(part))

    def event(self, event: QHelpEvent) -> bool:  # type: ignore[override]
        if event.type() == QHelpEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), tip(self._name_at(event.pos().x())), self)
            return True
        return super().event(event)

    def _name_at(self, x: int) -> str:
        for (part, name), (_, left, width) in zip(self._parts, self._segments(), strict=True):
            if left <= x < left + width and part.bytes:
                return name
        return ""

    def _segments(self) -> list[tuple[Part, float, float]]:
        found, left = [], 0.0
        for part, _ in self._parts:
            width = self.width() * part.bytes / self._limit
            found.append((part, left, width))
            left += width
        return found

    def _colour(self, part: Part) -> QColor:
        return colour_of(part.tensors, self._look.tokens)


class Swatch(QWidget):
    """The colour of a part beside its name."""

    def __init__(self, look: Look, kind: PartKind) -> None:
        super().__init__()
        self._look, self._kind = look, kind
        self.setFixedSize(12, 12)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        themed(self, look, self.update)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour_of(self._kind, self._look.tokens))
        painter.drawRoundedRect(QRectF(self.rect()), 3, 3)
