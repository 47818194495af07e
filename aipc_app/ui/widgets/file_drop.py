"""Files and folders dropped on a screen or pasted from the file manager."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QFrame, QWidget

from aipc_app.ui.widgets.basics import clear, column, frame, label, row, said, tone
from aipc_app.ui.words import Words


def dropped_paths(data: QMimeData) -> tuple[Path, ...]:
    """The local files and folders of a drop or a clipboard."""
    return tuple(Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()) if data.hasUrls() else ()


class FileDrop(QObject):
    """Makes the whole of `screen` a place to drop files on, and shows so while they hover.

    With choices, a row of smaller places says what else is to be done with them: `chosen(paths, value)`.
    """

    dropped = Signal(list)  # of Path
    chosen = Signal(list, str)

    def __init__(self, screen: QWidget, words: Words, key: str) -> None:
        super().__init__(screen)
        self._screen = screen
        self._overlay = frame("drop", name="dropOverlay")
        self._overlay.setParent(screen)
        self._overlay.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        inside = column(self._overlay)
        text = said(words, key, "heading")
        text.setAlignment(Qt.AlignmentFlag.AlignCenter)
        inside.addWidget(text, 3)
        self._choices = row(gap=14)
        self._choices.setContentsMargins(18, 0, 18, 18)
        inside.addLayout(self._choices, 2)
        self._places: list[tuple[QFrame, str]] = []
        self._overlay.hide()
        screen.setAcceptDrops(True)
        screen.installEventFilter(self)

    def offer(self, head: str, choices: Sequence[tuple[str, str]]) -> None:
        """Each choice is (value, title), below `head`; another call takes their place."""
        clear(self._choices)
        self._places = []
        for value, title in choices:
            place = frame("drop-choice")
            inside = column(place, margin=14, gap=6)
            inside.addStretch(1)
            for text, kind in ((head, "small"), (title, "heading")):
                shown = label(text, kind, wrap=True)
                shown.setAlignment(Qt.AlignmentFlag.AlignCenter)
                inside.addWidget(shown)
            inside.addStretch(1)
            self._choices.addWidget(place, 1)
            self._places.append((place, value))

    def value_at(self, spot: QPoint) -> str:
        """The choice at this place of the screen while files hover, "" for none."""
        if not self._overlay.isVisible():
            return ""
        inside = self._overlay.mapFrom(self._screen, spot)
        return next((value for place, value in self._places if place.geometry().contains(inside)), "")

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
        value = self.value_at(event.position().toPoint())
        if event.type() == QEvent.Type.Drop:
            self._overlay.hide()
            paths = list(dropped_paths(event.mimeData()))
            self.chosen.emit(paths, value) if value else self.dropped.emit(paths)
            return
        if not self._overlay.isVisible():
            self._overlay.setGeometry(self._screen.rect().adjusted(10, 10, -10, -10))
            self._overlay.show()
            self._overlay.raise_()
        for place, its_value in self._places:
            tone(place, "accent" if its_value == value else "")
