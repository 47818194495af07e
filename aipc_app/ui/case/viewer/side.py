"""The page as it is printed and its stored text, side by side; one above the other where it is narrow."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QWidget

from aipc_app.ui.case.viewer.editor import PageEditor

_WIDE = 560


class SideBySide(QSplitter):
    """Borrows the drawn page while it is shown; a document without drawn pages has the text alone."""

    def __init__(self, editor: PageEditor) -> None:
        super().__init__(Qt.Orientation.Vertical)
        self.editor = editor
        self.addWidget(editor)
        self.setChildrenCollapsible(False)
        self.setHandleWidth(3)

    def take(self, page_view: QWidget) -> None:
        """Show the drawn page before the text."""
        self.insertWidget(0, page_view)
        page_view.show()
        self.setStretchFactor(0, 3)
        self.setStretchFactor(1, 2)
        whole = self.width() if self.orientation() is Qt.Orientation.Horizontal else self.height()
        self.setSizes([max(whole * 11 // 20, 1), max(whole * 9 // 20, 1)])

    def resizeEvent(self, event: QResizeEvent) -> None:
        wide = event.size().width() >= _WIDE
        wanted = Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical
        if wanted is not self.orientation():
            self.setOrientation(wanted)
        super().resizeEvent(event)
