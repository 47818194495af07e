"""Files and folders dropped on a screen or pasted from the file manager."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, Qt, Signal
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget

from aipc_app.ui.widgets.basics import column, frame, said
from aipc_app.ui.words import Words


def dropped_paths(data: QMimeData) -> tuple[Path, ...]:
    """The local files and folders of a drop or a clipboard."""
    return tuple(Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()) if data.hasUrls() else ()


class FileDrop(QObject):
    """Makes the whole of `screen` a place to drop files on, and shows so while they hover."""

    dropped = Signal(list)  # of Path

    def __init__(self, screen: QWidget, words: Words, key: str) -> None:
        super().__init__(screen)
        self._screen = screen
        self._overlay = frame("drop", name="dropOverlay")
        self._overlay.setParent(screen)
        self._overlay.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        inside = column(self._overlay)
        text = said(words, key, "heading")
        text.setAlignment(Qt.AlignmentFlag.AlignCenter)
        inside.addWidget(text)
        self._overlay.hide()
        screen.setAcceptDrops(True)
        screen.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QDropEvent):  # enter and move are of this class too
            if not dropped_paths(event.mimeData()):
                return False
            self._take(event)
            return True
        if event.type() == QEvent.Type.DragLeave:
            self._overlay.hide()
        return False

    def _take(self, event: QDropEvent) -> None:
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        if event.type() == QEvent.Type.Drop:
            self._overlay.hide()
            self.dropped.emit(list(dropped_paths(event.mimeData())))
        elif not self._overlay.isVisible():
            self._overlay.setGeometry(self._screen.rect().adjusted(10, 10, -10, -10))
            self._overlay.show()
            self._overlay.raise_()
