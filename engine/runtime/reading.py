"""Brings a prompt, and what is said after it, into the cache."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from engine.errors import EngineError, PromptTooLong
from engine.kv.prefixes import SEQUENCE
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
        self._chain = loaded.chain(prompt, job.owner)
        self.restored, self.stored, self.prefill_s = 0, 0, 0.0
        self._epoch = -1  # of the prefix cache, while it holds our tokens
        self._held = 0
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
        return max(0, min(self._held, self.prompt_tokens) - self.restored)

    @property
    def logits(self) -> Logits:
        """Logits after the last token; a view that the next computation overwrites."""
        return self._context.logits(self._context.batch.struct.n_tokens - 1)

    def prefill(self, on_progress: Progress) -> Iterator[None]:
        """Bring the prompt into the cache, yielding after each piece but the last."""
        started, waited = time.monotonic(), 0.0
        self.restored = self._take()
        total = len(self.tokens)
        while (done := self._present()) < total:
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
        while self._present() < len(self.tokens):
            yield from self._advance_one()

    def try_ahead(self, draft: Sequence[int]) -> list[Logits]:
        """Compute the last token and a draft of what may follow; the logits after each, views that the next
        computation overwrites. Nothing when it can't be done now: `advance` then. `settle` must come next."""
        if self._present() != len(self.tokens) - 1:
            return []
        piece = [self.tokens[-1], *draft]
        if not self._decode(self._held, piece, range(len(piece))):
            return []
        return [self._context.logits(i) for i in range(len(piece))]

    def settle(self, good: int) -> None:
        """Of what `try_ahead` computed, the first `good` are now in `tokens`; the rest is dropped."""
        end = self._held + good
        if not self._context.truncate(SEQUENCE, end):
            self._loaded.prefixes.reset()
            return
        self._loaded.prefixes.extend(self.tokens[self._held : end])
        self._held = end

    def suspend(self) -> None:
        """Set what was computed aside, so that it goes on as if nothing had come between."""
        if self._epoch == self._loaded.prefixes.epoch:
            self._loaded.prefixes.shelve(whole=True)

    def kept(self) -> int:
        """Tokens from the first on that will be there tomorrow."""
        blocks = self._loaded.blocks
        return blocks.kept(self._chain) if blocks is not None and self._chain is not None else 0

    def finish(self) -> None:
        """Leave the prompt in the cache for the next request.

        The answer's own cells go: they were computed token by token, and a prefix from the cache shall hold what
        a cold prefill would have computed.
        """
        if self._epoch == self._loaded.prefixes.epoch:
            self._loaded.prefixes.finish(len(self._prompt.tokens))

    def _take(self) -> int:
        """Take the sequence for our tokens; the number of them that were there already."""
        prefixes, more = self._loaded.prefixes, len(self.tokens) - len(self._prompt.tokens)
        cuts = [*self._cuts(), self._held]  # what we computed before a suspension is good as far as it went
        self._held = prefixes.begin(self.tokens, cuts, self._room - more, self._chain)
        self._epoch = prefixes.epoch
        return self._held

    def _present(self) -> int:
        """How many of our tokens are in the cache. Another request may have taken it while we were suspended."""
        return self._held if self._epoch == self._loaded.prefixes.epoch else 0

    def _cuts(self) -> Sequence[int]:
        end = len(self._prompt.tokens)
        piece = self._loaded.plan.batch_tokens if self._loaded.copies else 1  # an answer begun anew is said as before
        more = cut_points(len(self.tokens) - end, (), piece)
        return [*self._prompt.cuts, *(end + cut for cut in more)]

    def _advance_one(self) -> Iterator[None]:
        """Compute the next piece; yield if there are more to come."""
        if self._epoch != self._loaded.prefixes.epoch:
            self._take()
        start, cuts = self._held, self._cuts()
        end = min(cut for cut in cuts if cut > start)
        last = end == len(self.tokens)
        if last and not self._loaded.divisible and end == self.prompt_tokens:
            self._loaded.prefixes.shelve()  # what comes before the question, for the next one
        piece = self.tokens[start:end]
        if not self._decode(start, piece, [len(piece) - 1] if last else []):
            yield  # a more urgent request goes first; the piece is computed again after it
            return
        self._loaded.prefixes.extend(piece)
        self._held = end
        if start < self.prompt_tokens:
            self.stored += self._loaded.prefixes.keep(self._chain)
        if not last:
            yield

    def _decode(self, start: int, piece: Sequence[int], outputs: Sequence[int]) -> bool:
        """Compute a piece; False when it was interrupted, but not to stop us, and left nothing behind."""
        if self._job.cancelled:
            raise Stopped
        self._context.batch.clear()
        self._context.batch.add(SEQUENCE, start, piece, outputs)
        try:
            outcome = self._context.decode()
        except EngineError:
            self._loaded.prefixes.reset()
            raise
        if outcome is Decoded.NO_ROOM:
            self._loaded.prefixes.reset()
            raise EngineError("The context is full; ask again.")
        if outcome is Decoded.ABORTED:
            self._context.interrupt.clear()
            if self._context.last_position(SEQUENCE) != start - 1:
                self._loaded.prefixes.reset()  # a model that can't be cut lost its state
            if self._job.cancelled:
                raise Stopped
        return outcome is Decoded.DONE

    def _seconds_left(self, started: float, done: int) -> float:
        fresh, elapsed = done - self.restored, time.monotonic() - started
        speed = fresh / elapsed if fresh > 0 and elapsed > 0 else self._loaded.prefill_tokens_per_s
        return (len(self.tokens) - done) / speed if speed > 0 else 0.0
