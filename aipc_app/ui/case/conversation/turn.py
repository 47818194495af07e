"""One question and its answer on screen."""

from __future__ import annotations

import shiboken6
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QWidget

from aipc_app.domain.answers import (
    Answer,
    AnswerCleared,
    AnswerDelta,
    Answered,
    Citation,
    EvidenceFound,
    Mode,
    Reading,
    Sentence,
    SentenceReady,
    SentenceState,
)
from aipc_app.ui.case.conversation.answer_view import AnswerView
from aipc_app.ui.case.conversation.cards import citation_card
from aipc_app.ui.case.conversation.evidence import EvidenceList
from aipc_app.ui.case.conversation.export import answer_text
from aipc_app.ui.case.conversation.foot import TurnFoot
from aipc_app.ui.case.conversation.progress import TurnProgress
from aipc_app.ui.case.viewer.pane import Place
from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.basics import announce, column, frame, label, row, themed
from aipc_app.ui.widgets.figures import seconds


class TurnView(QFrame):
    """Takes AnswerEvents while it is worked out, or a stored Answer.

    `opened(Place)` for a source, `again(question)` to ask once more, `golden(Answer)` to keep it among the golden ones.
    """

    opened = Signal(object)
    again = Signal(str)
    golden = Signal(object)

    def __init__(self, context: UiContext, question: str) -> None:
        super().__init__()
        self._context, self.question = context, question
        self._sentences: list[Sentence] = []
        self._citations: dict[int, Citation] = {}
        self.answer: Answer | None = None
        self._inside = column(self, gap=10)
        self.progress = TurnProgress(context)
        self.evidence: EvidenceList | None = None
        self.view = AnswerView(context)
        self.view.source_wanted.connect(self._open_source)
        self.view.why.connect(self._tell_why)
        self._why = label(kind="small", wrap=True)
        self._why.hide()
        self._aside: QWidget | None = None
        self._told_error = False
        self._after = column(gap=6)
        self._lay_out()

    def take(self, batch: tuple[object, ...]) -> None:
        """What came since the last repaint; runs of text are put on screen once."""
        cleared = max((i for i, event in enumerate(batch) if isinstance(event, AnswerCleared)), default=None)
        if cleared is not None:
            self._start_over()
            batch = batch[cleared + 1 :]
        text = "".join(event.text for event in batch if isinstance(event, AnswerDelta))
        if text:
            self.put_aside(None)
            self.view.show()
            self.progress.writing()
            self.view.add_text(text)
        checked = [event for event in batch if isinstance(event, SentenceReady)]
        if checked:
            self._take_sentences(checked)
        for event in batch:
            self._take_one(event)

    def show_answer(self, answer: Answer) -> None:
        """The whole answer as it is stored."""
        self.answer = answer
        self._citations = {citation.marker: citation for citation in answer.citations}
        self.progress.hide()
        if self.evidence is not None:
            self.evidence.fold()
        if answer.refused:
            self._show_refusal(answer)
        else:
            self.view.finish(answer.text, answer.sentences)
            self.view.show()
            self._show_sources(answer)
        foot = TurnFoot(self._context, answer)
        foot.keep.clicked.connect(lambda: self.golden.emit(answer))
        self._after.addWidget(foot)
        self._context.bridge.post(self._announce)

    def put_aside(self, card: QWidget | None) -> None:
        """A card in the place of the progress, while the question waits; None: it goes on."""
        before, self._aside = self._aside, card
        if before is not None:
            before.hide()
            before.deleteLater()
            self.progress.setVisible(self.answer is None)
        if card is not None:
            self._inside.insertWidget(1, card)
            self.progress.hide()

    def show_error(self, sentence: str) -> None:
        """It could not be answered; what was said stays, unchecked."""
        self._told_error = True
        self.progress.hide()
        box = frame("quiet-card", name="turnError")
        inside = row(box, gap=8)
        inside.setContentsMargins(12, 8, 8, 8)
        inside.addWidget(self._icon("warning", "bad"))
        inside.addWidget(label(sentence, wrap=True), 1)
        self._after.addWidget(box)
        self._after.addWidget(TurnFoot.retry(self._context, lambda: self.again.emit(self.question)))

    def show_stopped(self) -> None:
        """Stopped before anything was said."""
        self.progress.hide()
        if not self.view.text and not self._told_error:
            self._after.addWidget(label(self._context.words("answer.stopped"), "muted"))

    def as_text(self) -> str:
        """For the clipboard: the answer and its sources."""
        return answer_text(self.answer, self._context.words) if self.answer is not None else self.view.text

    def open_first_source(self) -> None:
        if self.answer is not None and self.answer.citations:
            self._open_source(self.answer.citations[0].marker)

    def _lay_out(self) -> None:
        asked = frame("question")
        inside = column(asked)
        inside.setContentsMargins(13, 9, 13, 9)
        text = label(self.question, wrap=True)
        text.setTextInteractionFlags(text.textInteractionFlags() | text.textInteractionFlags().TextSelectableByMouse)
        text.setAccessibleName(f"{self._context.words('answer.question')}: {self.question}")
        inside.addWidget(text)
        self._inside.addWidget(asked)
        self._inside.addWidget(self.progress)
        self._inside.addWidget(self.view)
        self._inside.addWidget(self._why)
        self._inside.addLayout(self._after)
        self.view.hide()

    def _take_one(self, event: object) -> None:
        match event:
            case float() | int():
                self.progress.loading(float(event))
            case EvidenceFound():
                self._show_evidence(event)
            case Reading():
                self.progress.show()
                self.progress.reading(event)
            case Answered(answer=answer):
                self.show_answer(answer)
            case _:
                pass

    def _start_over(self) -> None:
        """The case did not bear out what was said; the library is asked too."""
        self._sentences, self._citations = [], {}
        self.view.clear_text()
        self.progress.searching()

    def _take_sentences(self, checked: list[SentenceReady]) -> None:
        for event in checked:
            self._sentences[event.index : event.index + 1] = [event.sentence]
            self._citations |= {citation.marker: citation for citation in event.citations}
        self.view.set_sentences(self._sentences)

    def _show_evidence(self, event: EvidenceFound) -> None:
        words = self._context.words
        whole = words("answer.reads_whole") if event.mode is Mode.WHOLE else words("answer.reads_passages")
        head = words("answer.found", count=len(event.evidence), took=seconds(event.seconds))
        self.evidence = EvidenceList(
            self._context, event.evidence, f"{head} · {whole}", self.opened.emit, query=self.question)
        self._inside.insertWidget(1, self.evidence)
        self.progress.preparing()

    def _show_refusal(self, answer: Answer) -> None:
        words = self._context.words
        self.view.hide()
        box = frame("refusal", name="refusal")
        inside = row(box, gap=10)
        inside.setContentsMargins(13, 10, 13, 10)
        inside.addWidget(self._icon("none", "warn"))
        inside.addWidget(label(answer.text, "strong", wrap=True), 1)
        self._after.addWidget(box)
        if answer.nearest:
            self._after.addWidget(EvidenceList(
                self._context, answer.nearest, words("answer.nearest"), self.opened.emit, query=self.question,
                is_evidence=False))

    def _show_sources(self, answer: Answer) -> None:
        words = self._context.words
        for state in (SentenceState.UNSUPPORTED, SentenceState.IN_DOUBT):
            count = sum(sentence.state is state for sentence in answer.sentences)
            if count:
                self._after.addWidget(self._legend(state, count))
        if answer.citations:
            self._after.addWidget(label(words("answer.sources"), "small-strong"))
        for citation in answer.citations:
            self._after.addWidget(citation_card(self._context, citation, self.opened.emit))

    def _legend(self, state: SentenceState, count: int) -> QWidget:
        bad = state is SentenceState.UNSUPPORTED
        made = QWidget()
        inside = row(made, gap=6)
        inside.addWidget(self._icon("warning" if bad else "doubt", "bad" if bad else "warn", 14))
        inside.addWidget(label(self._context.words(f"answer.count_{state.value}", count=count), "small", wrap=True), 1)
        return made

    def _icon(self, name: str, colour: str, size: int = 18) -> QWidget:
        made, look = label(), self._context.look
        themed(made, look, lambda: made.setPixmap(look.icon(name, getattr(look.tokens, colour)).pixmap(size, size)))
        return made

    def _open_source(self, marker: int) -> None:
        citation = self._citations.get(marker)
        if citation is not None:
            self.opened.emit(Place(citation.document_id, citation.page, (citation.start, citation.end)))

    def _announce(self) -> None:
        """Of an answer that just came, not of a stored one."""
        if shiboken6.isValid(self) and self.answer is not None and self.progress.started:
            words = self._context.words
            text = self.answer.text if self.answer.refused else words(
                "answer.ready", count=len(self.answer.citations))
            announce(self, text)

    def _tell_why(self, index: int) -> None:
        sentences = self.answer.sentences if self.answer is not None else self._sentences
        if 0 <= index < len(sentences):
            state = self._context.words(f"answer.state_{sentences[index].state.value}")
            self._why.setText(f"{state} {sentences[index].reason}".strip())
            self._why.show()
