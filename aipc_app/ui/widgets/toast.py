"""A note at the foot of the window with a way back."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QFrame, QWidget

from aipc_app.ui.notices import Undoable
from aipc_app.ui.widgets.basics import announce, button, label, row
from aipc_app.ui.words import Words

SHOWN_MS = 8000
_WIDEST = 620


class Toast(QFrame):
    """Floats over `window`. One at a time: the next one closes the way back of the last."""

    def __init__(self, window: QWidget, words: Words) -> None:
        super().__init__(window)
        self._window = window
        self.setObjectName("toast")
        self.setProperty("kind", "toast")
        inside = row(self, gap=14)
        inside.setContentsMargins(16, 8, 10, 8)
        self.text = label()
        self.undo = button(words, "toast.undo", self._undo)
        inside.addWidget(self.text)
        inside.addWidget(self.undo)
        self._shown: Undoable | None = None
        self._timer = QTimer(self, singleShot=True, interval=SHOWN_MS)
        self._timer.timeout.connect(self.settle)
        window.installEventFilter(self)
        self.hide()

    def tell(self, told: Undoable) -> None:
        """Show it for eight seconds."""
        self.settle()
        self._shown = told
        shown = self.text.fontMetrics().elidedText(told.sentence, Qt.TextElideMode.ElideMiddle, _WIDEST)
        self.text.setText(shown)
        announce(self, told.sentence)
        self.undo.setVisible(told.undo is not None)
        self._timer.start()
        self.show()
        self._place()
        self.raise_()

    def settle(self) -> None:
        """Close the way back: what waited for it is done now."""
        shown, self._shown = self._shown, None
        self._timer.stop()
        self.hide()
        if shown is not None and shown.expired is not None:
            shown.expired()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return False

    def _undo(self) -> None:
        shown, self._shown = self._shown, None
        self._timer.stop()
        self.hide()
        if shown is not None and shown.undo is not None:
            shown.undo()

    def _place(self) -> None:
        window = self._window
        self.adjustSize()
        self.move((window.width() - self.width()) // 2, window.height() - self.height() - 24)
