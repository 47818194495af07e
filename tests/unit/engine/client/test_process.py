"""The engine's child process: started on need, watched, started again; against a scripted child."""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import psutil
import pytest

from engine.client.base import Generation
from engine.client.process import ProcessEngine
from engine.errors import EngineBusy, EngineDied, EngineError, ModelError, PromptTooLong, RequestInvalid
from engine.types.generation import (
    FinishReason,
    Generated,
    GenerateRequest,
    GenerationEvent,
    ScoreRequest,
    TextDelta,
)
from engine.types.model import EngineFailed, EngineLoading, EngineReady, EngineState, EngineStopped, LoadRequest
from engine.types.prompt import ChatMessage, Prompt, Role, Segment, SegmentKind
from engine.wire import messages as wire

ROOT = Path(__file__).resolve().parents[4]
CHILD = Path(__file__).with_name("child.py")
WAIT_S = 20.0
GOOD = LoadRequest("good.gguf")
FINISH_LOAD = 1_000_000_000  # an Inspect of this id tells the scripted child to finish a slow load

Start = Callable[..., ProcessEngine]


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    engines: list[ProcessEngine] = []
    threads = set(threading.enumerate())

    def make(
        *arguments: str, back_off_s: Sequence[float] = (0.0,), command: Sequence[str] | None = None
    ) -> ProcessEngine:
        argv = list(command) if command is not None else [sys.executable, str(CHILD), *arguments]
        engines.append(ProcessEngine(argv, tmp_path / "logs" / "engine.log", back_off_s=back_off_s))
        return engines[-1]

    yield make
    for engine in engines:
        engine.close()
    assert set(threading.enumerate()) - threads == set(), "a thread was left running"
    assert psutil.Process().children() == [], "a process was left running"


@pytest.fixture
def engine(start: Start) -> ProcessEngine:
    made = start()
    made.load(GOOD)
    return made


def ask(what: str) -> GenerateRequest:
    return GenerateRequest(Prompt((ChatMessage(Role.USER, (Segment(SegmentKind.QUESTION, what),)),)))


def last(events: Iterator[GenerationEvent] | Generation) -> Generated:
    event = list(events)[-1]
    assert isinstance(event, Generated)
    return event


def states(engine: ProcessEngine) -> queue.SimpleQueue[EngineState]:
    told: queue.SimpleQueue[EngineState] = queue.SimpleQueue()
    engine.subscribe(told.put)
    return told


def until(told: queue.SimpleQueue[EngineState], kind: type) -> EngineState:
    while not isinstance(state := told.get(timeout=WAIT_S), kind):
        pass
    return state


def test_nothing_is_started_before_it_is_needed(start: Start) -> None:
    engine = start()
    assert engine.pid is None and engine.state == EngineStopped()
    with pytest.raises(RequestInvalid, match="choose one on the models page"):
        engine.generate(ask("hello"))
    assert engine.pid is None


def test_loading_tells_progress_and_states(start: Start) -> None:
    engine = start()
    told, fractions = states(engine), list[float]()
    model = engine.load(GOOD, fractions.append)
    assert fractions == [0.5]
    assert engine.state == EngineReady(model)
    assert EngineLoading("good.gguf", 0.5) in [told.get_nowait() for _ in range(told.qsize())]


def test_an_answer_comes_event_by_event(engine: ProcessEngine) -> None:
    events = list(engine.generate(ask("hello")))
    assert events[1] == TextDelta("Yes.")
    assert isinstance(events[-1], Generated) and events[-1].reason is FinishReason.STOP


def test_a_request_that_fails_raises_its_own_error_and_the_engine_goes_on(engine: ProcessEngine) -> None:
    with pytest.raises(PromptTooLong) as caught:
        list(engine.generate(ask("too long")))
    assert caught.value.context_tokens == 8
    assert last(engine.generate(ask("hello"))).text == "Yes."


