"""Over a review: what it is, how far it is, and what can be done with it."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QProgressBar

from aipc_app.domain.answers import Reading
from aipc_app.domain.review import FindingReady, ItemsBegun, Review, ReviewState
from aipc_app.ui.context import UiContext
from aipc_app.ui.review.run import FilesRead
from aipc_app.ui.widgets.basics import button, column, icon_button, label, row, with_icon
from aipc_app.ui.widgets.elided import ElidedLabel
from aipc_app.ui.widgets.figures import roughly, seconds

_WHOLE = 1000


class ReviewHead(QFrame):
    """`left`, `stopped`, `resumed`, `export`, `compare`, `deleted` when its buttons are pressed."""

    left = Signal()
    stopped = Signal()
    resumed = Signal()
    export = Signal()
    compare = Signal()
    deleted = Signal()

    def __init__(self, context: UiContext) -> None:
        super().__init__()
        self._context = context
        self._review: Review | None = None
        self.setProperty("kind", "bar")
        words, look = context.words, context.look
        inside = column(self, gap=3)
        inside.setContentsMargins(8, 5, 8, 5)
        across = row(gap=4)
        self.back = icon_button(words, look, "left", "review.back", self.left.emit)
        self.title = ElidedLabel(kind="heading")
        self.stop = button(words, "review.stop", self.stopped.emit)
        with_icon(self.stop, look, "stop")
        self.resume = button(words, "review.resume", self.resumed.emit, "primary")
        self.save = icon_button(words, look, "export", "review.export", self.export.emit)
        self.beside = icon_button(words, look, "columns", "review.compare", self.compare.emit)
        self.remove = icon_button(words, look, "trash", "review.delete", self.deleted.emit)
        across.addWidget(self.back)
        across.addWidget(self.title, 1)
        for widget in (self.stop, self.resume, self.beside, self.save, self.remove):
            across.addWidget(widget)
        inside.addLayout(across)
        self.told = label(kind="small", wrap=True)
        self.bar = QProgressBar(textVisible=False)
        self.bar.setRange(0, _WHOLE)
        inside.addWidget(self.told)
        inside.addWidget(self.bar)
        words.changed.connect(self._say)

    def show_review(self, review: Review | None, *, busy: bool, stopping: bool = False) -> None:
        """None: files are read first."""
        self._review = review
        unfinished = review is not None and review.state is not ReviewState.DONE
        self.stop.setVisible(busy)
        self.stop.setEnabled(not stopping)
        self.resume.setVisible(unfinished and not busy)
        for widget in (self.save, self.beside):
            widget.setEnabled(review is not None)
        self.remove.setEnabled(review is not None and not busy)
        self.bar.setVisible(busy)
        self._say()
        if stopping:
            self.told.setText(self._context.words("review.stopping"))

    def show_event(self, event: Any) -> None:
        """How far it is."""
        words = self._context.words
        match event:
            case float():
                self._tell(words("progress.loading", percent=f"{event:.0%}"), event)
            case FilesRead():
                told = words("review.reading_files", done=event.done, total=event.total)
                self._tell(told, event.done / max(event.total, 1))
            case Reading():
                self._tell(words("progress.reading", done=f"{event.done_tokens:,}", total=f"{event.total_tokens:,}",
                                 left=seconds(event.seconds_left)), None)
            case ItemsBegun():
                self._tell(words("review.asking", count=len(event.items)), None)
            case FindingReady():
                key = "review.done_of_left" if event.seconds_left is not None else "review.done_of"
                left = roughly(event.seconds_left) if event.seconds_left is not None else ""
                self._tell(words(key, done=event.done, total=event.total, left=left), event.done / max(event.total, 1))

    def _say(self) -> None:
        words, review = self._context.words, self._review
        if review is None:
            self.title.setText(words("review.preparing"))
            self.told.setText(words("review.reading_first"))
            self.bar.setValue(0)
            return
        self.title.setText(review.template.title.of(words.language))
        total = len(review.template.items)
        self.told.setText(words(f"review.told_{review.state.value}", done=len(review.findings), total=total))
        self.bar.setValue(int(_WHOLE * len(review.findings) / max(total, 1)))

    def _tell(self, sentence: str, fraction: float | None) -> None:
        self.told.setText(sentence)
        if fraction is not None:
            self.bar.setValue(int(_WHOLE * fraction))
