"""A label of at most a few lines."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import QSizePolicy, QWidget


class ClampedLabel(QWidget):
    """Plain text wrapped to its width, shortened after `lines` lines."""

    def __init__(self, text: str = "", lines: int = 2, kind: str = "muted") -> None:
        super().__init__()
        self._text, self._lines = " ".join(text.split()), lines
        self.setProperty("kind", kind)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self._colour = ""

    @property
    def text(self) -> str:
        return self._text

    def setText(self, text: str) -> None:
        self._text = " ".join(text.split())
        self.updateGeometry()
        self.update()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return max(len(self._cut(width)), 1) * self.fontMetrics().lineSpacing()

    def sizeHint(self) -> QSize:
        return QSize(200, self.heightForWidth(max(self.width(), 120)))

    def minimumSizeHint(self) -> QSize:
        return QSize(40, self.fontMetrics().lineSpacing())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().windowText().color())
        cuts, step = self._cut(self.width()), self.fontMetrics().lineSpacing()
        for number, (start, length) in enumerate(cuts):
            line = self._text[start:start + length]
            if number == self._lines - 1 and start + length < len(self._text):
                line = self.fontMetrics().elidedText(
                    self._text[start:start + length * 2 + 8], Qt.TextElideMode.ElideRight, self.width())
            painter.drawText(QPointF(0, number * step + self.fontMetrics().ascent()), line)
        painter.end()

    def _cut(self, width: int) -> list[tuple[int, int]]:
        """Start and length of each line, the last perhaps to be shortened."""
        layout = QTextLayout(self._text[: max(width, 40) * self._lines], self.font())
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.beginLayout()
        cuts: list[tuple[int, int]] = []
        while len(cuts) < self._lines and (line := layout.createLine()).isValid():
            line.setLineWidth(max(width, 40))
            cuts.append((line.textStart(), line.textLength()))
        layout.endLayout()
        return cuts
