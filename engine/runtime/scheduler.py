"""Whose turn it is: one engine thread, two priorities."""

from __future__ import annotations

import threading
import traceback
from collections import deque
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.errors import EngineBusy, EngineError, RequestInvalid
from engine.runtime.job import Job, Stopped
from engine.types.generation import Priority
from engine.types.prompt import Prompt
from engine.types.remembering import Known

if TYPE_CHECKING:
    from engine.runtime.loaded import Loaded

MAX_WAITING = 1_000

Opener = Callable[[], "Loaded | None"]


@dataclass
class _Turn:
    """A job that has begun."""

    job: Job
    steps: Generator[None, None, None]


@dataclass
class _Change:
    opener: Opener
    why: str
    told: Callable[[Loaded | None], None] = lambda _loaded: None
    last: bool = False


class Scheduler:
    """Runs jobs on one thread of its own, on the model it holds.

    Requests of one priority are served in the order they came. A user's request overtakes a background one at its
    next step (a piece of prefill or a token); that one goes on afterwards where it was. A change of the model waits
    for nothing: what runs or waits when it comes fails with EngineBusy.
    """

    def __init__(self) -> None:
        self._loaded: Loaded | None = None
        self._loaded_guard = threading.Lock()  # held while the model is freed or read by another thread
        self._wake = threading.Condition()
        self._waiting: dict[Priority, deque[Job]] = {priority: deque() for priority in Priority}
        self._suspended: deque[_Turn] = deque()
        self._running: _Turn | None = None
        self._changes: deque[_Change] = deque()
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def submit(self, job: Job) -> None:
        """Queue a request. Any thread. When too many wait it fails with EngineBusy at once."""
        with self._wake:
            queue = self._waiting[job.priority]
            full = len(queue) >= MAX_WAITING
            if not full:
                queue.append(job)
                self._hurry(job)
                self._wake.notify()
        if full:
            job.fail(EngineBusy("Too many requests wait for the model; try again later."))

    def cancel(self, id_: int) -> None:
        """Stop a request within one step. Any thread. An unknown id has ended already."""
        with self._wake:
            waiting = [job for queue in self._waiting.values() for job in queue if job.id == id_]
            for job in waiting:
                self._waiting[job.priority].remove(job)
            for turn in (self._running, *self._suspended):
                if turn is not None and turn.job.id == id_:
                    turn.job.cancelled = True
                    self._interrupt_if_running(turn)
        for job in waiting:
            job.stopped()

    def cancel_part(self, id_: int, part: int) -> None:
        """Stop one of a request's answers at its next step. Any thread. What is unknown has ended already."""
        with self._wake:
            waiting = [job for queue in self._waiting.values() for job in queue]
            begun = [turn.job for turn in (self._running, *self._suspended) if turn is not None]
        for job in [*waiting, *begun]:
            if job.id == id_:
                job.cancel_part(part)

    def change_model(
        self, opener: Opener, why: str, told: Callable[[Loaded | None], None] = lambda _loaded: None
    ) -> None:
        """Free the present model, then run `opener` on the engine's thread for the next one. Any thread.

        `told` gets the next one once it is in its place, so that who hears of it can ask for it at once.
        """
        self._change(_Change(opener, why, told))

    def count_tokens(self, texts: Sequence[str]) -> tuple[int, ...]:
        """Tokens of each text as a segment, also while something runs. Any thread. Raises RequestInvalid."""
        with self._loaded_guard:
            if self._loaded is None:
                raise no_model()
            return self._loaded.count(texts)

    def known(self, prompt: Prompt) -> Known:
        """How much of a prompt is remembered, also while something runs. Any thread. Raises RequestInvalid."""
        with self._loaded_guard:
            if self._loaded is None:
                raise no_model()
            return self._loaded.known(prompt)

    def close(self, timeout_s: float = 10.0) -> None:
        """Stop the thread and free the model. (The engine's own process just exits.)"""
        self._change(_Change(lambda: None, "The engine is being closed.", last=True))
        self._thread.join(timeout_s)

    def _change(self, change: _Change) -> None:
        with self._wake:
            dropped = [job for queue in self._waiting.values() for job in queue]
            for queue in self._waiting.values():
                queue.clear()
            if self._running is not None:
                self._running.job.superseded = change.why
                self._running.job.cancelled = True
                self._interrupt_if_running(self._running)
            self._changes.append(change)
            self._wake.notify()
        for job in dropped:
            job.fail(EngineBusy(change.why))

    def _hurry(self, job: Job) -> None:
        """A background request's piece of prefill takes seconds on a CPU: it is broken off and computed again later.

        Not so for models that can't be cut: they would have to begin from nothing.
        """
        running, loaded = self._running, self._loaded
        if job.priority is not Priority.USER or running is None or loaded is None:
            return
        if running.job.priority is Priority.BACKGROUND and loaded.divisible:
            loaded.context.interrupt.set()

    def _interrupt_if_running(self, turn: _Turn) -> None:
        if turn is self._running and self._loaded is not None:
            self._loaded.context.interrupt.set()

    def _run(self) -> None:
        while True:
            with self._wake:
                self._wake.wait_for(self._has_work)
                change = self._changes.popleft() if self._changes else None
                turn = None if change else self._next_turn()
            if change is not None:
                self._apply(change)
                if change.last:
                    return
            elif turn is not None:
                self._serve(turn)

    def _has_work(self) -> bool:
        return bool(self._changes or self._suspended or any(self._waiting.values()))

    def _next_turn(self) -> _Turn | None:
        """Users first, then the background request that was set aside, then the next one. Holds the lock."""
        job = None
        if self._waiting[Priority.USER]:
            job = self._waiting[Priority.USER].popleft()
        elif self._suspended:
            turn = self._suspended.popleft()
        else:
            job = self._waiting[Priority.BACKGROUND].popleft()
        if job is not None:
            turn = _Turn(job, job.steps(self._loaded) if self._loaded is not None else _refuse())
        if self._loaded is not None:
            self._loaded.context.interrupt.clear()
        self._running = turn
        return turn

    def _serve(self, turn: _Turn) -> None:
        ended = False
        while not ended and not self._gives_way(turn):
            ended = self._step(turn)
        if not ended:
            turn.job.suspend()
        with self._wake:
            self._running = None
            if not ended:
                self._suspended.appendleft(turn)

    def _step(self, turn: _Turn) -> bool:
        """One step; True when the job has ended, its end reported."""
        try:
            next(turn.steps)
        except StopIteration:
            return True
        except Stopped:
            if turn.job.superseded:
                turn.job.fail(EngineBusy(turn.job.superseded))
            else:
                turn.job.stopped()
            return True
        except EngineError as error:
            turn.job.fail(error)
            return True
        except Exception:  # ours to mend: this request fails, the engine goes on
            traceback.print_exc()
            turn.job.fail(EngineError("The engine made a mistake; ask again. Its log has the details."))
            return True
        return False

    def _gives_way(self, turn: _Turn) -> bool:
        with self._wake:
            return turn.job.priority is Priority.BACKGROUND and bool(self._waiting[Priority.USER])

    def _apply(self, change: _Change) -> None:
        for turn in self._suspended:
            turn.steps.close()
            turn.job.fail(EngineBusy(change.why))
        self._suspended.clear()
        with self._loaded_guard:
            if self._loaded is not None:
                self._loaded.close()
            self._loaded = None
        loaded = change.opener()
        with self._loaded_guard:
            self._loaded = loaded
        change.told(loaded)


def no_model() -> RequestInvalid:
    """What a request gets when there is no model."""
    return RequestInvalid("No model is loaded; choose one on the models page first.")


def _refuse() -> Generator[None, None, None]:
    raise no_model()
    yield
