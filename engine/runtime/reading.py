"""Brings a prompt, and what is said after it, into the cache."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from engine.errors import EngineError, PromptTooLong
from engine.kv.residents import Lease
from engine.native.context import Decoded, Logits
from engine.runtime.job import Job, Stopped
from engine.runtime.loaded import Loaded
from engine.runtime.tokens import PromptTokens, cut_points

Progress = Callable[[int, int, int, float], None]


class Reading:
    """Keeps a growing list of tokens in the cache and gives the logits after the last one."""

    def __init__(self, job: Job, loaded: Loaded, prompt: PromptTokens, room: int) -> None:
        """Raises PromptTooLong when the prompt and `room` tokens more don't fit the context."""
        self._job, self._loaded, self._context = job, loaded, loaded.context
        self._prompt, self._room = prompt, room
        self.tokens = list(prompt.tokens)
        self.restored, self.prefill_s = 0, 0.0
        self._lease: Lease | None = None
        total = len(self.tokens) + room
        if total > self._context.cells:
            raise PromptTooLong(
                f"The prompt has {len(self.tokens)} tokens and the answer may take {room}, but the context holds "
                f"{self._context.cells}; choose fewer documents or a larger context.",
                len(self.tokens), self._context.cells,
            )  # fmt: skip

    @property
    def prompt_tokens(self) -> int:
        return len(self._prompt.tokens)

    @property
    def prefilled(self) -> int:
        """Prompt tokens computed so far."""
        held = self._lease.length if self._lease is not None else 0
        return max(0, min(held, self.prompt_tokens) - self.restored)

    @property
    def lease(self) -> Lease:
        assert self._lease is not None
        return self._lease

    @property
    def logits(self) -> Logits:
        """Logits after the last token; a view that the next computation overwrites."""
        return self._context.logits(self._context.batch.struct.n_tokens - 1)

    def prefill(self, on_progress: Progress) -> Iterator[None]:
        """Bring the prompt into the cache, yielding after each piece but the last."""
        started, waited = time.monotonic(), 0.0
        self._take_lease()
        self.restored = self.lease.length
        total = len(self.tokens)
        while (done := self.lease.length if self.lease.alive else 0) < total:
            on_progress(done, total, self.restored, self._seconds_left(started + waited, done))
            for _ in self._advance_one():
                paused = time.monotonic()
                yield
                waited += time.monotonic() - paused
        self.prefill_s = time.monotonic() - started - waited
        on_progress(total, total, self.restored, 0.0)
        if total - self.restored >= self._loaded.plan.batch_tokens // 2:
            self._loaded.prefill_tokens_per_s = (total - self.restored) / max(self.prefill_s, 1e-6)

    def advance(self) -> Iterator[None]:
        """Compute whatever of `tokens` isn't in the cache, yielding between pieces."""
        while not self.lease.alive or self.lease.length < len(self.tokens):
            yield from self._advance_one()

    def suspend(self) -> None:
        if self._lease is not None:
            self._loaded.residents.suspend(self._lease)

    def resume(self) -> None:
        if self._lease is not None:
            self._loaded.residents.resume(self._lease)

    def finish(self) -> None:
        """Leave the prompt in the cache for the next request.

        The answer's own cells go: they were computed token by token, and a prefix from the cache shall hold what
        a cold prefill would have computed.
        """
        if self._lease is not None:
            self._loaded.residents.release(self._lease, len(self._prompt.tokens))

    def _take_lease(self) -> None:
        more = len(self.tokens) - len(self._prompt.tokens)
        try:
            self._lease = self._loaded.residents.lease(self.tokens, self._cuts(), self._room - more)
        except MemoryError as error:
            raise EngineError("The context is full; try again.") from error

    def _cuts(self) -> Sequence[int]:
        end = len(self._prompt.tokens)
        more = cut_points(len(self.tokens) - end, (), self._loaded.plan.batch_tokens)
        return [*self._prompt.cuts, *(end + cut for cut in more)]

    def _advance_one(self) -> Iterator[None]:
        """Compute the next piece; yield if there are more to come."""
        if not self.lease.alive:
            self._take_lease()
        start = self.lease.length
        end = min(cut for cut in self._cuts() if cut > start)
        last = end == len(self.tokens)
        piece = self.tokens[start:end]
        if not self._decode(start, piece, [len(piece) - 1] if last else []):
            yield  # a more urgent request goes first; the piece is computed again after it
            return
        self._loaded.residents.extend(self.lease, piece)
        if not last:
            yield

    def _decode(self, start: int, piece: Sequence[int], outputs: Sequence[int]) -> bool:
        """Compute a piece; False when it was interrupted, but not to stop us, and left nothing behind."""
        if self._job.cancelled:
            raise Stopped
        self._context.batch.clear()
        self._context.batch.add(self.lease.sequence, start, piece, outputs)
        try:
            outcome = self._context.decode()
        except EngineError:
            self._loaded.residents.discard(self.lease)
            raise
        if outcome is Decoded.NO_ROOM:
            self._loaded.residents.discard(self.lease)
            raise EngineError("The context is full; ask again.")
        if outcome is Decoded.ABORTED:
            self._context.interrupt.clear()
            if self._context.last_position(self.lease.sequence) != start - 1:
                self._loaded.residents.discard(self.lease)  # a model that can't be cut lost its state
            if self._job.cancelled:
                raise Stopped
        return outcome is Decoded.DONE

    def _seconds_left(self, started: float, done: int) -> float:
        fresh, elapsed = done - self.restored, time.monotonic() - started
        speed = fresh / elapsed if fresh > 0 and elapsed > 0 else self._loaded.prefill_tokens_per_s
        return (len(self.tokens) - done) / speed if speed > 0 else 0.0
