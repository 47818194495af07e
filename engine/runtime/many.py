"""Several answers over one shared prefix, decoded in one batch. See decisions/0002-forks-over-one-prefix.md."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from functools import partial

from engine.errors import EngineError
from engine.kv.prefixes import SEQUENCE
from engine.native.context import Decoded
from engine.runtime.answer import Answer
from engine.runtime.branches import Branch, shared_length
from engine.runtime.generate import GenerateJob
from engine.runtime.job import Job, Stopped
from engine.runtime.loaded import Loaded
from engine.runtime.reading import Reading
from engine.types.generation import (
    BranchEvent,
    BranchFailed,
    FinishReason,
    Generated,
    GenerationEvent,
    ManyRequest,
    PrefillProgress,
    Remembered,
    Timing,
)  # fmt: skip

Steps = Generator[None, None, None]


class ManyJob(Job):
    """Emits BranchEvents; the last of each branch holds Generated or BranchFailed.

    The prefix is read on the sequence of all requests; each branch lives on a fork of it. As many branches as there
    are sequences and cells for run at once, the next one joins when one ends. What is not safe to fork (recurrent,
    hybrid and sliding-window models) is answered one after another.
    """

    def __init__(
        self, id_: int, request: ManyRequest, emit: Callable[[BranchEvent], None],
        on_failure: Callable[[EngineError], None],
    ) -> None:  # fmt: skip
        self._turn: GenerateJob | None = None  # the one that runs alone
        super().__init__(id_, request.priority, request.owner)
        self._request, self._emit, self._on_failure = request, emit, on_failure
        self._open = dict.fromkeys(range(len(request.prompts)))  # branches that have not ended, in order
        self._unwanted: set[int] = set()
        self._lock = threading.Lock()
        self._batch: _Batch | None = None
        self._queue_s = 0.0

    @property
    def cancelled(self) -> bool:
        return self._cancelled

    @cancelled.setter
    def cancelled(self, value: bool) -> None:
        self._cancelled = value
        if self._turn is not None and value:
            self._turn.cancelled = True

    def cancel_part(self, part: int) -> None:
        with self._lock:
            self._unwanted.add(part)

    def steps(self, loaded: Loaded) -> Steps:
        self._queue_s = time.monotonic() - self.queued_at
        self._request.check()
        if len(self._open) > 1 and loaded.divisible and loaded.copies:
            batch = self._batch = _Batch(self, loaded)
            try:
                yield from batch.steps()
            finally:
                batch.close()
        for index in list(self._open):
            yield from self._alone(loaded, index)

    def suspend(self) -> None:
        if self._turn is not None:
            self._turn.suspend()
        elif self._batch is not None:
            self._batch.suspend()

    def stopped(self) -> None:
        for index in list(self._open):
            branch = self._batch.branch(index) if self._batch is not None else None
            self.end(index, branch, FinishReason.CANCELLED)

    def fail(self, error: EngineError) -> None:
        self._on_failure(error)

    # -- for the batch ---------------------------------------------------------------------------

    @property
    def request(self) -> ManyRequest:
        return self._request

    def unwanted(self) -> list[int]:
        """Branches that were cancelled and have not ended."""
        with self._lock:
            return [index for index in self._open if index in self._unwanted]

    def tell(self, index: int, event: GenerationEvent) -> None:
        """Report an event of one branch."""
        assert not isinstance(event, Remembered)
        if isinstance(event, Generated):
            self._open.pop(index, None)
        self._emit(BranchEvent(index, event))

    def end(self, index: int, branch: Branch | None, reason: FinishReason) -> None:
        """Report the end of one branch, with what it has said."""
        if branch is None:
            self.tell(index, Generated("", "", reason, Timing(queue_s=self._queue_s)))
        else:
            branch.answer.finish(reason, branch.timing(self.queued_at, self._queue_s))

    def lose(self, index: int, error: EngineError) -> None:
        """Report the failure of one branch."""
        self._open.pop(index, None)
        self._emit(BranchEvent(index, BranchFailed(error.message, type(error).__name__)))

    def _alone(self, loaded: Loaded, index: int) -> Steps:
        """One branch as a request of its own."""
        if index in self.unwanted():
            self.end(index, None, FinishReason.CANCELLED)
            return
        turn = self._turn = GenerateJob(self.id, self._request.alone(index), partial(self.tell, index), _never)
        turn.queued_at, turn.cancelled = self.queued_at, self.cancelled
        steps = turn.steps(loaded)
        try:
            for _ in steps:
                yield
                turn.cancelled = turn.cancelled or index in self.unwanted()
        except Stopped:
            turn.stopped()
            if self.cancelled:
                raise
        except EngineError as error:
            self.lose(index, error)
        finally:
            steps.close()
            self._turn = None


class _Batch:
    """The branches that run side by side on one context."""

    def __init__(self, job: ManyJob, loaded: Loaded) -> None:
        self._job, self._loaded, self._context = job, loaded, loaded.context
        self._all: dict[int, Branch] = {}
        self._waiting: deque[Branch] = deque()
        self._live: list[Branch] = []
        self._reading: Reading | None = None
        self._scratch = self._context.sequences - 1
        self._free = list(range(self._scratch - 1, SEQUENCE, -1))
        self._shared, self._is_aside = 0, False

    def branch(self, index: int) -> Branch | None:
        return self._all.get(index)

    def steps(self) -> Steps:
        """Run until all branches have ended but those that only fit alone."""
        for index in range(len(self._job.request.prompts)):
            self._prepare(index)
        self._drop_unwanted()
        if len(self._waiting) < 2:
            return
        yield from self._read(self._waiting[0])
        while self._live or self._waiting:
            yield
            if self._job.cancelled:
                raise Stopped
            yield from self._return()
            self._drop_unwanted()
            self._admit()
            if not self._live:
                return  # the rest needs the context for itself
            self._advance()

    def suspend(self) -> None:
        """Leave the context to another request. Only between steps."""
        if self._reading is None:
            return
        if not self._is_aside:
            for branch in self._live:
                branch.set_aside(self._context, self._scratch, self._shared)
        self._is_aside = self._is_aside or bool(self._live)
        self._reading.suspend()

    def close(self) -> None:
        """Leave the context with the prefix in it."""
        for branch in self._live:
            self._context.drop(branch.sequence)
        if self._reading is not None:
            self._reading.finish()
        for branch in self._all.values():
            branch.answer.close()

    def _prepare(self, index: int) -> None:
        """Make a branch; one that can't be is lost alone."""
        request = self._job.request.alone(index)
        try:
            answer = Answer(self._loaded, request, partial(self._job.tell, index))
            self._all[index] = branch = Branch(index, answer, request.max_tokens)
            self._reader(branch)
            self._waiting.append(branch)
        except EngineError as error:
            self._job.lose(index, error)

    def _reader(self, branch: Branch) -> Reading:
        """Raises PromptTooLong for a branch that fits in no case."""
        return Reading(self._job, self._loaded, branch.answer.prompt, branch.max_tokens)

    def _read(self, first: Branch) -> Steps:
        """Bring the prefix in, and with it the whole prompt of the first branch, which begins to speak."""
        self._shared = shared_length([branch.answer.prompt for branch in self._waiting])
        reading = self._reading = self._reader(first)
        for _ in reading.prefill(partial(self._report, first)):
            yield
            self._drop_unwanted()
            if not self._waiting:
                return
        if first not in self._waiting or not self._begin(first, first.prompt_tokens):
            return
        first.restored, first.prefill_s = reading.restored, reading.prefill_s
        self._speak(first, self._context.batch.struct.n_tokens - 1)

    def _begin(self, branch: Branch, shared: int) -> bool:
        """Let a waiting branch live, with the first `shared` tokens in place; False when it was lost."""
        self._waiting.remove(branch)
        try:
            branch.answer.begin()
        except EngineError as error:
            self._job.lose(branch.index, error)
            return False
        branch.fork(self._context, SEQUENCE, self._free.pop(), shared)
        self._live.append(branch)
        return True

    def _report(self, branch: Branch, done: int, total: int, restored: int, seconds_left: float) -> None:
        if branch in self._waiting or branch in self._live:
            self._job.tell(branch.index, PrefillProgress(done, total, restored, seconds_left))

    def _return(self) -> Steps:
        """After a suspension: have everything in the context as it was."""
        assert self._reading is not None
        yield from self._reading.advance()
        if self._is_aside:
            self._is_aside = False
            for branch in self._live:
                branch.bring_back(self._context, SEQUENCE, self._shared)

    def _drop_unwanted(self) -> None:
        unwanted = self._job.unwanted()
        for branch in [one for one in (*self._live, *self._waiting) if one.index in unwanted]:
            self._end(branch, FinishReason.CANCELLED)

    def _admit(self) -> None:
        """Let waiting branches join, in order, while there are sequences and cells for them."""
        while self._waiting and self._free and self._waiting[0].need(self._shared) <= self._room():
            branch = self._waiting[0]
            if self._begin(branch, self._shared):
                self._report_prefill(branch)

    def _room(self) -> int:
        """Cells that nobody holds or may still take."""
        assert self._reading is not None
        return self._context.cells - self._reading.prompt_tokens - sum(one.need(self._shared) for one in self._live)

    def _advance(self) -> None:
        """One step: a piece of a prompt's own part, or a token of every answer."""
        newcomer = next((branch for branch in self._live if branch.behind > 1), None)
        if newcomer is None:
            self._compute([(branch, branch.tokens[-1:]) for branch in self._live])
        else:
            self._compute([(newcomer, newcomer.piece(self._loaded.plan.batch_tokens))])

    def _compute(self, pieces: Sequence[tuple[Branch, Sequence[int]]]) -> None:
        """Compute these tokens; those that bring a branch up to date let it speak."""
        batch, rows = self._context.batch, []
        batch.clear()
        for branch, tokens in pieces:
            batch.add(branch.sequence, branch.held, tokens, [len(tokens) - 1] if len(tokens) == branch.behind else [])
            rows.append(batch.struct.n_tokens - 1)
        if not self._decode([branch for branch, _ in pieces]):
            return
        for (branch, tokens), row in zip(pieces, rows, strict=True):
            branch.computed(len(tokens))
            self._report_prefill(branch)
            if not branch.behind:
                self._speak(branch, row)

    def _report_prefill(self, branch: Branch) -> None:
        if branch.answer.first_token_at:
            return
        speed, left = self._loaded.prefill_tokens_per_s, branch.prompt_tokens - branch.held
        self._report(branch, branch.held, branch.prompt_tokens, branch.restored, left / speed if speed else 0.0)

    def _decode(self, branches: Sequence[Branch]) -> bool:
        """Compute the batch; False when it was broken off, so that a more urgent request goes first."""
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
            for branch in branches:
                self._context.truncate(branch.sequence, branch.held)
                branch.held = self._context.last_position(branch.sequence) + 1
            if self._job.cancelled:
                raise Stopped
        return outcome is Decoded.DONE

    def _speak(self, branch: Branch, row: int) -> None:
        reason = branch.speak(self._context.logits(row))
        if reason is not None:
            self._end(branch, reason)

    def _end(self, branch: Branch, reason: FinishReason) -> None:
        """Free what the branch holds and report its end."""
        if branch in self._live:
            self._live.remove(branch)
            self._context.drop(branch.sequence)
            self._free.append(branch.sequence)
        elif branch in self._waiting:
            self._waiting.remove(branch)
        self._job.end(branch.index, branch, reason)


def _never(error: EngineError) -> None:
    raise error
