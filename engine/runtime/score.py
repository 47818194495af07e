"""How likely each of several continuations is after one prompt."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence

import numpy as np

from engine.errors import EngineError, RequestInvalid
from engine.kv.prefixes import SEQUENCE
from engine.native.context import Decoded, Logits
from engine.runtime.job import Job, Stopped
from engine.runtime.loaded import Loaded
from engine.runtime.reading import Reading
from engine.runtime.tokens import plain_tokens
from engine.types.generation import ScoreRequest, Scores, Timing

_BRANCH = SEQUENCE + 1


def log_probability(logits: Logits, token: int) -> float:
    """Natural log-softmax of one token, computed in float64."""
    values = logits.astype(np.float64)
    top = values.max()
    return float(values[token] - top - np.log(np.exp(values - top).sum()))


class ScoreJob(Job):
    """The prompt is computed once; each continuation then on a sequence of its own that shares it."""

    def __init__(
        self, id_: int, request: ScoreRequest, on_scores: Callable[[Scores], None],
        on_failure: Callable[[EngineError], None],
    ) -> None:  # fmt: skip
        super().__init__(id_, request.priority, request.owner)
        self._request, self._on_scores, self._on_failure = request, on_scores, on_failure
        self._reading: Reading | None = None

    def steps(self, loaded: Loaded) -> Generator[None, None, None]:
        queue_s = time.monotonic() - self.queued_at
        texts = [plain_tokens(loaded.vocab, text) for text in self._request.continuations]
        if not texts or not all(texts):
            raise RequestInvalid("There is nothing to score, or one of the continuations is empty.")
        prompt = loaded.prompt(self._request.prompt, think=False)
        reading = self._reading = Reading(self, loaded, prompt, max(map(len, texts)))
        try:
            yield from reading.prefill(lambda *_: None)
            first = reading.logits.copy()
            sums = []
            for tokens in texts:
                yield
                if self.cancelled:
                    raise Stopped
                yield from reading.advance()  # another request may have gone first
                sums.append(log_probability(first, tokens[0]) + self._rest(loaded, reading, tokens))
            self._on_scores(Scores(tuple(sums), self._timing(reading, queue_s)))
        finally:
            reading.finish()

    def suspend(self) -> None:
        if self._reading is not None:
            self._reading.suspend()

    def stopped(self) -> None:
        self._on_failure(EngineError("The scoring was stopped."))

    def fail(self, error: EngineError) -> None:
        self._on_failure(error)

    def _timing(self, reading: Reading, queue_s: float) -> Timing:
        return Timing(
            prompt_tokens=reading.prompt_tokens, restored_tokens=reading.restored,
            prefilled_tokens=reading.prefilled, queue_s=queue_s, prefill_s=reading.prefill_s,
            first_token_s=time.monotonic() - self.queued_at,
        )

    def _rest(self, loaded: Loaded, reading: Reading, tokens: Sequence[int]) -> float:
        """Sum over the continuation's tokens after its first."""
        context, total = loaded.context, 0.0
        if len(tokens) == 1:
            return total
        end = reading.prompt_tokens
        context.copy(SEQUENCE, _BRANCH, end if loaded.divisible else -1)
        try:
            step = context.outputs_max
            for start in range(0, len(tokens) - 1, step):
                given = tokens[start : min(start + step, len(tokens) - 1)]
                context.batch.clear()
                context.batch.add(_BRANCH, end + start, given, range(len(given)))
                while (outcome := context.decode()) is Decoded.ABORTED and not self.cancelled:
                    context.interrupt.clear()  # meant to let another request go first; this is short
                if outcome is Decoded.ABORTED:
                    raise Stopped
                if outcome is Decoded.NO_ROOM:
                    raise EngineError("The context is full; ask again.")
                for i in range(len(given)):
                    total += log_probability(context.logits(i), tokens[start + i + 1])
            return total
        finally:
            context.drop(_BRANCH)
