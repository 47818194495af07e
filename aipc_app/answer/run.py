"""One question being worked out: generation, proof, the model's own check, refusal."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from aipc_app.answer import judge as judging
from aipc_app.answer.bars import Bars
from aipc_app.answer.calibration import JudgeBars
from aipc_app.answer.cancelling import cancelling
from aipc_app.answer.claim import is_bare
from aipc_app.answer.gather import Gathered
from aipc_app.answer.meaning import Meaning
from aipc_app.answer.prompt import build, passages_text, question_text, replace_question, sources_label
from aipc_app.answer.proof import Proof, keep_cited
from aipc_app.answer.units import cut_units
from aipc_app.answer.wording import says_not_found, wording
from aipc_app.domain.answers import (
    Answer,
    AnswerDelta,
    Answered,
    AnswerEvent,
    AnswerTiming,
    Question,
    Reading,
    SentenceReady,
    SentenceState,
    Turn,
)
from aipc_app.domain.remembering import owner_of
from aipc_app.store import Store
from aipc_app.text.language import language_of
from aipc_app.text.sentences import SentenceStream
from engine.client.base import EngineClient
from engine.types.generation import (
    DeltaKind,
    FinishReason,
    Generated,
    GenerateRequest,
    PrefillProgress,
    TextDelta,
    Timing,
)
from engine.types.prompt import Prompt


@dataclass(frozen=True)
class Outcome:
    """The answer without its place in a conversation, what was sent and said, and the engine's figures."""

    answer: Answer
    sent_passages: str
    sent_question: str
    said: str
    generation: Timing
    finish: Callable[[Answer], None]


class AnswerRun:
    """Works one question out on the calling thread; `work` may be called again with more material."""

    def __init__(
        self,
        store: Store,
        engine: EngineClient,
        meaning: Meaning,
        question: Question,
        emit: Callable[[AnswerEvent], None],
        cancel: threading.Event,
        bars: Bars,
    ) -> None:
        self._bars = bars
        self._store, self._engine, self._meaning = store, engine, meaning
        self._question, self._emit, self._cancel = question, emit, cancel
        self._owner = owner_of(question.cases)
        self._language = language_of(question.text)
        self._words = wording(self._language)
        self._taken = time.monotonic()
        self._first_token: float | None = None
        self._held = ""

    def work(
        self, gathered: Gathered, history: tuple[Turn, ...], *, judge: Callable[[], JudgeBars | None]
    ) -> Outcome:
        """`judge` gives the bars for the model's own check, None if that is not to be believed; it is called only
        where there is something to check, since it may have to put the model to the test first."""
        self._held = ""
        passages = passages_text(gathered.passages, self._words)
        question = question_text(self._question.text, self._words)
        if not gathered.sources:
            return self._outcome(gathered, None, "", Timing(), passages, question, stopped=False)
        proof = Proof(self._store, self._meaning, cut_units(gathered.sources), self._question.text, self._bars)
        prompt = build(
            documents=gathered.documents,
            history=history,
            passages=passages,
            question=question,
            passage_source=sources_label(gathered.passages),
        )
        end = self._generate(GenerateRequest(prompt, self._question.max_tokens, owner=self._owner), proof)
        stopped = end.reason is FinishReason.CANCELLED
        material = replace_question(prompt, judging.material_question(self._question.text, self._words))
        stopped = not self._check(proof, material, judge) or stopped
        return self._outcome(gathered, proof, end.text, end.timing, passages, question, stopped=stopped)

    def _generate(self, request: GenerateRequest, proof: Proof) -> Generated:
        stream = SentenceStream()
        generation = self._engine.generate(request)
        with cancelling(self._cancel, generation.cancel):
            for event in generation:
                match event:
                    case PrefillProgress():
                        self._emit(
                            Reading(
                                event.done_tokens,
                                event.total_tokens,
                                event.restored_tokens,
                                event.seconds_left,
                            )
                        )
                    case TextDelta(text=text, kind=DeltaKind.ANSWER):
                        self._first_token = self._first_token or time.monotonic()
                        self._emit(AnswerDelta(text))
                        for sentence in stream.feed(text):
                            self._prove(sentence.text, proof)
                    case Generated():
                        for sentence in stream.finish():
                            self._prove(sentence.text, proof)
                        if self._held:
                            self._prove("", proof, last=True)
                        return event
        raise AssertionError("a generation ends with Generated or raises")

    def _prove(self, sentence: str, proof: Proof, *, last: bool = False) -> None:
        """Prove the next sentence; a bare 没有。 or Yes. waits for the one it introduces."""
        space = " " if self._held and self._language == "en" else ""
        sentence, self._held = f"{self._held}{space}{sentence}".strip(), ""
        if says_not_found(sentence):
            return
        if is_bare(sentence) and not last:
            self._held = sentence
            return
        index = len(proof.sentences)
        proved, citations = proof.add(sentence)
        self._emit(SentenceReady(index, proved, citations))

    def _check(self, proof: Proof, material: Prompt, judge: Callable[[], JudgeBars | None]) -> bool:
        """Ask the model itself whether what looks supported answers the question; it can only lower a state.

        `material`: the prompt with a question about the whole of the material in the question's place. Stopped by
        the user it returns False, and what was not checked is in doubt.
        """
        supported = [i for i, s in enumerate(proof.sentences) if s.state is SentenceState.SUPPORTED]
        bars = judge() if supported else None
        if bars is None and not self._cancel.is_set():
            return True
        whole: float | None = None
        for index in supported:
            if bars is None or self._cancel.is_set():
                self._emit(SentenceReady(index, proof.lower(index, SentenceState.IN_DOUBT, unchecked=True), ()))
                continue
            if whole is None:
                whole = judging.probability_of_yes(self._engine, material, self._words, owner=self._owner)
            quote = judging.quote_prompt(proof.evidence(index), self._question.text, self._words)
            quoted = judging.probability_of_yes(self._engine, quote, self._words, owner=self._owner)
            yes = (whole + quoted) / 2
            if yes < bars.support:
                lowered = SentenceState.IN_DOUBT if yes >= bars.doubt else SentenceState.UNSUPPORTED
                self._emit(SentenceReady(index, proof.lower(index, lowered), ()))
        return not self._cancel.is_set()

    def _outcome(
        self,
        gathered: Gathered,
        proof: Proof | None,
        said: str,
        timing: Timing,
        passages: str,
        question: str,
        *,
        stopped: bool,
    ) -> Outcome:
        sentences, citations = keep_cited(proof) if proof else ((), ())
        refused = not stopped and not any(s.state is SentenceState.SUPPORTED for s in sentences)
        now = time.monotonic()
        answer = Answer(
            question=self._question.text,
            text=self._words.refusal if refused else said.strip(),
            language=self._language,
            mode=gathered.mode,
            refused=refused,
            sentences=() if refused else sentences,
            citations=() if refused else citations,
            nearest=tuple(item for item in gathered.evidence if item.along is None) if refused else (),
            stopped=stopped,
            timing=AnswerTiming(
                ttft_s=(self._first_token or now) - self._taken,
                total_s=now - self._taken,
                prompt_tokens=timing.prompt_tokens,
                restored_tokens=timing.restored_tokens,
                prefilled_tokens=timing.prefilled_tokens,
                generated_tokens=timing.generated_tokens,
                decode_tokens_per_s=timing.decode_tokens_per_s,
            ),
        )
        return Outcome(answer, passages, question, said, timing, lambda stored: self._emit(Answered(stored)))
