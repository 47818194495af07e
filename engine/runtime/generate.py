"""One answer: prefill, then token by token until it ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator

from engine.errors import EngineError, RequestInvalid
from engine.native.sampler import Sampler
from engine.native.schema import grammar_of
from engine.runtime.job import Job
from engine.runtime.loaded import Loaded
from engine.runtime.reading import Reading
from engine.runtime.text import AnswerText
from engine.runtime.tokens import plain_tokens
from engine.types.generation import (
    FinishReason,
    Generated,
    GenerateRequest,
    GenerationEvent,
    PrefillProgress,
    Timing,
)  # fmt: skip

_SHOWN_MARKS = (b"<think>", b"</think>")


class GenerateJob(Job):
    """Emits PrefillProgress and TextDelta, at last Generated. `emit` is called on the engine's thread."""

    def __init__(
        self, id_: int, request: GenerateRequest, emit: Callable[[GenerationEvent], None],
        on_failure: Callable[[EngineError], None],
    ) -> None:  # fmt: skip
        super().__init__(id_, request.priority)
        self._request, self._emit, self._on_failure = request, emit, on_failure
        self._reading: Reading | None = None
        self._text = AnswerText(request.stop, thinking=False)
        self._generated, self._queue_s = 0, 0.0
        self._first_token_at = 0.0

    def steps(self, loaded: Loaded) -> Generator[None, None, None]:
        self._queue_s = time.monotonic() - self.queued_at
        sampler: Sampler | None = None
        try:
            grammar = _grammar(self._request)
            sampler = Sampler(loaded.vocab, self._request.sampling, grammar)
            reading = self._begin(loaded, sampler, free=grammar is None)
            yield from reading.prefill(self._report)
            reason = yield from self._answer(loaded, sampler, reading)
            self._finish(reason)
        finally:
            if self._reading is not None:
                self._reading.finish()
            if sampler is not None:
                sampler.close()

    def suspend(self) -> None:
        if self._reading is not None:
            self._reading.suspend()

    def stopped(self) -> None:
        self._finish(FinishReason.CANCELLED)

    def fail(self, error: EngineError) -> None:
        self._on_failure(error)

    def _begin(self, loaded: Loaded, sampler: Sampler, *, free: bool) -> Reading:
        request = self._request
        if request.max_tokens < 1:
            raise RequestInvalid("An answer of no tokens was asked for.")
        prompt = loaded.prompt(request.prompt, think=free)
        self._reading = Reading(self, loaded, prompt, request.max_tokens)
        self._text = AnswerText(
            request.stop, thinking=prompt.thinking, answering=bool(request.prompt.answer_start) or not free
        )
        for token in plain_tokens(loaded.vocab, request.prompt.answer_start):
            if not sampler.allows(token):
                raise RequestInvalid("The beginning given for the answer doesn't fit the grammar.")
            sampler.accept(token)
        for delta in self._text.feed(request.prompt.answer_start.encode()):
            self._emit(delta)
        return self._reading

    def _answer(self, loaded: Loaded, sampler: Sampler, reading: Reading) -> Generator[None, None, FinishReason]:
        while True:
            token = sampler.sample(reading.logits)
            if self._generated == 0:
                self._first_token_at = time.monotonic()
            if loaded.vocab.ends_generation(token):
                return FinishReason.STOP
            self._generated += 1
            self._show(loaded, token)
            if self._text.stopped:
                return FinishReason.STOP
            if self._generated >= self._request.max_tokens:
                return FinishReason.LENGTH
            reading.tokens.append(token)
            yield
            yield from reading.advance()

    def _show(self, loaded: Loaded, token: int) -> None:
        data = loaded.vocab.piece(token)
        if not data:
            mark = loaded.vocab.piece(token, special=True)
            data = mark if mark in _SHOWN_MARKS else b""
        for delta in self._text.feed(data):
            self._emit(delta)

    def _report(self, done: int, total: int, restored: int, seconds_left: float) -> None:
        self._emit(PrefillProgress(done, total, restored, seconds_left))

    def _finish(self, reason: FinishReason) -> None:
        for delta in self._text.finish():
            self._emit(delta)
        self._emit(Generated(self._text.answer, self._text.thought, reason, self._timing()))

    def _timing(self) -> Timing:
        now, first, reading = time.monotonic(), self._first_token_at, self._reading
        if reading is None:
            return Timing(queue_s=self._queue_s)
        return Timing(
            prompt_tokens=reading.prompt_tokens, restored_tokens=reading.restored,
            prefilled_tokens=reading.prefilled, generated_tokens=self._generated, queue_s=self._queue_s,
            prefill_s=reading.prefill_s, first_token_s=first - self.queued_at if first else 0.0,
            decode_s=now - first if first else 0.0,
        )  # fmt: skip


def _grammar(request: GenerateRequest) -> str | None:
    if request.grammar is not None and request.json_schema is not None:
        raise RequestInvalid("A request may give a grammar or a JSON schema, not both.")
    return grammar_of(request.json_schema) if request.json_schema is not None else request.grammar
