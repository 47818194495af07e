"""A page as text, with a span marked: for formats without a drawn page."""

from __future__ import annotations

from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit

from aipc_app.ui.theme.look import Look

PART_CHARS = 200_000


def utf16_offset(text: str, code_points: int) -> int:
    """Qt counts UTF-16 units where the store counts code points."""
    return len(text[:code_points].encode("utf-16-le")) // 2


def part_around(length: int, start: int) -> tuple[int, int]:
    """The part of a very long text to show at once: all of it when it is short."""
    if length <= PART_CHARS:
        return 0, length
    first = max(0, min(start - PART_CHARS // 2, length - PART_CHARS))
    return first, first + PART_CHARS


class TextView(QPlainTextEdit):
    """Read-only plain text. Of a very long page the part around the span is shown."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._span: tuple[int, int] | None = None
        self._document_key: tuple[int, int, int] | None = None
        self.setReadOnly(True)
        self.setProperty("kind", "reading")
        self.setTextInteractionFlags(
            self.textInteractionFlags() | self.textInteractionFlags().TextSelectableByKeyboard)
        look.changed.connect(self._paint_span)

    @property
    def marked_text(self) -> str:
        """What is marked, as Qt sees it."""
        selections = self.extraSelections()
        return selections[0].cursor.selectedText().replace("\u2029", "\n") if selections else ""

    def show_text(self, key: tuple[int, int], text: str, span: tuple[int, int] | None) -> None:
        """`key` names document and page, so that the same text is not laid out twice. Offsets in code points."""
        start = span[0] if span else 0
        first, last = part_around(len(text), start)
        part = text[first:last]
        if self._document_key != (*key, first):
            self._document_key = (*key, first)
            self.setPlainText(part)
        self._span = None
        if span is not None:
            self._span = utf16_offset(part, span[0] - first), utf16_offset(part, min(span[1], last) - first)
        self._paint_span()
        self._scroll_to_span()

    def _paint_span(self) -> None:
        if self._span is None:
            self.setExtraSelections([])
            return
        selection = QTextEdit.ExtraSelection()
        cursor = QTextCursor(self.document())
        cursor.setPosition(self._span[0])
        cursor.setPosition(self._span[1], QTextCursor.MoveMode.KeepAnchor)
        style = QTextCharFormat()
        style.setBackground(QColor(self._look.tokens.mark))
        style.setForeground(QColor("#1b2130"))
        style.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
        selection.cursor, selection.format = cursor, style
        self.setExtraSelections([selection])

    def _scroll_to_span(self) -> None:
        cursor = QTextCursor(self.document())
        cursor.setPosition(self._span[0] if self._span else 0)
        self.setTextCursor(cursor)
        if self._span:
            self.centerCursor()
