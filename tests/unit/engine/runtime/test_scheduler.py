"""Whose turn it is, with jobs whose steps the test allows one by one."""

from __future__ import annotations

import queue
import threading
from collections.abc import Generator, Iterator, Sequence
from typing import TYPE_CHECKING, cast

import pytest

from engine.errors import EngineBusy, EngineError, RequestInvalid
from engine.runtime.job import Job, Stopped
from engine.runtime.scheduler import MAX_WAITING, Scheduler
from engine.types.generation import Priority

if TYPE_CHECKING:
    from engine.runtime.loaded import Loaded

WAIT_S = 20.0


class Flag:
    """Stands where the native interrupt stands."""

    def __init__(self) -> None:
        self.raised = threading.Event()

    def set(self) -> None:
        self.raised.set()

    def clear(self) -> None:
        self.raised.clear()


class Model:
    """What the scheduler needs of a loaded model."""

    def __init__(self) -> None:
        self.context = self
        self.interrupt = Flag()
        self.closed, self.divisible = False, True

    def count(self, texts: Sequence[str]) -> tuple[int, ...]:
        return tuple(map(len, texts))

    def close(self) -> None:
        self.closed = True


class SteppedJob(Job):
    """Notes each step in a common diary and goes on when the test lets it."""

    def __init__(self, id_: int, priority: Priority, diary: queue.SimpleQueue[str], steps: int = 2) -> None:
        super().__init__(id_, priority)
        self.diary, self.count, self.go = diary, steps, threading.Semaphore(0)
        self.ended: queue.SimpleQueue[object] = queue.SimpleQueue()

    def steps(self, loaded: Loaded) -> Generator[None, None, None]:
        for i in range(self.count):
            self.diary.put(f"{self.id}.{i}")
            assert self.go.acquire(timeout=WAIT_S)
            if self.cancelled:
                raise Stopped
            yield
        self.ended.put("done")

    def suspend(self) -> None:
        self.diary.put(f"{self.id} waits")

    def stopped(self) -> None:
        self.ended.put("stopped")

    def fail(self, error: EngineError) -> None:
        self.ended.put(error)

    def cancel_part(self, part: int) -> None:
        self.ended.put(f"part {part}")


class BrokenJob(SteppedJob):
    def steps(self, loaded: Loaded) -> Generator[None, None, None]:
        yield
        raise ZeroDivisionError


@pytest.fixture
def scheduler() -> Iterator[Scheduler]:
    made = Scheduler()
    made.start()
    yield made
    made.close()


@pytest.fixture
def model(scheduler: Scheduler) -> Model:
    return load(scheduler)


@pytest.fixture
def diary() -> queue.SimpleQueue[str]:
    return queue.SimpleQueue()


def load(scheduler: Scheduler) -> Model:
    model, loaded = Model(), threading.Event()

    def opener() -> Loaded:
        loaded.set()
        return cast("Loaded", model)

    scheduler.change_model(opener, "Another model is being loaded.")
    assert loaded.wait(WAIT_S)
    return model


def next_of(diary: queue.SimpleQueue[str], count: int = 1) -> list[str]:
    return [diary.get(timeout=WAIT_S) for _ in range(count)]


def run(job: SteppedJob, steps: int) -> None:
    for _ in range(steps):
        job.go.release()


def test_requests_are_served_in_the_order_they_came(
    scheduler: Scheduler, model: Model, diary: queue.SimpleQueue[str]
) -> None:
    jobs = [SteppedJob(i, Priority.USER, diary) for i in range(3)]
    for job in jobs:
        run(job, 2)
        scheduler.submit(job)
    assert next_of(diary, 6) == ["0.0", "0.1", "1.0", "1.1", "2.0", "2.1"]
    assert [job.ended.get(timeout=WAIT_S) for job in jobs] == ["done"] * 3


def test_a_user_overtakes_the_background_within_one_step_and_it_goes_on_after(
    scheduler: Scheduler, model: Model, diary: queue.SimpleQueue[str]
) -> None:
    background, user = SteppedJob(1, Priority.BACKGROUND, diary, 3), SteppedJob(2, Priority.USER, diary, 2)
    scheduler.submit(background)
    assert next_of(diary) == ["1.0"]
    scheduler.submit(user)
    run(user, 2)
    run(background, 3)
    assert next_of(diary, 5) == ["1 waits", "2.0", "2.1", "1.1", "1.2"]
    assert background.ended.get(timeout=WAIT_S) == "done"


@pytest.mark.parametrize("divisible", [True, False])
def test_a_users_request_breaks_off_a_piece_of_background_if_the_model_can_be_cut(
    scheduler: Scheduler, model: Model, diary: queue.SimpleQueue[str], divisible: bool
) -> None:
    model.divisible = divisible
    background, user = SteppedJob(1, Priority.BACKGROUND, diary), SteppedJob(2, Priority.USER, diary)
    scheduler.submit(background)
    next_of(diary)
    scheduler.submit(user)
    assert model.interrupt.raised.is_set() == divisible
    run(background, 2)
    assert next_of(diary, 2) == ["1 waits", "2.0"]
    assert not model.interrupt.raised.is_set()
    run(user, 2)
    assert background.ended.get(timeout=WAIT_S) == "done"


def test_a_user_does_not_overtake_a_user(scheduler: Scheduler, model: Model, diary: queue.SimpleQueue[str]) -> None:
    first, second = SteppedJob(1, Priority.USER, diary), SteppedJob(2, Priority.USER, diary)
    scheduler.submit(first)
    assert next_of(diary) == ["1.0"]
    scheduler.submit(second)
    run(first, 2)
    run(second, 2)
    assert next_of(diary, 3) == ["1.1", "2.0", "2.1"]


