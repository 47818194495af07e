"""Under the bar: why the page looked at needs a look, and what can be done about it at once."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame

from aipc_app.domain.documents import Page, PageState
from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.basics import button, column, label, row, themed, tone

_SURE = 0.9  # recognised text below this says how sure it is as a warning
_MARKS = {PageState.TEXT: "info", PageState.OCR: "info", PageState.EMPTY: "warning", PageState.GARBLED: "warning",
          PageState.FAILED: "warning"}


class PageNote(QFrame):
    """`again`, `correct` and `original` when their buttons are pressed. Hidden for a page that is simply good."""

    again = Signal()
    correct = Signal()
    original = Signal()

    def __init__(self, context: UiContext) -> None:
        super().__init__()
        self._context = context
        self._page: Page | None = None
        self.setProperty("kind", "banner")
        inside = column(self, gap=4)
        inside.setContentsMargins(12, 6, 10, 6)
        top = row(gap=8)
        self._mark = label()
        self.text = label(kind="small", wrap=True)
        top.addWidget(self._mark)
        top.addWidget(self.text, 1)
        inside.addLayout(top)
        words = context.words
        self.again_button = button(words, "viewer.read_again", self.again.emit, "link")
        self.correct_button = button(words, "viewer.correct", self.correct.emit, "link")
        self.original_button = button(words, "viewer.open_original", self.original.emit, "link")
        below = row(gap=12)
        for made in (self.again_button, self.correct_button, self.original_button):
            below.addWidget(made)
        below.addStretch(1)
        inside.addLayout(below)
        words.changed.connect(self._refresh)
        themed(self, context.look, self._refresh)
        self.hide()

    def show_page(self, page: Page | None) -> None:
        """The page looked at now."""
        self._page = page
        self._refresh()

    def _refresh(self) -> None:
        page = self._page
        told = "" if page is None else self._sentence(page)
        self.setVisible(bool(told) and self.parent() is not None)
        if page is None or not told:
            return
        self.text.setText(told)
        calm = page.corrected or page.state in (PageState.TEXT, PageState.OCR)
        look = self._context.look
        colour = look.tokens.muted if calm else look.tokens.warn
        self._mark.setPixmap(look.icon("info" if calm else _MARKS[page.state], colour).pixmap(16, 16))
        tone(self, "" if calm else "warn")
        self.again_button.setVisible(not page.corrected and page.state is not PageState.TEXT)
        self.setAccessibleName(told)

    def _sentence(self, page: Page) -> str:
        words = self._context.words
        if page.corrected:
            return words("viewer.corrected")
        parts = [words.sentence(page.problem)] if page.problem else []
        if not parts and page.state in (PageState.EMPTY, PageState.GARBLED, PageState.FAILED):
            parts = [words(f"viewer.why_{page.state.value}")]
        if page.confidence is not None:
            key = "viewer.sure" if page.confidence >= _SURE else "viewer.unsure"
            parts.append(words(key, share=f"{page.confidence:.0%}"))
        return " ".join(parts)
