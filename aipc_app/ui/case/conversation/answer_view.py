"""The text of one answer: streams, is marked sentence by sentence, its chips can be clicked."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QMimeData, QSize, Qt, QUrl, Signal
from PySide6.QtGui import QResizeEvent, QTextCursor, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QTextBrowser

from aipc_app.domain.answers import Sentence
from aipc_app.ui.case.conversation.chips import CHIP_TYPE, COPY_PROPERTY, OBJECT, TIE, ChipObject
from aipc_app.ui.case.conversation.writer import SOURCE, WHY, AnswerWriter, Written
from aipc_app.ui.context import UiContext


class AnswerView(QTextBrowser):
    """As high as its text.

    `source_wanted(marker)` and `why(sentence index)` when a chip is activated, by mouse or keys.
    """

    source_wanted = Signal(int)
    why = Signal(int)

    def __init__(self, context: UiContext) -> None:
        super().__init__()
        self._context = context
        self._text, self._finished = "", False
        self._sentences: tuple[Sentence, ...] = ()
        self._written = Written()
        self.setProperty("kind", "answer")
        self.setOpenLinks(False)
        self.setUndoRedoEnabled(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.document().setDocumentMargin(2)
        self._chip = ChipObject(context.look)
        self.document().documentLayout().registerHandler(CHIP_TYPE, self._chip)
        self.document().documentLayout().documentSizeChanged.connect(lambda _size: self._fit())
        self.anchorClicked.connect(self._follow)
        context.words.bind(self, self.setAccessibleName, "answer.name")
        context.look.changed.connect(self._rewrite)
        context.words.changed.connect(self._rewrite)

    @property
    def text(self) -> str:
        """What was said so far, as the model wrote it."""
        return self._text

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """Those judged so far, as drawn."""
        return self._sentences

    def add_text(self, text: str) -> None:
        self._text += text
        self._writer().append(text)

    def clear_text(self) -> None:
        """What was said is taken back; something else follows."""
        self._text, self._sentences = "", ()
        self._rewrite()

    def set_sentences(self, sentences: Sequence[Sentence]) -> None:
        """Those checked so far."""
        self._continue(tuple(sentences))

    def finish(self, text: str, sentences: Sequence[Sentence]) -> None:
        """The whole answer as it is stored."""
        same = text == self._text
        self._text, self._finished = text, True
        if same:
            self._continue(tuple(sentences))
        else:
            self._sentences = tuple(sentences)
            self._rewrite()

    def sizeHint(self) -> QSize:
        return QSize(200, self._height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # the conversation scrolls, not the answer

    def createMimeDataFromSelection(self) -> QMimeData:
        data = QMimeData()
        data.setText(self._selected_text())
        return data

    def _continue(self, sentences: tuple[Sentence, ...]) -> None:
        """Write what is new; everything, when a sentence that stands was changed."""
        kept = self._written.sentences
        if sentences[:kept] != self._sentences[:kept]:
            self._written = Written()
        self._sentences = sentences
        self._write()

    def _rewrite(self) -> None:
        self._written = Written()
        self._write()

    def _write(self) -> None:
        self._written = self._writer().write(
            self._text, self._sentences, finished=self._finished, after=self._written)
        self._fit()

    def _writer(self) -> AnswerWriter:
        return AnswerWriter(self.document(), self._context.look.tokens, self._context.words)

    def _height(self) -> int:
        return int(self.document().size().height()) + 4

    def _fit(self) -> None:
        if self.height() != self._height():
            self.setFixedHeight(self._height())

    def _follow(self, link: QUrl) -> None:
        target = link.toString()
        if target.startswith(SOURCE):
            self.source_wanted.emit(int(target.removeprefix(SOURCE)))
        elif target.startswith(WHY):
            self.why.emit(int(target.removeprefix(WHY)))

    def _selected_text(self) -> str:
        """With chips written out as [1]."""
        cursor = self.textCursor()
        chosen = cursor.selectedText().replace("\u2029", "\n")
        if OBJECT not in chosen:
            return chosen
        parts, walker = [], QTextCursor(self.document())
        for place in range(cursor.selectionStart(), cursor.selectionEnd()):
            walker.setPosition(place)
            walker.setPosition(place + 1, QTextCursor.MoveMode.KeepAnchor)
            letter = walker.selectedText().replace("\u2029", "\n")
            parts.append(str(walker.charFormat().property(COPY_PROPERTY)) if letter == OBJECT else letter)
        return "".join(parts).replace(TIE, "")
