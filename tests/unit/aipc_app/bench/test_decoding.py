"""The benchmarks of decoding, with the fake engine in the place of a model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from aipc_app.bench import decode, parallel
from aipc_app.bench.spoken import Spoken, parting, prompt
from engine.client.fake import FakeEngine
from engine.types.generation import Timing


def spoken(*pieces: str) -> Spoken:
    return Spoken(pieces=pieces, timing=Timing())


@pytest.mark.parametrize(("logprobs", "lead", "near"), [((-1.0, -1.4), 0.4, True), ((-0.1, -5.1), 5.0, False)])
def test_where_answers_part_the_choice_is_weighed(logprobs: tuple[float, float], lead: float, near: bool) -> None:
    engine = FakeEngine(score=lambda _: logprobs)
    found = parting(engine, prompt("A file.", "Who?"), "Who?", spoken("It", " is", " Li"), spoken("It", " was", " Li"))
    assert found is not None and found.lead == pytest.approx(lead) and found.near_tie is near
    assert (found.after_pieces, found.words) == (1, (" is", " was"))
    asked = engine.score_requests[0]
    assert asked.prompt.answer_start == "It" and asked.continuations == (" is", " was")


def test_a_blank_that_begins_a_word_is_weighed_with_it() -> None:
    """One token may hold a blank and the first byte of 禁, whose text comes with the token that completes it."""
    engine = FakeEngine(score=lambda _: (-1.0, -1.1))
    found = parting(engine, prompt("", "Q"), "Q", spoken("条", "禁止", "高"), spoken("条", " ", "禁止", "高"))
    assert found is not None and found.words == ("禁止", " 禁止") and found.near_tie
    assert engine.score_requests[0].continuations == ("禁止", " 禁止")


def test_equal_answers_do_not_part_and_an_end_is_never_a_near_tie() -> None:
    engine = FakeEngine()
    assert parting(engine, prompt("", "Who?"), "Who?", spoken("It", " is"), spoken("It is")) is None
    found = parting(engine, prompt("", "Who?"), "Who?", spoken("It"), spoken("It", " is"))
    assert found is not None and found.lead is None and not found.near_tie


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeEngine:
    engine = FakeEngine("It says so.", token_delay_s=1e-4)

    @contextmanager
    def opened(model: Path, context_tokens: int) -> Iterator[FakeEngine]:
        yield engine

    for bench in (parallel, decode):
        monkeypatch.setattr(bench, "engine_with", opened)
        monkeypatch.setattr(bench, "model_file", lambda: Path("model.gguf"))
    return engine


def test_parallel_compares_the_same_questions_both_ways(fake: FakeEngine) -> None:
    report = parallel.run()
    assert report.bench == "parallel" and report.skipped == ()
    assert report.results["answers_equal"] == report.results["answers"] == len(parallel.QUESTIONS)
    assert len(report.results["wall_s"]["alone"]) == len(report.results["wall_s"]["together"]) == parallel.RUNS
    assert len(fake.many_requests) == parallel.RUNS
    assert all(len(request.prompts) == len(parallel.QUESTIONS) for request in fake.many_requests)
    assert report.bars[0].holds


def test_without_the_model_the_benchmarks_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    for bench in (parallel, decode):
        monkeypatch.setattr(bench, "model_file", lambda: None)
        assert "is not here" in bench.run().skipped[0]


def test_twenty_articles_are_asked_for_each_among_its_neighbours() -> None:
    questions = list(decode._questions())
    assert len({str(asked) for asked, _ in questions}) == len(questions) == decode.QUOTES
    for asked, question in questions:
        name = question.removeprefix("请逐字引用").split("的全文")[0]
        assert name in asked.messages[0].segments[1].text
