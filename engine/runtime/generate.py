"""One answer: prefill, then token by token until it ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator

from engine.errors import EngineError
from engine.runtime.answer import Answer
from engine.runtime.job import Job
from engine.runtime.loaded import Loaded
from engine.runtime.reading import Reading
from engine.types.generation import (
    FinishReason,
    Generated,
    GenerateRequest,
    GenerationEvent,
    PrefillProgress,
    Timing,
)  # fmt: skip


class GenerateJob(Job):
    """Emits PrefillProgress and TextDelta, at last Generated. `emit` is called on the engine's thread."""

    def __init__(
        self, id_: int, request: GenerateRequest, emit: Callable[[GenerationEvent], None],
        on_failure: Callable[[EngineError], None],
    ) -> None:  # fmt: skip
        super().__init__(id_, request.priority, request.owner)
        self._request, self._emit, self._on_failure = request, emit, on_failure
        self._reading: Reading | None = None
        self._answer: Answer | None = None
        self._queue_s = 0.0

    def steps(self, loaded: Loaded) -> Generator[None, None, None]:
        self._queue_s = time.monotonic() - self.queued_at
        answer = self._answer = Answer(loaded, self._request, self._emit)
        try:
            reading = self._reading = Reading(self, loaded, answer.prompt, self._request.max_tokens)
            answer.begin()
            yield from reading.prefill(self._report)
            reason = yield from self._decode(answer, reading)
            self._finish(reason)
        finally:
            if self._reading is not None:
                self._reading.finish()
            answer.close()

    def suspend(self) -> None:
        if self._reading is not None:
            self._reading.suspend()

    def stopped(self) -> None:
        self._finish(FinishReason.CANCELLED)

    def fail(self, error: EngineError) -> None:
        self._on_failure(error)

    def _decode(self, answer: Answer, reading: Reading) -> Generator[None, None, FinishReason]:
        while True:
            token = answer.choose(reading.logits)
            reason = answer.take(token)
            if reason is not None:
                return reason
            reading.tokens.append(token)
            yield
            yield from reading.advance()

    def _report(self, done: int, total: int, restored: int, seconds_left: float) -> None:
        self._emit(PrefillProgress(done, total, restored, seconds_left))

    def _finish(self, reason: FinishReason) -> None:
        if self._answer is None:
            self._emit(Generated("", "", reason, Timing(queue_s=self._queue_s)))
        else:
            self._answer.finish(reason, self._timing(self._answer))

    def _timing(self, answer: Answer) -> Timing:
        reading = self._reading
        if reading is None:
            return Timing(queue_s=self._queue_s)
        read = Timing(
            prompt_tokens=reading.prompt_tokens, restored_tokens=reading.restored,
            prefilled_tokens=reading.prefilled, queue_s=self._queue_s, prefill_s=reading.prefill_s,
        )  # fmt: skip
        return answer.timing(read, self.queued_at)
