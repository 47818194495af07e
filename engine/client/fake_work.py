"""The fake engine's works: an answer told token by token, and a reading of segments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Protocol

from engine.client.base import Generation
from engine.client.fake_store import TOKENS_PER_S, FakeStore, fake_tokens, prefix_of
from engine.errors import EngineDied
from engine.types.generation import (
    DeltaKind,
    FinishReason,
    Generated,
    GenerateRequest,
    GenerationEvent,
    PrefillProgress,
    Remembered,
    TextDelta,
    Timing,
)  # fmt: skip
from engine.types.prompt import Prompt
from engine.types.remembering import RememberRequest

_THOUGHT = re.compile(r"\A<think>(.*?)</think>\s*", re.DOTALL)
_PIECE_TOKENS = 512


class Stage(Protocol):
    """What a work needs of the engine that it runs on."""

    store: FakeStore

    def text_for(self, request: GenerateRequest) -> str:
        """What the script says; raises what it wants raised, PromptTooLong among it."""

    def restored(self, request: GenerateRequest) -> int:
        """Tokens of the prompt's beginning that were read before."""

    def pause(self, work: FakeWork, done: int) -> None:
        """Between tokens: the delay, the hold, the end of the engine."""

    def finished(self, work: FakeWork) -> None: ...

    def wake(self) -> None:
        """Let what waits look again."""

    def revive(self) -> None:
        """Start again after a death."""

    def raise_failure(self) -> None:
        """Raise the error that `fail_next` left, once."""


class FakeWork(Generation):
    """What an answer and a reading have in common: they can be cancelled, die with the engine, and end once."""

    def __init__(self, stage: Stage) -> None:
        self._stage, self._cancelled = stage, False
        self.death: EngineDied | None = None

    @property
    def ended(self) -> bool:
        return self._cancelled or self.death is not None

    def cancel(self) -> None:
        self._cancelled = True
        self._stage.wake()

    def __iter__(self) -> Iterator[GenerationEvent]:
        try:
            if self.death is not None:
                raise self.death
            yield from self._events()
        finally:
            self._stage.finished(self)

    def _events(self) -> Iterator[GenerationEvent]:
        raise NotImplementedError


class FakeGeneration(FakeWork):
    """An answer: the prefill in pieces, then the script's text token by token."""

    def __init__(self, stage: Stage, request: GenerateRequest) -> None:
        super().__init__(stage)
        self._request = request

    def _events(self) -> Iterator[GenerationEvent]:
        request, stage = self._request, self._stage
        text = stage.text_for(request)
        thought, answer = _parts(text)
        answer = _cut(request.prompt.answer_start + answer, request.stop)
        total = sum(len(fake_tokens(part)) for part in texts_of(request.prompt))
        restored = stage.restored(request)
        for done in [*range(restored, total, _PIECE_TOKENS), total]:
            stage.pause(self, 0)
            yield PrefillProgress(done, total, restored, 0.0)
        said = {DeltaKind.THOUGHT: "", DeltaKind.ANSWER: ""}
        reason, count = FinishReason.STOP, 0
        for kind, token in _tokens(thought, answer):
            stage.pause(self, count)
            if self._cancelled or count >= request.max_tokens:
                reason = FinishReason.CANCELLED if self._cancelled else FinishReason.LENGTH
                break
            count += 1
            said[kind] += token
            yield TextDelta(token, kind)
        timing = Timing(total, restored, total - restored, count)
        yield Generated(said[DeltaKind.ANSWER], said[DeltaKind.THOUGHT], reason, timing)


class FakeRemembering(FakeWork):
    """A reading of the prompt's segments, kept one by one."""

    def __init__(self, stage: Stage, request: RememberRequest) -> None:
        super().__init__(stage)
        self._request = request

    def _events(self) -> Iterator[GenerationEvent]:
        stage, segments = self._stage, prefix_of(self._request.prompt)
        stage.revive()
        stage.raise_failure()
        sizes = [len(fake_tokens(segment.text)) for segment in segments]
        total, restored = sum(sizes), stage.store.restored(segments)
        stage.pause(self, 0)
        yield PrefillProgress(restored, total, restored, (total - restored) / TOKENS_PER_S)
        done = stored = 0
        for i, size in enumerate(sizes):
            if done + size > restored:
                stage.pause(self, i)
            if self._cancelled:
                break
            stored += stage.store.keep(segments[: i + 1], self._request.owner)
            done += size
            if done > restored:
                yield PrefillProgress(done, total, restored, (total - done) / TOKENS_PER_S)
        prefilled = max(0, done - restored)
        yield Remembered(total, min(restored, done), prefilled, stored, complete=done == total)


def texts_of(prompt: Prompt) -> list[str]:
    return [segment.text for message in prompt.messages for segment in message.segments]


def _parts(text: str) -> tuple[str, str]:
    found = _THOUGHT.match(text)
    return (found[1], text[found.end() :]) if found else ("", text)


def _cut(text: str, stop: Sequence[str]) -> str:
    ends = [text.find(word) for word in stop if word and word in text]
    return text[: min(ends)] if ends else text


def _tokens(thought: str, answer: str) -> Iterator[tuple[DeltaKind, str]]:
    for kind, text in ((DeltaKind.THOUGHT, thought), (DeltaKind.ANSWER, answer)):
        for token in fake_tokens(text):
            yield kind, token