def test_a_death_in_mid_answer_raises_engine_died_and_the_next_question_is_answered(engine: ProcessEngine) -> None:
    told = states(engine)
    seen: list[GenerationEvent] = []
    with pytest.raises(EngineDied, match="started again"):
        for event in engine.generate(ask("die")):
            seen.append(event)
    assert TextDelta("Half an ans") in seen
    failed = until(told, EngineFailed)
    assert isinstance(failed, EngineFailed) and "unexpectedly" in failed.message
    assert last(engine.generate(ask("hello"))).text == "Yes."
    assert isinstance(engine.state, EngineReady)


def test_everything_in_flight_is_told_of_a_death(engine: ProcessEngine) -> None:
    waiting = [iter(engine.generate(ask("wait"))) for _ in range(3)]
    for generation in waiting:
        next(generation)
    assert engine.pid is not None
    os.kill(engine.pid, signal.SIGKILL)
    for generation in waiting:
        with pytest.raises(EngineDied):
            list(generation)


def test_scores_and_counts_after_a_death_are_served_by_a_new_child(engine: ProcessEngine) -> None:
    for again in (
        lambda: engine.score(ScoreRequest(ask("hello").prompt, ("是", "否"))).logprobs == (-1.0, -1.0),
        lambda: engine.count_tokens(["abc"]) == (3,),
    ):
        with pytest.raises(EngineDied):
            list(engine.generate(ask("die")))
        assert again()


def test_a_model_that_kills_the_child_is_not_tried_again_by_itself(engine: ProcessEngine) -> None:
    with pytest.raises(EngineDied, match="while it loaded this model"):
        engine.load(LoadRequest("deadly.gguf"))
    assert isinstance(engine.state, EngineFailed) and "damaged or too large" in engine.state.message
    with pytest.raises(RequestInvalid):
        engine.generate(ask("hello"))
    engine.load(GOOD)
    assert last(engine.generate(ask("hello"))).text == "Yes."


def test_a_bad_model_file_is_told_as_it_is(start: Start) -> None:
    engine = start()
    with pytest.raises(ModelError, match="copy it again"):
        engine.load(LoadRequest("bad.gguf"))
    assert engine.state == EngineFailed("The model file is damaged; copy it again.")


def test_a_load_can_be_given_up_and_another_one_meanwhile_is_refused(start: Start) -> None:
    engine = start()
    begun, outcome = threading.Event(), queue.SimpleQueue[EngineError]()

    def load() -> None:
        try:
            engine.load(LoadRequest("slow.gguf"), lambda _: begun.set())
        except EngineError as error:
            outcome.put(error)

    thread = threading.Thread(target=load)
    thread.start()
    assert begun.wait(WAIT_S)
    with pytest.raises(EngineBusy):
        engine.load(GOOD)
    engine.cancel_load()
    assert "stopped" in outcome.get(timeout=WAIT_S).message
    thread.join(WAIT_S)
    engine.load(GOOD)


def test_a_question_asked_while_a_model_loads_waits_for_it(start: Start) -> None:
    engine = start()
    begun, answers = threading.Event(), queue.SimpleQueue[str]()

    def load() -> None:
        engine.load(LoadRequest("slow.gguf"), lambda _: begun.set())

    loader = threading.Thread(target=load)
    loader.start()
    assert begun.wait(WAIT_S)
    assert engine.inspect().cpu_backend == "scripted"  # what needs no model doesn't wait
    generation = engine.generate(ask("hello"))
    asker = threading.Thread(target=lambda: answers.put(last(generation).text))
    asker.start()
    engine._connection.post(wire.Inspect(FINISH_LOAD))
    assert answers.get(timeout=WAIT_S) == "Yes."
    for thread in (loader, asker):
        thread.join(WAIT_S)


