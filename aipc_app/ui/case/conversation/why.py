"""Why a passage was found: its place in each way of searching, its score, the question's words in it."""

from __future__ import annotations

import re

from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QProgressBar, QWidget

from aipc_app.domain.documents import Evidence
from aipc_app.operations.asking import FoundWhy, StageFound, why_found
from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.basics import column, label

_WIDTH = 330
_MOST_WORDS = 14
_DECIMAL = re.compile(r"(?<=\d)d(?=\d)")  # tokens are of letters and digits only: 1.5 is searched as 1d5


class WhyPopover(QFrame):
    """Floats over the window; goes when something else is turned to, or at Esc."""

    def __init__(self, window: QWidget, context: UiContext, why: FoundWhy) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setProperty("kind", "card")
        self.setObjectName("why")
        self.setFixedWidth(_WIDTH)
        self._context, words = context, context.words
        self.setAccessibleName(words("why.title"))
        inside = column(self, gap=7)
        inside.setContentsMargins(16, 12, 16, 12)
        inside.addWidget(label(words("why.title"), "strong"))
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(2, 1)
        for line, found in enumerate(why.stages):
            for place, widget in enumerate(self._stage(found)):
                grid.addWidget(widget, line, place)
        inside.addLayout(grid)
        inside.addWidget(label(words("why.score", score=f"{why.score:.3f}"), "small-strong"))
        inside.addWidget(label(self._words_told(why), "small", wrap=True))
        inside.addWidget(label(words("why.hint"), "small", wrap=True))

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.close()

    def event(self, event: QEvent) -> bool:
        """Esc closes this before it stops anything behind it."""
        wanted = event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent)
        if wanted and event.key() == Qt.Key.Key_Escape:  # type: ignore[attr-defined]
            event.accept()
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Escape, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.close()
        else:
            super().keyPressEvent(event)

    def _stage(self, found: StageFound) -> tuple[QWidget, ...]:
        """Name, place, how much of the score it makes."""
        words = self._context.words
        told = words("why.place", rank=found.rank) if found.rank is not None else words("why.not_found")
        place: QLabel = label(told, "" if found.rank is not None else "muted")
        bar = QProgressBar()
        bar.setTextVisible(False)
        bar.setRange(0, 100)
        bar.setValue(round(100 * found.share))
        share = label(words("why.share", percent=round(100 * found.share)), "small")
        share.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return label(words(f"stage.{found.stage.value}"), "muted"), place, bar, share

    def _words_told(self, why: FoundWhy) -> str:
        words = self._context.words
        mark = "、" if words.language == "zh" else ", "
        shown = mark.join(_DECIMAL.sub(".", word) for word in why.words[:_MOST_WORDS])
        told = [words("why.words", words=shown)] if shown else []
        told += [words("why.legal_words", words=mark.join(why.legal_words))] if why.legal_words else []
        return "\n".join(told) or words("why.no_words")


def open_why(button: QWidget, context: UiContext, query: str, evidence: Evidence) -> None:
    """Work it out, then show it below the button."""

    def show(why: FoundWhy) -> None:
        window = button.window()
        made = WhyPopover(window, context, why)
        made.adjustSize()
        corner = button.mapTo(window, QPoint(button.width() - made.width(), button.height() + 3))
        made.move(max(corner.x(), 8), max(min(corner.y(), window.height() - made.height() - 8), 8))
        made.show()
        made.raise_()
        made.setFocus()

    context.bridge.start(why_found(query=query, evidence=evidence), button, done=show)
