"""Puts an answer into a text document by cursor, never as markup: model text stays plain text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor, QTextDocument

from aipc_app.domain.answers import Sentence, SentenceState
from aipc_app.ui.case.conversation.chips import (
    CHIP_TYPE,
    COLOUR_PROPERTY,
    COPY_PROPERTY,
    ICON_PROPERTY,
    LABEL_PROPERTY,
    OBJECT,
    TIE,
)
from aipc_app.ui.case.conversation.pieces import pieces
from aipc_app.ui.theme.tokens import Tokens
from aipc_app.ui.widgets.basics import tip
from aipc_app.ui.words import Words

SOURCE, WHY = "source:", "why:"
_LINES = {
    SentenceState.IN_DOUBT: (QTextCharFormat.UnderlineStyle.DotLine, "warn", "doubt"),
    SentenceState.UNSUPPORTED: (QTextCharFormat.UnderlineStyle.WaveUnderline, "bad", "warning"),
}


@dataclass(frozen=True)
class Written:
    """How much of an answer stands in the document for good: code points, sentences, and where that ends there."""

    text: int = 0
    sentences: int = 0
    position: int = 0


class AnswerWriter:
    """Writes into one document with one theme."""

    def __init__(self, document: QTextDocument, tokens: Tokens, words: Words) -> None:
        self._document, self._tokens, self._words = document, tokens, words

    def write(
        self, text: str, sentences: Sequence[Sentence], *, finished: bool, after: Written | None = None
    ) -> Written:
        """The answer from `after` on; what is not checked yet is paler until `finished`.

        What stands before `after` is left alone, so that a long answer costs no more than a short one.
        """
        after = after or Written()
        cursor = QTextCursor(self._document)
        cursor.beginEditBlock()
        cursor.setPosition(after.position)
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        written, chars = after, after.text
        for piece in pieces(text[after.text:], sentences[after.sentences:]):
            if piece.sentence is None:
                cursor.insertText(piece.text, self._plain(pale=not finished))
                chars += len(piece.text)
                continue
            self._write_sentence(cursor, piece.sentence, after.sentences + piece.index)
            chars += len(piece.text) if text.startswith(piece.text, chars) else 0
            written = Written(chars, after.sentences + piece.index + 1, cursor.position())
        cursor.endEditBlock()
        return written

    def append(self, text: str) -> None:
        """More unchecked text at the end."""
        cursor = QTextCursor(self._document)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(text, self._plain(pale=True))

    def _write_sentence(self, cursor: QTextCursor, sentence: Sentence, index: int) -> None:
        body = sentence.text.rstrip()
        cursor.insertText(body, self._sentence_format(sentence))
        for marker in sentence.citations:
            self._insert_chip(cursor, self._source_chip(marker))
        if sentence.state in _LINES:
            self._insert_chip(cursor, self._mark(sentence, index))
        cursor.insertText(sentence.text[len(body):], self._plain(pale=False))

    def _insert_chip(self, cursor: QTextCursor, style: QTextCharFormat) -> None:
        """Tied to what stands before it, so that a line never begins with a chip."""
        cursor.insertText(TIE, self._plain(pale=False))
        cursor.insertText(OBJECT, style)

    def _plain(self, *, pale: bool) -> QTextCharFormat:
        style = QTextCharFormat()
        style.setForeground(QColor(self._tokens.muted if pale else self._tokens.text))
        return style

    def _sentence_format(self, sentence: Sentence) -> QTextCharFormat:
        style = self._plain(pale=False)
        if sentence.state in _LINES:
            underline, colour, _icon = _LINES[sentence.state]
            style.setUnderlineStyle(underline)
            style.setUnderlineColor(QColor(getattr(self._tokens, colour)))
            style.setToolTip(tip(self._why(sentence)))
        return style

    def _source_chip(self, marker: int) -> QTextCharFormat:
        style = self._chip(f"{SOURCE}{marker}", f" [{marker}]", "accent")
        style.setProperty(LABEL_PROPERTY, str(marker))
        style.setToolTip(tip(self._words("answer.open_source", number=marker)))
        return style

    def _mark(self, sentence: Sentence, index: int) -> QTextCharFormat:
        _underline, colour, icon = _LINES[sentence.state]
        style = self._chip(f"{WHY}{index}", f" [{self._words(f'answer.mark_{sentence.state.value}')}]", colour)
        style.setProperty(ICON_PROPERTY, icon)
        style.setToolTip(tip(self._why(sentence)))
        return style

    def _chip(self, link: str, copied: str, colour: str) -> QTextCharFormat:
        style = QTextCharFormat()
        style.setObjectType(CHIP_TYPE)
        style.setAnchor(True)
        style.setAnchorHref(link)
        style.setProperty(COLOUR_PROPERTY, colour)
        style.setProperty(COPY_PROPERTY, copied)
        style.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignMiddle)
        return style

    def _why(self, sentence: Sentence) -> str:
        state = self._words(f"answer.state_{sentence.state.value}")
        return f"{state} {sentence.reason}".strip()
