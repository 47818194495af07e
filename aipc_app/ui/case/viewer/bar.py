"""Over the page: which document, which page and its state, zoom, text or drawing."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QIntValidator
from PySide6.QtWidgets import QFrame, QLineEdit, QPushButton

from aipc_app.domain.documents import Document, PageState
from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.basics import clear, column, icon_button, label, row, tone
from aipc_app.ui.widgets.elided import ElidedLabel

_TONES = {PageState.TEXT: "", PageState.OCR: "accent", PageState.EMPTY: "warn", PageState.GARBLED: "warn",
          PageState.FAILED: "bad"}
_ATTENTION_SHOWN = 8


class ViewerBar(QFrame):
    """`go(page)`, `zoom(+1, -1, or 0 for the width)`, `as_text(bool)`, `beside(bool)`."""

    go = Signal(int)
    zoom = Signal(int)
    as_text = Signal(bool)
    beside = Signal(bool)

    def __init__(self, context: UiContext) -> None:
        super().__init__()
        self._context = context
        self._pages, self._page, self._state = 0, 1, PageState.TEXT
        self._printed = ""
        self.setProperty("kind", "bar")
        words, look = context.words, context.look
        self.name = ElidedLabel(kind="strong", middle=True)
        self.state = label(kind="pill")
        self.problem = label(kind="error", wrap=True)
        self.problem.hide()
        self.back = icon_button(words, look, "left", "viewer.previous", lambda: self.go.emit(self._page - 1))
        self.field = QLineEdit()
        self.field.setValidator(QIntValidator(1, 1_000_000, self.field))
        self.field.setFixedWidth(48)
        self.field.setAlignment(Qt.AlignmentFlag.AlignCenter)
        words.bind(self.field, self.field.setAccessibleName, "viewer.page_number")
        self.total = label(kind="muted")
        self.next = icon_button(words, look, "right", "viewer.next", lambda: self.go.emit(self._page + 1))
        self.smaller = icon_button(words, look, "zoom-out", "viewer.smaller", lambda: self.zoom.emit(-1))
        self.percent = label(kind="small")
        self.larger = icon_button(words, look, "zoom-in", "viewer.larger", lambda: self.zoom.emit(1))
        self.fit = icon_button(words, look, "fit", "viewer.fit", lambda: self.zoom.emit(0))
        self.text = icon_button(words, look, "text", "viewer.as_text")
        self.text.setCheckable(True)
        self.side = icon_button(words, look, "columns", "viewer.beside")
        self.side.setCheckable(True)
        self._lay_out()
        self.side.toggled.connect(self.beside)
        self.field.returnPressed.connect(lambda: self.go.emit(int(self.field.text() or 0)))
        self.text.toggled.connect(self.as_text)
        words.changed.connect(self._refresh)

    def show_document(self, document: Document, pages: int) -> None:
        self._pages = pages
        self.name.setText(document.name)
        self.problem.hide()
        drawn = document.has_layout
        self.text.setVisible(drawn)
        for widget in (self.fit, self.percent):
            widget.setVisible(drawn)
        self._refresh()

    def show_page(self, number: int, state: PageState, printed: str = "") -> None:
        """`printed`: the number on the page itself, where it isn't the same."""
        self._page, self._state = number, state
        self._printed = "" if printed == str(number) else printed
        self._refresh()

    def show_zoom(self, zoom: float) -> None:
        self.percent.setText(f"{zoom:.0%}")

    def show_attention(self, pages: list[int]) -> None:
        """Pages without readable text; each number goes there."""
        clear(self._attention)
        if not pages:
            return
        words = self._context.words
        self._attention.addWidget(label(words("viewer.attention", count=len(pages)), "small"))
        for number in pages[:_ATTENTION_SHOWN]:
            made = QPushButton(str(number))
            made.setProperty("kind", "link")
            made.setAccessibleName(words("viewer.go_to", page=number))
            made.clicked.connect(lambda _on=False, number=number: self.go.emit(number))
            self._attention.addWidget(made)
        if len(pages) > _ATTENTION_SHOWN:
            self._attention.addWidget(label("…", "small"))
        self._attention.addStretch(1)

    def show_problem(self, sentence: str) -> None:
        """The page can't be drawn; the text view still can be read."""
        self.problem.setText(sentence)
        self.problem.show()

    def _lay_out(self) -> None:
        inside = column(self, gap=2)
        inside.setContentsMargins(12, 8, 8, 6)
        top = row(gap=8)
        top.addWidget(self.name, 1)
        top.addWidget(self.state)
        inside.addLayout(top)
        tools = row(gap=2)
        for widget in (self.back, self.field, self.total, self.next):
            tools.addWidget(widget)
        tools.addStretch(1)
        for widget in (self.smaller, self.percent, self.larger, self.fit, self.side, self.text):
            tools.addWidget(widget)
        inside.addLayout(tools)
        self._attention = row(gap=4)
        inside.addLayout(self._attention)
        inside.addWidget(self.problem)

    def _refresh(self) -> None:
        self.field.setText(str(self._page))
        printed = self._context.words("viewer.printed", label=self._printed) if self._printed else ""
        self.total.setText(f"/ {self._pages} {printed}")
        self.back.setEnabled(self._page > 1)
        self.next.setEnabled(self._page < self._pages)
        self.state.setText(self._context.words(f"page.{self._state.value}"))
        self.state.setVisible(self._pages > 0)
        tone(self.state, _TONES[self._state])