def test_cancelling_what_runs_interrupts_the_computation(
    scheduler: Scheduler, model: Model, diary: queue.SimpleQueue[str]
) -> None:
    job, after = SteppedJob(1, Priority.USER, diary), SteppedJob(2, Priority.USER, diary)
    scheduler.submit(job)
    assert next_of(diary) == ["1.0"]
    scheduler.cancel(1)
    assert model.interrupt.raised.is_set()
    run(job, 1)
    assert job.ended.get(timeout=WAIT_S) == "stopped"
    scheduler.submit(after)
    next_of(diary)
    assert not model.interrupt.raised.is_set()  # the next request isn't hit by it
    run(after, 2)


def test_cancelling_what_waits_ends_it_at_once(
    scheduler: Scheduler, model: Model, diary: queue.SimpleQueue[str]
) -> None:
    job, waiting = SteppedJob(1, Priority.USER, diary), SteppedJob(2, Priority.USER, diary)
    scheduler.submit(job)
    next_of(diary)
    scheduler.submit(waiting)
    scheduler.cancel(2)
    assert waiting.ended.get(timeout=WAIT_S) == "stopped"
    assert not model.interrupt.raised.is_set()
    run(job, 2)
    assert job.ended.get(timeout=WAIT_S) == "done"
    assert waiting.ended.empty()


def test_a_part_is_cancelled_wherever_its_request_is(
    scheduler: Scheduler, model: Model, diary: queue.SimpleQueue[str]
) -> None:
    aside, running, waiting = (
        SteppedJob(1, Priority.BACKGROUND, diary), SteppedJob(2, Priority.USER, diary),
        SteppedJob(3, Priority.USER, diary),
    )  # fmt: skip
    scheduler.submit(aside)
    next_of(diary)
    scheduler.submit(running)
    run(aside, 1)
    assert next_of(diary, 2) == ["1 waits", "2.0"]
    scheduler.submit(waiting)
    for id_ in (1, 2, 3, 9):
        scheduler.cancel_part(id_, id_ * 10)
    assert [job.ended.get(timeout=WAIT_S) for job in (aside, running, waiting)] == ["part 10", "part 20", "part 30"]
    assert not model.interrupt.raised.is_set()
    run(running, 2)
    run(waiting, 2)
    run(aside, 2)
    assert [job.ended.get(timeout=WAIT_S) for job in (running, waiting, aside)] == ["done"] * 3


def test_a_change_of_model_fails_what_runs_waits_or_is_set_aside(
    scheduler: Scheduler, model: Model, diary: queue.SimpleQueue[str]
) -> None:
    aside, running, waiting = (
        SteppedJob(1, Priority.BACKGROUND, diary), SteppedJob(2, Priority.USER, diary),
        SteppedJob(3, Priority.USER, diary),
    )  # fmt: skip
    scheduler.submit(aside)
    next_of(diary)
    scheduler.submit(running)
    run(aside, 1)
    assert next_of(diary, 2) == ["1 waits", "2.0"]
    scheduler.submit(waiting)
    opened = threading.Event()
    scheduler.change_model(lambda: opened.set(), "Another model is being loaded.")
    run(running, 1)
    for job in (aside, running, waiting):
        error = job.ended.get(timeout=WAIT_S)
        assert isinstance(error, EngineBusy) and error.message == "Another model is being loaded."
    assert opened.wait(WAIT_S) and model.closed


def test_without_a_model_a_request_says_what_to_do(scheduler: Scheduler, diary: queue.SimpleQueue[str]) -> None:
    job = SteppedJob(1, Priority.USER, diary)
    scheduler.submit(job)
    assert isinstance(job.ended.get(timeout=WAIT_S), RequestInvalid)
    with pytest.raises(RequestInvalid, match="choose one"):
        scheduler.count_tokens(["x"])


def test_a_mistake_of_ours_fails_one_request_and_the_engine_goes_on(
    scheduler: Scheduler, model: Model, diary: queue.SimpleQueue[str], capfd: pytest.CaptureFixture[str]
) -> None:
    broken, after = BrokenJob(1, Priority.USER, diary), SteppedJob(2, Priority.USER, diary)
    run(after, 2)
    scheduler.submit(broken)
    scheduler.submit(after)
    error = broken.ended.get(timeout=WAIT_S)
    assert isinstance(error, EngineError) and "ZeroDivision" not in error.message
    assert after.ended.get(timeout=WAIT_S) == "done"
    assert "ZeroDivisionError" in capfd.readouterr().err


def test_tokens_are_counted_while_something_runs(
    scheduler: Scheduler, model: Model, diary: queue.SimpleQueue[str]
) -> None:
    job = SteppedJob(1, Priority.USER, diary)
    scheduler.submit(job)
    next_of(diary)
    assert scheduler.count_tokens(["abc", ""]) == (3, 0)
    run(job, 2)


def test_too_many_waiting_requests_are_refused(
    scheduler: Scheduler, model: Model, diary: queue.SimpleQueue[str]
) -> None:
    job = SteppedJob(0, Priority.USER, diary)
    scheduler.submit(job)
    next_of(diary)
    crowd = [SteppedJob(i, Priority.USER, diary, 0) for i in range(1, MAX_WAITING + 2)]
    for one in crowd:
        scheduler.submit(one)
    assert isinstance(crowd[-1].ended.get(timeout=WAIT_S), EngineBusy)
    run(job, 2)
    assert crowd[-2].ended.get(timeout=WAIT_S) == "done"
