"""Ask → evidence → prompt → tokens → proved sentences → a stored answer, or a refusal."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial

import msgspec

from aipc_app.answer.bars import bars_of
from aipc_app.answer.calibration import JudgeBars, Judges
from aipc_app.answer.gather import Gathered, Gatherer
from aipc_app.answer.meaning import Embeds, Meaning
from aipc_app.answer.prompt import build
from aipc_app.answer.run import AnswerRun, Outcome
from aipc_app.answer.wording import wording
from aipc_app.domain.answers import Answer, AnswerCleared, AnswerEvent, EvidenceFound, Question, Turn
from aipc_app.domain.remembering import Forecast
from aipc_app.errors import ModelUnavailable, UserMistake
from aipc_app.search.service import SearchService
from aipc_app.settings.model import Settings, Strictness
from aipc_app.store import Store
from aipc_app.text.language import language_of
from engine.client.base import EngineClient
from engine.types.model import EngineReady, LoadedModel

_TITLE_CHARACTERS = 60
_FIRST_GUESS_TOKENS_PER_S = 100.0  # prefill, until this PC's own speed was seen


class AnswerService:
    """Works out answers over one home. `ask` blocks; several threads may ask, the engine serves them in order."""

    def __init__(
        self,
        store: Store,
        search: SearchService,
        engine: EngineClient,
        encoder: Embeds,
        settings: Callable[[], Settings],
    ) -> None:
        self._store, self._engine, self._settings = store, engine, settings
        self._gatherer = Gatherer(store, search, engine)
        self._meaning = Meaning(encoder)
        self._judges = Judges(store, engine)
        self._prefill_tokens_per_s = _FIRST_GUESS_TOKENS_PER_S
        self._model = ""

    def ask(self, question: Question, emit: Callable[[AnswerEvent], None], cancel: threading.Event) -> Answer:
        """Emits events as they come and returns the stored answer. Raises UserMistake, EngineError, AipcError.

        Cancel keeps what was said and proved so far; nothing is lost.
        """
        if not question.cases and not question.library:
            raise UserMistake("Say what to ask: a case, or the law library.")
        model = self._ready_model()
        strictness = self._settings().answers.strictness
        run = AnswerRun(self._store, self._engine, self._meaning, question, emit, cancel, bars_of(strictness))
        judge = partial(self._judge, model, strictness, cancel)
        conversation, history = self._conversation(question)
        history = _recent(history, model.plan.context_tokens // 3)
        gathered = self._gather(question, history, model)
        emit(EvidenceFound(gathered.evidence, gathered.mode, gathered.seconds))
        outcome = run.work(gathered, history, judge=judge)
        if outcome.answer.refused and gathered.law and not cancel.is_set():
            emit(AnswerCleared())
            outcome = run.work(gathered.with_law(), history, judge=judge)
        self._learn_speed(outcome)
        return self._keep(question, conversation, outcome, model)

    def forecast(self, question: Question) -> Forecast:
        """What answering would have to read, from what is remembered now. Raises as `ask` does; reads nothing."""
        model = self._ready_model()
        _, history = self._conversation(question)
        history = _recent(history, model.plan.context_tokens // 3)
        room, cold = self._limits(question, history, model)
        documents = self._gatherer.whole(question, room_tokens=room, cold_tokens=cold)
        if not documents:
            return Forecast(whole=False)
        known = self._engine.known(
            build(documents=documents, history=history, passages="", question=question.text)
        )
        speed = known.prefill_tokens_per_s or self._prefill_tokens_per_s
        seconds = (known.tokens - known.known_tokens) / speed
        return Forecast(whole=True, tokens=known.tokens, known_tokens=known.known_tokens, seconds=seconds)

    def _judge(self, model: LoadedModel, strictness: Strictness, cancel: threading.Event) -> JudgeBars | None:
        """The bars for the loaded model's own check. One whose size is unknown is a server that gives no
        probabilities."""
        return self._judges.bars(model.identity, strictness, cancel) if model.parameters else None

    def _ready_model(self) -> LoadedModel:
        state = self._engine.state
        if not isinstance(state, EngineReady):
            raise ModelUnavailable("No language model is loaded; choose one under Models.")
        if state.model.identity != self._model:
            self._gatherer.forget_counts()
            self._model = state.model.identity
        return state.model

    def _conversation(self, question: Question) -> tuple[int | None, tuple[Turn, ...]]:
        """The conversation to go on with and its turns. It belongs to its cases: others may not be mixed in."""
        if question.conversation is None:
            return None, ()
        conversation = self._store.conversations.get(question.conversation)
        if set(conversation.cases) != set(question.cases):
            raise UserMistake(f"Conversation {conversation.id} is about another case; start a new one for this case.")
        return conversation.id, self._store.conversations.turns(conversation.id)

    def _gather(self, question: Question, history: tuple[Turn, ...], model: LoadedModel) -> Gathered:
        found = self._gatherer.search(question, history, self._settings().answers.passages)
        room, cold = self._limits(question, history, model)
        return self._gatherer.gather(question, found, room_tokens=room, cold_tokens=cold)

    def _limits(self, question: Question, history: tuple[Turn, ...], model: LoadedModel) -> tuple[int, int]:
        """Tokens the documents may take, and how many of them may be read cold."""
        told = sum(len(t.sent_passages) + len(t.sent_question) + len(t.said) for t in history)  # ≥ its tokens
        room = model.plan.context_tokens - question.max_tokens - told
        return room, int(self._settings().answers.cold_read_seconds * self._prefill_tokens_per_s)

    def _learn_speed(self, outcome: Outcome) -> None:
        timing = outcome.generation
        if timing.prefilled_tokens >= 256 and timing.prefill_s > 0:
            self._prefill_tokens_per_s = timing.prefilled_tokens / timing.prefill_s

    def _keep(self, question: Question, conversation: int | None, outcome: Outcome, model: LoadedModel) -> Answer:
        if conversation is None:
            title = " ".join(question.text.split())[:_TITLE_CHARACTERS]
            conversation = self._store.conversations.create(question.cases, question.library, title).id
        answer = msgspec.structs.replace(outcome.answer, conversation=conversation, model=model.name)
        self._store.conversations.add_turn(
            conversation,
            Turn(
                question=question.text,
                answer=answer,
                sent_passages=outcome.sent_passages,
                sent_question=outcome.sent_question,
                said=wording(language_of(question.text)).refusal if answer.refused else outcome.said,
            ),
        )
        outcome.finish(answer)
        return answer


def _recent(history: tuple[Turn, ...], most_characters: int) -> tuple[Turn, ...]:
    """The latest turns that fit; a conversation may be longer than any context. A character is about a token."""
    kept: list[Turn] = []
    for turn in reversed(history):
        most_characters -= len(turn.sent_passages) + len(turn.sent_question) + len(turn.said)
        if most_characters < 0:
            break
        kept.append(turn)
    return tuple(reversed(kept))
