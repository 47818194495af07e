"""The stored text of a page, to be read beside the page, and to be corrected by hand."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QPlainTextEdit

from aipc_app.domain.documents import Page
from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.basics import button, column, row, said, tip
from aipc_app.ui.widgets.clamped import ClampedLabel

_TIP_CHARS = 1_200


class PageEditor(QFrame):
    """`saved(text)` when the user wrote the page's text, `restored` when what was read shall stand again,
    `recognise` when the text is to be read from the page's picture.

    What was typed and not saved is kept for its page until the program ends, and asked about then (ui/leaving.py).
    """

    saved = Signal(str)
    restored = Signal()
    recognise = Signal()
    editing_changed = Signal(bool)

    def __init__(self, context: UiContext) -> None:
        super().__init__()
        self._context = context
        self._page: Page | None = None
        self._key: tuple[int, int] = (0, 0)
        self._drafts: dict[tuple[int, int], str] = {}
        self.setProperty("kind", "pane")
        words = context.words
        self.title = said(words, "viewer.stored_text", "small")
        self.unsaved = said(words, "viewer.unsaved", "small")
        self.field = QPlainTextEdit()
        self.field.setProperty("kind", "reading")
        self.field.setReadOnly(True)
        words.bind(self.field, self.field.setAccessibleName, "viewer.stored_text")
        self.correct_button = button(words, "viewer.correct_here", self.begin)
        self.save_button = button(words, "viewer.save", self._save, "primary")
        self.discard_button = button(words, "viewer.discard", self.discard)
        self.restore_button = button(words, "viewer.restore", self.restored.emit)
        self.recognise_button = button(words, "viewer.recognise", self.recognise.emit)
        words.bind(self.restore_button, self.restore_button.setToolTip, "viewer.restore_hint")
        words.bind(self.recognise_button, self.recognise_button.setToolTip, "viewer.recognise_hint")
        self.read = ClampedLabel("", 3, "small")
        self._lay_out()
        self.field.textChanged.connect(self._typed)
        self._refresh()

    @property
    def editing(self) -> bool:
        return not self.field.isReadOnly()

    @property
    def drafts(self) -> Mapping[tuple[int, int], str]:
        """What was typed and not saved, by document and page."""
        return self._drafts

    def forget(self, key: tuple[int, int]) -> None:
        """The draft of a page is stored."""
        self._drafts.pop(key, None)

    def show_page(self, document_id: int, page: Page) -> None:
        """A page as it is stored; what was typed for it before comes back."""
        if self._key == (document_id, page.number) and self._page == page:
            return
        self._key, self._page = (document_id, page.number), page
        draft = self._drafts.get(self._key)
        self._set_editing(draft is not None)
        self._put(page.text if draft is None else draft)
        self._refresh()

    def allow_recognition(self, on: bool) -> None:
        """Whether the page has a picture that can be read."""
        self.recognise_button.setVisible(on)

    def recognising(self, on: bool) -> None:
        """The picture is being read."""
        self.recognise_button.setEnabled(not on)
        self.recognise_button.setText(self._context.words("viewer.recognising" if on else "viewer.recognise"))

    def suggest(self, text: str) -> None:
        """A text for the page, to be looked at and saved or discarded."""
        self._set_editing(True)
        self.field.setPlainText(text)

    def begin(self) -> None:
        """Let the user write."""
        if self._page is not None:
            self._set_editing(True)
            self.field.setFocus()

    def discard(self) -> None:
        """The stored text again."""
        self._drafts.pop(self._key, None)
        self._set_editing(False)
        if self._page is not None:
            self._put(self._page.text)
        self._refresh()

    def settled(self) -> None:
        """What was typed is stored now."""
        self._drafts.pop(self._key, None)
        self._set_editing(False)

    def _lay_out(self) -> None:
        inside = column(self, gap=4)
        inside.setContentsMargins(8, 6, 8, 8)
        top = row(gap=6)
        top.addWidget(self.title, 1)
        top.addWidget(self.unsaved)
        inside.addLayout(top)
        inside.addWidget(self.field, 1)
        inside.addWidget(self.read)
        below = row(gap=6)
        for made in (self.correct_button, self.save_button, self.discard_button, self.restore_button,
                     self.recognise_button):
            below.addWidget(made)
        below.addStretch(1)
        inside.addLayout(below)

    def _put(self, text: str) -> None:
        self.field.blockSignals(True)
        self.field.setPlainText(text)
        self.field.blockSignals(False)

    def _typed(self) -> None:
        if self.editing and self._page is not None:
            text = self.field.toPlainText()
            if text == self._page.text:
                self._drafts.pop(self._key, None)
            else:
                self._drafts[self._key] = text
            self._refresh()

    def _save(self) -> None:
        self.saved.emit(self.field.toPlainText())

    def _set_editing(self, on: bool) -> None:
        if on != self.editing:
            self.field.setReadOnly(not on)
            self.editing_changed.emit(on)
        self._refresh()

    def _refresh(self) -> None:
        page, draft = self._page, self._key in self._drafts
        self.unsaved.setVisible(draft)
        self.correct_button.setVisible(not self.editing)
        self.correct_button.setEnabled(page is not None)
        self.save_button.setVisible(self.editing)
        self.save_button.setEnabled(draft)
        self.discard_button.setVisible(self.editing)
        self.restore_button.setVisible(not self.editing and page is not None and page.corrected)

    def show_read(self, text: str) -> None:
        """What was read of a page that is corrected; "" for none."""
        words = self._context.words
        told = words("viewer.was_read", text=" ".join(text.split())) if text.strip() else ""
        self.read.setText(told[:2_000])
        self.read.setToolTip(tip(told[:_TIP_CHARS]))
        self.read.setVisible(bool(told))
