"""One answer: prefill, then token by token until it ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator

import numpy as np
from msgspec import structs

from engine.errors import EngineError
from engine.native.context import Logits
from engine.runtime.answer import Answer
from engine.runtime.job import Job
from engine.runtime.loaded import Loaded
from engine.runtime.reading import Reading
from engine.runtime.speculate import CLEAR, Speculation, lead
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
        self.speculation: Speculation | None = None
        self._row: Logits | None = None

    def steps(self, loaded: Loaded) -> Generator[None, None, None]:
        self._queue_s = time.monotonic() - self.queued_at
        answer = self._answer = Answer(loaded, self._request, self._emit)
        try:
            reading = self._reading = Reading(self, loaded, answer.prompt, self._request.max_tokens)
            answer.begin()
            yield from reading.prefill(self._report)
            self.speculation = self._speculates(answer, reading, loaded)
            reason = yield from self._decode(answer, reading, loaded)
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

    def _decode(self, answer: Answer, reading: Reading, loaded: Loaded) -> Generator[None, None, FinishReason]:
        logits = reading.logits
        while True:
            token = answer.choose(logits)
            reason = answer.take(token)
            if reason is not None:
                return reason
            reading.tokens.append(token)
            yield
            if self.speculation is not None:
                reason = self._ahead(answer, reading, self.speculation, loaded)
                if reason is not None:
                    return reason
                if self._row is not None:
                    logits = self._row
                    continue
            started = time.monotonic()
            yield from reading.advance()
            logits = reading.logits
            loaded.costs.note(1, time.monotonic() - started)

    def _ahead(
        self, answer: Answer, reading: Reading, speculation: Speculation, loaded: Loaded
    ) -> FinishReason | None:
        """Guess several tokens and take those that are right beyond doubt; `_row` is then what to go on from.

        None: it is to be computed, as without guessing.
        """
        self._row = None
        room = min(loaded.context.outputs_max - 1, answer.left - 1, loaded.context.cells - len(reading.tokens))
        draft = speculation.draft(reading.tokens, room)
        started = time.monotonic()
        rows = reading.try_ahead(draft) if draft else []
        if not rows:
            return None
        loaded.costs.note(len(rows), time.monotonic() - started)
        right, reason = 0, None
        while reason is None and right < len(draft) and lead(rows[right]) >= CLEAR:
            if int(np.argmax(rows[right])) != draft[right]:
                break
            reason = answer.take(draft[right])
            reading.tokens.append(draft[right])
            right += 1
        speculation.note(len(draft), right)
        if reason is None and lead(rows[right]) >= CLEAR:
            self._row = rows[right]
        reading.settle(right + (self._row is not None))
        return reason

    def _speculates(self, answer: Answer, reading: Reading, loaded: Loaded) -> Speculation | None:
        if not (self._request.speculate and answer.plain and loaded.divisible):
            return None
        return Speculation(reading.tokens, loaded.costs)

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
        timing, guesses = answer.timing(read, self.queued_at), self.speculation
        if guesses is None:
            return timing
        return structs.replace(timing, drafted_tokens=guesses.drafted, accepted_tokens=guesses.accepted)
