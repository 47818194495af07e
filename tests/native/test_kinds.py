"""Models whose cache can't be kept and cut like a plain one: what was asked before never shows in an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from engine.native.library import Library
from engine.runtime.generate import GenerateJob
from engine.runtime.loaded import Loaded, load
from engine.runtime.many import ManyJob
from engine.types.generation import BranchEvent, Generated, GenerateRequest, GenerationEvent, ManyRequest, Sampling
from engine.types.model import LoadRequest
from tests.native.conftest import prompt, run
from tests.native.small_models import (
    WINDOW,
    write_hybrid,
    write_hybrid_sliding,
    write_recurrent,
    write_sliding,
)

COMMON = "Zhang lends Li 500,000 yuan at 12 percent a year from 5 March 2021 on. " * 8  # some 570 tokens
BY_CHANCE = Sampling(temperature=2.0, seed=5)
ONE, OTHER = "Li pays nothing back until the end of May. " * 6, "Wang vouches for Li's debt up to one half. " * 6
WRITERS: dict[str, Callable[[Path], None]] = {
    "sliding": write_sliding, "recurrent": write_recurrent, "hybrid": write_hybrid,
    "hybrid-sliding": write_hybrid_sliding,
}  # fmt: skip


@pytest.fixture(scope="module", params=sorted(WRITERS))
def loaded(
    request: pytest.FixtureRequest, library: Library, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Loaded]:
    path = tmp_path_factory.mktemp("kinds") / f"{request.param}.gguf"
    WRITERS[request.param](path)
    made = load(library, LoadRequest(str(path), threads=1), lambda _: True)
    yield made
    made.close()


@pytest.fixture
def model(loaded: Loaded) -> Loaded:
    loaded.prefixes.clear()
    return loaded


def ask(question: str, *documents: str) -> GenerateRequest:
    """By chance, always the same: the likeliest byte of random weights is the same after any question."""
    return GenerateRequest(prompt(question, *documents), max_tokens=10, sampling=BY_CHANCE)


def first_row(model: Loaded, request: GenerateRequest) -> np.ndarray:
    """Logits after the prompt."""
    run(model, ask_one(request))
    return model.context.logits(model.context.batch.struct.n_tokens - 1).copy()


def ask_one(request: GenerateRequest) -> GenerateRequest:
    return GenerateRequest(request.prompt, max_tokens=1)


def colds(model: Loaded, requests: list[GenerateRequest]) -> list[np.ndarray]:
    rows = []
    for request in requests:
        model.prefixes.clear()
        rows.append(first_row(model, request))
    return rows


def test_each_is_of_the_kind_it_should_be(model: Loaded, request: pytest.FixtureRequest) -> None:
    kind = request.node.callspec.params["loaded"]
    assert model.divisible == (kind == "sliding")
    assert model.model.window == (WINDOW if "sliding" in kind else 0)


def test_no_bit_of_a_logit_depends_on_what_was_asked_before(model: Loaded) -> None:
    """Two documents that part after 570 tokens, a third in between, the same again: in the context and set aside."""
    requests = [
        ask("Who lends?", COMMON, ONE), ask("How much?", COMMON, ONE), ask("Who vouches?", COMMON, OTHER),
        ask("Who?", "The rent contract of 1 May 2020. " * 20), ask("And who lends?", COMMON, OTHER),
        ask("Who lends?", COMMON), ask("Who lends?", COMMON, ONE),
    ]  # fmt: skip
    cold = colds(model, requests)
    assert len({row.tobytes() for row in cold}) == len(requests) - 1
    model.prefixes.clear()
    for _ in range(2):
        for request, row in zip(requests, cold, strict=True):
            assert np.array_equal(first_row(model, request), row), request.prompt.messages[1].segments[-1].text


def test_answers_warm_are_answers_cold_and_something_is_restored(model: Loaded) -> None:
    requests = [ask(question, COMMON, ONE) for question in ("Who lends?", "How much?", "When?")]
    cold = []
    for request in requests:
        model.prefixes.clear()
        cold.append(run(model, request).text)
    warm = [run(model, request) for request in requests]
    assert [answer.text for answer in warm] == cold and len(set(cold)) > 1
    for answer in warm[1:]:  # from the context, or from the state that was set aside before the first question
        assert answer.timing.restored_tokens > answer.timing.prompt_tokens * 0.8


def test_several_at_once_answer_what_each_answers_alone(model: Loaded) -> None:
    requests = [ask(question, COMMON, ONE) for question in ("Who lends?", "How much?", "When?")]
    cold = []
    for request in requests:
        model.prefixes.clear()
        cold.append(run(model, request).text)
    model.prefixes.clear()
    events: list[BranchEvent] = []
    request = ManyRequest(tuple(one.prompt for one in requests), max_tokens=10, sampling=BY_CHANCE)
    job = ManyJob(1, request, events.append, _raise)
    for _ in job.steps(model):
        pass
    ends = {event.branch: event.event for event in events if event.ends}
    texts = {branch: end.text for branch, end in ends.items() if isinstance(end, Generated)}
    assert texts == dict(enumerate(cold))


@pytest.mark.parametrize("steps", [1, 7])
def test_what_was_set_aside_goes_on_as_if_nothing_had_come_between(model: Loaded, steps: int) -> None:
    """In the middle of reading and of answering: the same text, and the same bits at its end."""
    texts, rows = [], []
    for overtaken in (False, True):
        model.prefixes.clear()
        events: list[GenerationEvent] = []
        job = GenerateJob(1, ask("Who lends?", COMMON, ONE), events.append, _raise)
        for i, _ in enumerate(job.steps(model)):
            if overtaken and i + 1 == steps:
                job.suspend()
                run(model, ask("Who rents?", "The rent contract of 1 May 2020. " * 20))
        texts += [event.text for event in events if isinstance(event, Generated)]
        rows.append(model.context.logits(0).copy())
    assert texts[0] == texts[1] != ""
    assert np.array_equal(rows[0], rows[1])


def test_guessing_ahead_changes_nothing_where_it_can_not_be_taken_back(model: Loaded) -> None:
    plain = run(model, GenerateRequest(prompt("Who lends?", COMMON), max_tokens=24))
    ahead = run(model, GenerateRequest(prompt("Who lends?", COMMON), max_tokens=24, speculate=True))
    assert ahead.text == plain.text
    assert model.divisible or ahead.timing.drafted_tokens == 0


def _raise(error: Exception) -> None:
    raise error
