"""The fake engine keeps the promises of the real one."""

from __future__ import annotations

import threading

import pytest

from engine.client.fake import FakeEngine
from engine.errors import EngineDied, EngineError, ModelError, OutOfMemory, PromptTooLong, RequestInvalid
from engine.types.generation import (
    DeltaKind,
    FinishReason,
    Generated,
    GenerateRequest,
    GenerationEvent,
    PrefillProgress,
    ScoreRequest,
    TextDelta,
)
from engine.types.model import EngineFailed, EngineLoading, EngineReady, EngineState, EngineStopped, LoadRequest
from engine.types.prompt import ChatMessage, Prompt, Role, Segment, SegmentKind

WAIT_S = 20.0


def ask(question: str, document: str = "借款合同", **options: object) -> GenerateRequest:
    segments = (Segment(SegmentKind.DOCUMENTS, document), Segment(SegmentKind.QUESTION, question))
    answer_start = str(options.pop("answer_start", ""))
    return GenerateRequest(Prompt((ChatMessage(Role.USER, segments),), answer_start), **options)  # type: ignore[arg-type]


def answer(engine: FakeEngine, request: GenerateRequest) -> Generated:
    event = list(engine.generate(request))[-1]
    assert isinstance(event, Generated)
    return event


def test_it_answers_by_the_words_of_the_question() -> None:
    engine = FakeEngine({"金额": "五十万元。", "": "I don't know."})
    assert answer(engine, ask("借款金额？")).text == "五十万元。"
    assert answer(engine, ask("Who?")).text == "I don't know."
    assert [request.prompt.messages[0].segments[1].text for request in engine.requests] == ["借款金额？", "Who?"]


def test_deltas_make_up_the_answer_and_thoughts_stay_apart() -> None:
    events = list(FakeEngine("<think>Let me see.</think>\n五十万元 in all.").generate(ask("?")))
    assert isinstance(events[0], PrefillProgress)
    deltas = [event for event in events if isinstance(event, TextDelta)]
    assert "".join(d.text for d in deltas if d.kind is DeltaKind.ANSWER) == "五十万元 in all."
    assert "".join(d.text for d in deltas if d.kind is DeltaKind.THOUGHT) == "Let me see."


def test_stop_words_length_and_the_given_beginning_are_honoured() -> None:
    engine = FakeEngine("one two three")
    assert answer(engine, ask("?", stop=("two",))).text == "one "
    cut = answer(engine, ask("?", max_tokens=1))
    assert (cut.text, cut.reason) == ("one", FinishReason.LENGTH)
    assert answer(engine, ask("?", answer_start="zero ")).text == "zero one two three"


def test_a_second_question_on_the_same_document_restores_it() -> None:
    engine = FakeEngine("yes")
    assert answer(engine, ask("first?")).timing.restored_tokens == 0
    second = answer(engine, ask("second?")).timing
    assert second.restored_tokens == 4 and second.restored_tokens + second.prefilled_tokens == second.prompt_tokens


def test_a_held_answer_goes_on_when_released_or_ends_when_cancelled() -> None:
    engine = FakeEngine("a b c d")
    for act, text, reason in ((engine.release, "a b c d", FinishReason.STOP), (None, "a ", FinishReason.CANCELLED)):
        engine.hold_after(2)
        generation, said, events = engine.generate(ask("?")), threading.Event(), list[GenerationEvent]()

        def read(generation: object = generation, said: threading.Event = said, events: list = events) -> None:  # type: ignore[type-arg]
            for event in generation:  # type: ignore[attr-defined]
                events.append(event)
                if event == TextDelta(" "):
                    said.set()

        thread = threading.Thread(target=read)
        thread.start()
        assert said.wait(WAIT_S)
        (act or generation.cancel)()
        thread.join(WAIT_S)
        last = events[-1]
        assert isinstance(last, Generated) and (last.text, last.reason) == (text, reason)


def test_a_death_ends_what_is_in_flight_and_the_next_question_is_answered() -> None:
    engine = FakeEngine("one two three")
    states: list[EngineState] = []
    engine.subscribe(states.append)
    events = iter(engine.generate(ask("?")))
    next(events)
    engine.die()
    with pytest.raises(EngineDied):
        list(events)
    assert isinstance(engine.state, EngineFailed)
    assert answer(engine, ask("?")).text == "one two three"
    assert [type(state) for state in states] == [EngineFailed, EngineReady]


def test_it_fails_as_told_once() -> None:
    engine = FakeEngine("yes", loaded=False)
    engine.fail_next(ModelError("The file is damaged."))
    with pytest.raises(ModelError):
        engine.load(LoadRequest("m.gguf"))
    assert engine.state == EngineFailed("The file is damaged.")
    engine.load(LoadRequest("m.gguf"))
    engine.fail_next(OutOfMemory("full"))
    with pytest.raises(OutOfMemory):
        list(engine.generate(ask("?")))
    assert answer(engine, ask("?")).text == "yes"


def test_without_a_model_nothing_is_answered() -> None:
    engine = FakeEngine("yes", loaded=False)
    assert engine.state == EngineStopped()
    for call in (lambda: engine.generate(ask("?")), lambda: engine.score(ScoreRequest(ask("?").prompt, ("a",)))):
        with pytest.raises(RequestInvalid):
            call()


def test_a_load_tells_progress_and_can_be_given_up() -> None:
    engine = FakeEngine(loaded=False)
    fractions: list[float] = []
    engine.hold_load()

    def give_up(fraction: float) -> None:
        fractions.append(fraction)
        engine.cancel_load()

    with pytest.raises(EngineError, match="stopped"):
        engine.load(LoadRequest("m.gguf"), give_up)
    assert fractions == [0.0]
    engine.release()
    states: list[EngineState] = []
    stop = engine.subscribe(states.append)
    model = engine.load(LoadRequest("m.gguf"))
    stop()
    assert states[0] == EngineLoading("m.gguf", 0.0) and states[-1] == EngineReady(model)


def test_scores_come_from_the_script() -> None:
    engine = FakeEngine(score=lambda request: [-0.1 if "是" in text else -5.0 for text in request.continuations])
    assert engine.score(ScoreRequest(ask("?").prompt, ("否", "是"))).logprobs == (-5.0, -0.1)


def test_a_prompt_too_long_carries_both_numbers() -> None:
    engine = FakeEngine("yes", context_tokens=100)
    with pytest.raises(PromptTooLong) as caught:
        list(engine.generate(ask("?", "字" * 90, max_tokens=20)))
    assert (caught.value.prompt_tokens, caught.value.context_tokens) == (91, 100)


def test_after_close_it_raises() -> None:
    engine = FakeEngine("yes")
    engine.close()
    with pytest.raises(EngineDied):
        engine.generate(ask("?"))
    assert engine.state == EngineStopped()
