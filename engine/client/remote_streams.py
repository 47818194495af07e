"""Answers of a server as the desktop iterates them."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence

import msgspec

from engine.client.base import Branches, Generation
from engine.client.link import Link
from engine.client.openai import ChatRequest, Chunk, Usage
from engine.errors import EngineError, RemoteError
from engine.types.generation import (
    BranchEvent,
    BranchFailed,
    DeltaKind,
    FinishReason,
    Generated,
    GenerationEvent,
    PrefillProgress,
    Remembered,
    TextDelta,
    Timing,
)
from engine.types.text import AnswerText

_AT_ONCE = 4  # branches that a server is asked at the same time; it batches them itself
_CHARACTERS_A_TOKEN = 64  # more than any token has: beyond it a server doesn't keep to what was asked


class RemoteGeneration(Generation):
    """One answer. The connection is opened when iteration begins."""

    def __init__(
        self, open_link: Callable[[], Link], request: ChatRequest, prompt_tokens: int,
        learned: Callable[[Timing], None],
    ) -> None:  # fmt: skip
        """`prompt_tokens`: as estimated, until the server tells; `learned` is given the figures at the end."""
        self._open, self._request, self._estimate, self._learned = open_link, request, prompt_tokens, learned
        self._lock = threading.Lock()
        self._link: Link | None = None
        self._cancelled = False

    def cancel(self) -> None:
        with self._lock:
            self._cancelled = True
            if self._link is not None:
                self._link.cut()

    def __iter__(self) -> Iterator[GenerationEvent]:
        taken = _Taken(self._request, self._estimate)
        yield PrefillProgress(0, self._estimate, 0, 0.0)
        try:
            for data in self._events():
                yield from taken.feed(data)
            reason = taken.end()
        except RemoteError:
            if not self._cancelled:
                raise
            reason = FinishReason.CANCELLED
        finally:
            if self._link is not None:
                self._link.close()
        yield from taken.text.finish()
        timing = taken.timing()
        if reason is not FinishReason.CANCELLED:
            self._learned(timing)
        yield Generated(taken.text.answer, taken.text.thought, reason, timing)

    def _events(self) -> Iterator[bytes]:
        with self._lock:
            if self._cancelled:
                raise RemoteError("Cancelled.")
            self._link = self._open()
        yield from self._link.events("/chat/completions", self._request)


class _Taken:
    """What came of one answer so far."""

    def __init__(self, request: ChatRequest, prompt_tokens: int) -> None:
        self.text = AnswerText(request.stop, thinking=False, answering=request.response_format is not None)
        self._most = (request.max_tokens or 0) * _CHARACTERS_A_TOKEN + 1024
        self._prompt_tokens, self._usage = prompt_tokens, Usage()
        self._deltas, self._characters = 0, 0
        self._begun, self._first = time.monotonic(), 0.0
        self._reason: FinishReason | None = None

    def feed(self, data: bytes) -> Iterator[GenerationEvent]:
        """Raises RemoteError for what is no event, and for an answer longer than asked for."""
        try:
            chunk = msgspec.json.decode(data, type=Chunk)
        except msgspec.DecodeError as error:
            raise RemoteError("The server sent something that is no answer; check the address.") from error
        if chunk.error is not None:
            raise RemoteError("The server gave up in the middle of the answer; ask again.")
        self._usage = chunk.usage or self._usage
        for choice in chunk.choices[:1]:
            if choice.finish_reason is not None:
                self._reason = FinishReason.LENGTH if choice.finish_reason == "length" else FinishReason.STOP
            thought, said = choice.delta.thought, choice.delta.content or ""
            if thought or said:
                yield from self._said(thought, said)

    def end(self) -> FinishReason:
        """Why it ended. Raises RemoteError when the server never said that it did."""
        if self._reason is None:
            raise RemoteError("The server ended its reply in the middle of the answer; ask again.")
        return self._reason

    def timing(self) -> Timing:
        first = self._first or time.monotonic()
        usage, prompt = self._usage, self._usage.prompt_tokens or self._prompt_tokens
        return Timing(
            prompt_tokens=prompt, restored_tokens=usage.cached, prefilled_tokens=max(0, prompt - usage.cached),
            generated_tokens=usage.completion_tokens or self._deltas, prefill_s=first - self._begun,
            first_token_s=first - self._begun, decode_s=time.monotonic() - first,
        )  # fmt: skip

    def _said(self, thought: str, said: str) -> Iterator[TextDelta]:
        self._first = self._first or time.monotonic()
        self._deltas += 1
        self._characters += len(thought) + len(said)
        if self._characters > self._most:
            raise RemoteError("The server says far more than it was asked for; its answer isn't used.")
        if thought:
            self.text.thought += thought
            yield TextDelta(thought, DeltaKind.THOUGHT)
        yield from self.text.feed(said.encode("utf-8", "replace"))


class RemoteBranches(Branches):
    """Several answers, a few at a time."""

    def __init__(self, generations: Sequence[Generation]) -> None:
        self._generations = tuple(generations)

    def cancel(self) -> None:
        for generation in self._generations:
            generation.cancel()

    def cancel_branch(self, branch: int) -> None:
        self._generations[branch].cancel()

    def __iter__(self) -> Iterator[BranchEvent]:
        waiting = queue.SimpleQueue[int]()
        for branch in range(len(self._generations)):
            waiting.put(branch)
        told = queue.SimpleQueue[BranchEvent]()
        for number in range(min(_AT_ONCE, len(self._generations))):
            threading.Thread(target=self._work, args=(waiting, told), name=f"remote-{number}", daemon=True).start()
        left = len(self._generations)
        try:
            while left:
                event = told.get()
                left -= event.ends
                yield event
        finally:
            if left:
                self.cancel()

    def _work(self, waiting: queue.SimpleQueue[int], told: queue.SimpleQueue[BranchEvent]) -> None:
        while True:
            try:
                branch = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                for event in self._generations[branch]:
                    assert not isinstance(event, Remembered)
                    told.put(BranchEvent(branch, event))
            except EngineError as error:
                told.put(BranchEvent(branch, BranchFailed(error.message, type(error).__name__)))
