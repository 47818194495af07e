"""One answer in the making: tokens chosen from logits become text until it ends."""

from __future__ import annotations

import time
from collections.abc import Callable

from engine.errors import RequestInvalid
from engine.native.context import Logits
from engine.native.sampler import Sampler
from engine.native.schema import grammar_of
from engine.runtime.loaded import Loaded
from engine.runtime.tokens import plain_tokens
from engine.types.generation import FinishReason, Generated, GenerateRequest, GenerationEvent, Timing
from engine.types.text import AnswerText

_SHOWN_MARKS = (b"<think>", b"</think>")


class Answer:
    """Chooses tokens, shows their text through `emit`, and knows when to end. On the engine's thread; `close` it."""

    def __init__(self, loaded: Loaded, request: GenerateRequest, emit: Callable[[GenerationEvent], None]) -> None:
        """Raises RequestInvalid for figures out of range or a grammar that can't be read."""
        if request.max_tokens < 1:
            raise RequestInvalid("An answer of no tokens was asked for.")
        grammar = grammar_in(request)
        self._vocab, self._request, self._emit = loaded.vocab, request, emit
        self.prompt = loaded.prompt(request.prompt, think=grammar is None)
        self._text = AnswerText(
            request.stop, thinking=self.prompt.thinking,
            answering=bool(request.prompt.answer_start) or grammar is not None,
        )  # fmt: skip
        self._sampler = Sampler(loaded.vocab, request.sampling, grammar)
        self.generated, self.first_token_at = 0, 0.0

    @property
    def plain(self) -> bool:
        """Whether the next token is always the likeliest."""
        return self._sampler.plain

    @property
    def left(self) -> int:
        """Tokens that may still be said."""
        return self._request.max_tokens - self.generated

    def begin(self) -> None:
        """Take in and show the beginning that was given. Raises RequestInvalid when the grammar forbids it."""
        start = self._request.prompt.answer_start
        for token in plain_tokens(self._vocab, start):
            if not self._sampler.allows(token):
                raise RequestInvalid("The beginning given for the answer doesn't fit the grammar.")
            self._sampler.accept(token)
        self._show(start.encode())

    def choose(self, logits: Logits) -> int:
        """The next token by the request's sampling and grammar."""
        return self._sampler.sample(logits)

    def take(self, token: int) -> FinishReason | None:
        """Add a chosen token; why the answer ends with it, None when it goes on."""
        if not self.first_token_at:
            self.first_token_at = time.monotonic()
        if self._vocab.ends_generation(token):
            return FinishReason.STOP
        self.generated += 1
        self._show(self._bytes(token))
        if self._text.stopped:
            return FinishReason.STOP
        return FinishReason.LENGTH if self.generated >= self._request.max_tokens else None

    def finish(self, reason: FinishReason, timing: Timing) -> None:
        """Show what was held back and report the end."""
        for delta in self._text.finish():
            self._emit(delta)
        self._emit(Generated(self._text.answer, self._text.thought, reason, timing))

    def timing(self, timing: Timing, queued_at: float) -> Timing:
        """`timing`, a prompt's, with the answer's own figures."""
        first = self.first_token_at
        return Timing(
            prompt_tokens=timing.prompt_tokens, restored_tokens=timing.restored_tokens,
            prefilled_tokens=timing.prefilled_tokens, generated_tokens=self.generated, queue_s=timing.queue_s,
            prefill_s=timing.prefill_s, first_token_s=first - queued_at if first else 0.0,
            decode_s=time.monotonic() - first if first else 0.0,
        )  # fmt: skip

    def close(self) -> None:
        """Free the sampler."""
        self._sampler.close()

    def _bytes(self, token: int) -> bytes:
        data = self._vocab.piece(token)
        if data:
            return data
        mark = self._vocab.piece(token, special=True)
        return mark if mark in _SHOWN_MARKS else b""

    def _show(self, data: bytes) -> None:
        for delta in self._text.feed(data):
            self._emit(delta)


def grammar_in(request: GenerateRequest) -> str | None:
    """The request's grammar as GBNF. Raises RequestInvalid when there are two."""
    if request.grammar is not None and request.json_schema is not None:
        raise RequestInvalid("A request may give a grammar or a JSON schema, not both.")
    return grammar_of(request.json_schema) if request.json_schema is not None else request.grammar