def test_cancel_ends_the_answer_with_what_was_said(engine: ProcessEngine) -> None:
    generation = engine.generate(ask("wait"))
    events = []
    for event in generation:
        events.append(event)
        if isinstance(event, TextDelta):
            generation.cancel()
    assert isinstance(events[-1], Generated)
    assert (events[-1].text, events[-1].reason) == ("Half", FinishReason.CANCELLED)


def test_an_iteration_given_up_cancels_the_request(engine: ProcessEngine) -> None:
    events = iter(engine.generate(ask("wait")))
    next(events)
    events.close()  # type: ignore[attr-defined]
    assert last(engine.generate(ask("hello"))).text == "Yes."


def test_deaths_in_a_row_are_waited_out(start: Start) -> None:
    engine = start(back_off_s=(0.0, 0.25, 60.0))
    engine.load(GOOD)
    waits = []
    for _ in range(2):
        told = states(engine)
        with pytest.raises(EngineDied):
            list(engine.generate(ask("die")))
        failed = until(told, EngineFailed)
        assert isinstance(failed, EngineFailed)
        waits.append(failed.retry_after_s)
    assert waits[0] == 0 and 0 < waits[1] <= 0.25
    with pytest.raises(EngineDied):
        list(engine.generate(ask("die")))
    closer = threading.Timer(0.1, engine.close)
    closer.start()
    with pytest.raises(EngineDied, match="closed"):  # a close doesn't wait for the back-off
        list(engine.generate(ask("hello")))
    closer.join()


def test_an_answer_served_ends_the_row_of_deaths(start: Start) -> None:
    engine = start(back_off_s=(0.0, 60.0))
    engine.load(GOOD)
    for _ in range(3):
        told = states(engine)
        with pytest.raises(EngineDied):
            list(engine.generate(ask("die")))
        failed = until(told, EngineFailed)
        assert isinstance(failed, EngineFailed) and failed.retry_after_s == 0
        assert last(engine.generate(ask("hello"))).text == "Yes."


def test_unloading_keeps_the_process(engine: ProcessEngine) -> None:
    pid = engine.inspect().versions["pid"]
    engine.unload()
    assert engine.state == EngineStopped()
    assert engine.inspect().versions["pid"] == pid
    with pytest.raises(RequestInvalid):
        engine.generate(ask("hello"))


def test_after_close_everything_raises_and_nothing_is_left(engine: ProcessEngine) -> None:
    events = iter(engine.generate(ask("wait")))
    next(events)
    engine.close()
    with pytest.raises(EngineDied):
        list(events)
    for call in (engine.inspect, lambda: engine.load(GOOD), lambda: engine.generate(ask("hello"))):
        with pytest.raises(EngineDied, match="closed"):
            call()
    assert engine.state == EngineStopped()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(("999",), "different versions"), (("1", "No backend runs on this processor."), "No backend runs")],
)
def test_a_child_that_is_not_fit_says_why(start: Start, arguments: tuple[str, ...], words: str) -> None:
    engine = start(*arguments)
    with pytest.raises(EngineDied, match=words):
        engine.load(GOOD)
    assert isinstance(engine.state, EngineFailed) and words in engine.state.message


def test_a_command_that_is_not_there_is_an_error_not_a_crash(start: Start, tmp_path: Path) -> None:
    engine = start(command=[str(tmp_path / "no-such-program")])
    with pytest.raises(EngineDied, match="can't be started"):
        engine.load(GOOD)


def test_a_child_that_dies_at_once_is_an_error(start: Start) -> None:
    engine = start(command=[sys.executable, "-c", "raise SystemExit(3)"])
    with pytest.raises(EngineDied, match="did not start"):
        engine.load(GOOD)


def test_many_threads_may_ask_at_once(engine: ProcessEngine) -> None:
    answers: queue.SimpleQueue[str] = queue.SimpleQueue()
    threads = [
        threading.Thread(target=lambda: answers.put(last(engine.generate(ask("hello"))).text)) for _ in range(12)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT_S)
    assert [answers.get_nowait() for _ in threads] == ["Yes."] * 12
