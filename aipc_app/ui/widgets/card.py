"""A button that holds other widgets, as high as they need."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QPushButton, QSizePolicy, QVBoxLayout, QWidget

from aipc_app.ui.widgets.basics import column


class CardButton(QPushButton):
    """What is in `self.inside` is seen; the whole card is clicked."""

    def __init__(self, kind: str = "card") -> None:
        super().__init__()
        self.setProperty("kind", kind)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.inside: QVBoxLayout = column(self, gap=2)
        self.inside.setContentsMargins(11, 8, 11, 8)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def add(self, widget: QWidget) -> None:
        widget.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.inside.addWidget(widget)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self.inside.heightForWidth(width) if self.inside.hasHeightForWidth() else self.inside.sizeHint().height()

    def sizeHint(self) -> QSize:
        return self.inside.sizeHint()

    def minimumSizeHint(self) -> QSize:
        return QSize(60, self.inside.minimumSize().height())
