"""The conversation about a case: past turns, the one being answered, the ask box."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import shiboken6
from msgspec.structs import replace
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QPushButton, QScrollArea, QWidget

from aipc_app.domain.answers import Answer, Conversation, Mode, Question, Turn
from aipc_app.domain.documents import LIBRARY_ID
from aipc_app.domain.remembering import Forecast
from aipc_app.operations import asking, remembering
from aipc_app.ui.bridge.lanes import Lane
from aipc_app.ui.bridge.running import Running
from aipc_app.ui.case.conversation.composer import Composer
from aipc_app.ui.case.conversation.head import ConversationHead
from aipc_app.ui.case.conversation.long_read import LONG_S, LongReadCard, QueuedCard
from aipc_app.ui.case.conversation.queue import QuestionQueue, Waiting
from aipc_app.ui.case.conversation.saving import save_conversation
from aipc_app.ui.case.conversation.turn import TurnView
from aipc_app.ui.context import UiContext
from aipc_app.ui.problems import translate_error
from aipc_app.ui.widgets.basics import clear, column, frame, label
from aipc_app.ui.widgets.card import CardButton
from aipc_app.ui.widgets.empty import EmptyState

TURNS_AT_ONCE = 12


@dataclass(frozen=True)
class Scope:
    """What is asked: cases (none for the library alone)."""

    cases: tuple[int, ...]
    library_alone: bool = False

    @property
    def searched(self) -> tuple[int, ...]:
        """Where passages are looked for."""
        return (LIBRARY_ID,) if self.library_alone else self.cases

    @property
    def listed_under(self) -> int | None:
        """The case whose conversations are listed."""
        return LIBRARY_ID if self.library_alone else self.cases[0]


class ConversationPane(QFrame):
    """`opened(Place)` for a source, `answered(Answer)`, `files(paths)` pasted into the ask box,
    `golden(Answer)` to keep a question among the golden ones."""

    opened = Signal(object)
    answered = Signal(object)
    files = Signal(list)
    golden = Signal(object)

    def __init__(self, context: UiContext, *, library_alone: bool = False) -> None:
        super().__init__()
        self._context = context
        self._scope: Scope | None = None
        self._conversation: int | None = None
        self._earlier: tuple[Turn, ...] = ()
        self._running: Running | None = None
        self.included: frozenset[int] | None = None
        self.turns: list[TurnView] = []
        self.queue = QuestionQueue(context, self)
        self._sticking = False  # the end was in view, so it stays in view
        self.setProperty("kind", "pane")
        self.setMinimumWidth(320)
        self.head = ConversationHead(context)
        self.composer = Composer(context, library_choice=not library_alone)
        kind = "library" if library_alone else "case"
        self.empty = EmptyState(context.words, context.look, "chat", f"ask.empty_{kind}", f"ask.empty_{kind}_hint")
        self.area = QScrollArea(widgetResizable=True)
        self.older = QPushButton()
        self._lay_out()
        self._connect()

    @property
    def conversation(self) -> int | None:
        """The stored conversation that the next question goes on with."""
        return self._conversation

    @property
    def busy(self) -> bool:
        return self._running is not None

    def show_scope(self, scope: Scope) -> None:
        """Another case: its latest conversation, if there is one."""
        self._scope = scope
        self.suggest(())
        if scope.cases:
            self.composer.scope.show_case(scope.cases[0])
        self.head.show_scope(scope.listed_under)
        self.new()
        bridge = self._context.bridge
        bridge.start(asking.list_conversations(bridge.services, case_id=scope.listed_under), self,
                     done=lambda found: self._open_latest(scope, found))

    def _open_latest(self, scope: Scope, found: tuple[Conversation, ...]) -> None:
        if found and scope is self._scope and not self.turns:  # unless something was asked meanwhile
            self.open(found[0].id)

    def new(self) -> None:
        """An empty conversation; it is stored with its first answer."""
        self.stop()
        self._running, self._conversation, self._earlier = None, None, ()
        self.composer.set_busy(False)
        self._clear_turns()

    def open(self, conversation_id: int) -> None:
        """A stored conversation."""
        scope, bridge = self._scope, self._context.bridge
        self.new()
        bridge.start(asking.read_conversation(bridge.services, conversation_id=conversation_id), self,
                     done=lambda turns: self._show_turns(conversation_id, turns) if scope is self._scope else None)

    def ask(self, text: str) -> None:
        """Ask; evidence, words and marks come as they are found. Before a long reading the user is asked first."""
        if self._scope is None or self.busy:
            return
        turn = self._add_turn(text)
        self.composer.set_busy(True)
        self.follow_end()
        bridge, question = self._context.bridge, self._question(text)
        if question.mode is Mode.RETRIEVAL or not question.cases:
            self._ask_now(turn, question)
            return
        forecast: list[Forecast] = []
        self._running = bridge.start(
            remembering.forecast(bridge.services, question=question), turn, lane=Lane.ASK,
            events=lambda batch: self._take(turn, batch), done=forecast.append,
            failed=lambda error: self._failed(turn, error), ended=lambda: self._foreseen(turn, question, forecast))

    def _foreseen(self, turn: TurnView, question: Question, forecast: list[Forecast]) -> None:
        """Go on at once, or let the user choose."""
        stopped = self._running is not None and self._running.cancelled
        if not forecast or stopped or turn not in self.turns:
            self._ended(turn)
        elif forecast[0].whole and forecast[0].seconds >= LONG_S:
            self._running = None
            self.composer.set_busy(False)
            self._offer(turn, question, forecast[0])
        else:
            self._ask_now(turn, question)

    def _offer(self, turn: TurnView, question: Question, forecast: Forecast) -> None:
        def unless_busy(act: Callable[[], None]) -> None:
            if self.busy:
                self._context.notices.tell(self._context.words("ask.busy"))
            else:
                turn.put_aside(None)
                act()

        passages = replace(question, mode=Mode.RETRIEVAL)
        turn.put_aside(LongReadCard(
            self._context, forecast, now=lambda: unless_busy(lambda: self._ask_now(turn, question)),
            later=lambda: self._ask_later(turn, question),
            passages=lambda: unless_busy(lambda: self._ask_now(turn, passages))))
        self.follow_end()

    def _ask_now(self, turn: TurnView, question: Question) -> None:
        self.composer.set_busy(True)
        bridge = self._context.bridge
        self._running = bridge.start(
            asking.ask(bridge.services, question=replace(question, conversation=self._conversation)), turn,
            lane=Lane.ASK, events=lambda batch: self._take(turn, batch), done=lambda answer: self._done(turn, answer),
            failed=lambda error: self._failed(turn, error), ended=lambda: self._ended(turn))

    def _ask_later(self, turn: TurnView, question: Question) -> None:
        """Put it into the queue; the pane stays free for other questions."""
        def seen() -> bool:
            return shiboken6.isValid(turn) and turn in self.turns

        def conversation() -> int | None:
            return self._conversation if seen() else question.conversation

        waiting = Waiting(
            question.text, lambda: replace(question, conversation=conversation()),
            take=lambda batch: turn.take(batch) if seen() else None,
            done=lambda answer: self._done(turn, answer) if seen() else None,
            failed=lambda sentence: turn.show_error(sentence) if seen() else None,
            ended=lambda: self._queued_ended(turn) if seen() else None)
        turn.put_aside(QueuedCard(self._context, lambda: self.queue.cancel(waiting)))
        self.queue.add(waiting)

    def _queued_ended(self, turn: TurnView) -> None:
        turn.put_aside(None)
        if turn.answer is None:
            turn.show_stopped()

    def stop(self) -> None:
        """What was said so far is kept."""
        if self._running is not None:
            self._running.cancel()

    def suggest(self, questions: Sequence[str]) -> None:
        """Offer questions while the conversation is empty; a click asks."""
        clear(self.empty.buttons)
        for question in questions:
            offer = CardButton()
            offer.add(label(question, wrap=True))
            offer.setAccessibleName(question)
            offer.clicked.connect(lambda _on=False, question=question: self.ask(question))
            self.empty.buttons.addWidget(offer)

    @property
    def main_field(self) -> QWidget:
        """What F6 goes to."""
        return self.composer.field

    def copy_last(self) -> None:
        """The last answer with its sources, to the clipboard."""
        if self.turns:
            QGuiApplication.clipboard().setText(self.turns[-1].as_text())
            self._context.notices.tell(self._context.words("answer.copied"))

    def follow_end(self) -> None:
        """Scroll down once the layout has its new size."""
        self._sticking = True
        self._context.bridge.post(self._scroll_to_end)

    def _question(self, text: str) -> Question:
        scope = self._scope
        assert scope is not None
        included = self.included if len(scope.cases) < 2 else None  # check boxes are those of the open case
        return Question(
            text=text, cases=scope.cases, library=scope.library_alone or self.composer.library.isChecked(),
            mode=self.composer.chosen_mode, documents=included,
            conversation=self._conversation,
            max_tokens=self._context.services.settings().answers.max_tokens)

    def _lay_out(self) -> None:
        inside = column(self, gap=0)
        inside.addWidget(self.head)
        sheet = QWidget()
        sheet.setProperty("kind", "sheet")
        self._sheet = column(sheet, gap=22)
        self._sheet.setContentsMargins(18, 14, 18, 18)
        self.older.setProperty("kind", "link")
        self.older.hide()
        self._sheet.addWidget(self.older)
        self._turns = column(gap=26)
        self._sheet.addLayout(self._turns)
        self._sheet.addWidget(self.empty, 1)
        self._sheet.addStretch(0)
        self.area.setWidget(sheet)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        inside.addWidget(self.area, 1)
        foot = frame("pane")
        around = column(foot)
        around.setContentsMargins(14, 4, 14, 14)
        around.addWidget(self.composer)
        inside.addWidget(foot)

    def _connect(self) -> None:
        self.composer.asked.connect(self.ask)
        self.composer.stopped.connect(self.stop)
        self.composer.files.connect(self.files)
        self.composer.scope.changed.connect(self._ask_others)
        self.older.clicked.connect(self._show_older)
        self.head.new.connect(self._start_new)
        self.head.chosen.connect(self.open)
        self.head.deleted.connect(self._deleted)
        self.head.export.connect(self._export)
        self.area.verticalScrollBar().rangeChanged.connect(lambda _low, _high: self._stick())

    def _start_new(self) -> None:
        self.new()
        self.composer.field.setFocus()

    def _ask_others(self, others: list[int]) -> None:
        """A conversation belongs to its cases: with others it is a new one."""
        if self._scope is not None:
            self._scope = Scope((self._scope.cases[0], *others))
            self.new()

    def _deleted(self, conversation_id: int) -> None:
        if conversation_id == self._conversation:
            self.new()

    def _show_turns(self, conversation_id: int, turns: tuple[Turn, ...]) -> None:
        self._conversation = conversation_id
        self._earlier = turns[:-TURNS_AT_ONCE]
        for turn in turns[-TURNS_AT_ONCE:]:
            self._add_turn(turn.question).show_answer(turn.answer)
        self._offer_older()
        self.follow_end()

    def _show_older(self) -> None:
        more, self._earlier = self._earlier[-TURNS_AT_ONCE:], self._earlier[:-TURNS_AT_ONCE]
        for turn in reversed(more):
            self._add_turn(turn.question, first=True).show_answer(turn.answer)
        self._offer_older()

    def _offer_older(self) -> None:
        self.older.setVisible(bool(self._earlier))
        self.older.setText(self._context.words("ask.older", count=len(self._earlier)))

    def _add_turn(self, question: str, *, first: bool = False) -> TurnView:
        turn = TurnView(self._context, question)
        turn.opened.connect(self.opened)
        turn.again.connect(self.ask)
        turn.golden.connect(self.golden)
        place = 0 if first else len(self.turns)
        self._turns.insertWidget(place, turn)
        self.turns.insert(place, turn)
        self.empty.hide()
        return turn

    def _clear_turns(self) -> None:
        clear(self._turns)
        self.turns = []
        self.older.hide()
        self.empty.show()

    def _take(self, turn: TurnView, batch: tuple[object, ...]) -> None:
        self._sticking = self._at_end()
        turn.take(batch)

    def _at_end(self) -> bool:
        bar = self.area.verticalScrollBar()
        return bar.value() >= bar.maximum() - 40

    def _stick(self) -> None:
        if self.busy and self._sticking:
            self._scroll_to_end()

    def _scroll_to_end(self) -> None:
        if shiboken6.isValid(self):
            bar = self.area.verticalScrollBar()
            bar.setValue(bar.maximum())

    def _done(self, turn: TurnView, answer: Answer) -> None:
        if turn.answer is None:
            turn.show_answer(answer)
        self._conversation = answer.conversation or self._conversation
        self.answered.emit(answer)

    def _failed(self, turn: TurnView, error: BaseException) -> None:
        problem = translate_error(error, self._context.words)
        turn.show_error(problem.sentence)
        self._context.notices.show_problem(problem)

    def _ended(self, turn: TurnView) -> None:
        if turn not in self.turns:
            return  # another case or conversation is shown by now
        if turn.answer is None:
            turn.show_stopped()
        self._running = None
        self.composer.set_busy(False)

    def answers(self) -> tuple[Answer, ...]:
        """All answers of the conversation, those not drawn included."""
        return (*(turn.answer for turn in self._earlier),
                *(turn.answer for turn in self.turns if turn.answer is not None))

    def _export(self) -> None:
        save_conversation(self, self._context, self.answers())
