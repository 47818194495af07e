"""A model whose state can't be cut. The model is a small Mamba with random weights."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engine.native.library import Library
from engine.runtime.generate import GenerateJob
from engine.runtime.job import Stopped
from engine.runtime.loaded import Loaded, load
from engine.types.generation import GenerateRequest, GenerationEvent, PrefillProgress, ScoreRequest
from engine.types.model import LoadRequest
from engine.types.prompt import ChatMessage, Prompt, Role, Segment, SegmentKind
from tests.native.conftest import prompt, run, score
from tests.native.small_models import write_recurrent

DOCUMENT = "Zhang lends Li 500,000 yuan. " * 30


@pytest.fixture(scope="module")
def mamba_model(library: Library, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loaded]:
    path = tmp_path_factory.mktemp("mamba") / "mamba.gguf"
    write_recurrent(path)
    loaded = load(library, LoadRequest(str(path)), lambda _: True)
    yield loaded
    loaded.close()


@pytest.fixture
def mamba(mamba_model: Loaded) -> Loaded:
    mamba_model.prefixes.clear()
    return mamba_model


def ask(question: str, max_tokens: int = 12) -> GenerateRequest:
    return GenerateRequest(prompt(question, DOCUMENT), max_tokens=max_tokens)


def test_it_is_known_that_it_cannot_be_cut(mamba: Loaded) -> None:
    assert not mamba.divisible


def test_answers_do_not_depend_on_what_was_asked_before(mamba: Loaded) -> None:
    questions = ["Who?", "How much?", "Who?", "When was it?"]
    cold = []
    for question in questions:
        mamba.prefixes.clear()
        cold.append(run(mamba, ask(question)).text)
    assert len(set(cold)) > 1
    mamba.prefixes.clear()
    answers = [run(mamba, ask(question)) for question in questions]
    assert [answer.text for answer in answers] == cold
    assert answers[0].timing.restored_tokens == 0
    for answer in answers[1:]:  # from the state that was set aside before the first question
        assert answer.timing.restored_tokens > answer.timing.prompt_tokens * 0.8


def test_what_continues_exactly_is_restored(mamba: Loaded) -> None:
    """A turn that was not answered (no tokens said), then the same with more behind it."""
    begin = ChatMessage(Role.USER, (Segment(SegmentKind.DOCUMENTS, DOCUMENT), Segment(SegmentKind.QUESTION, "Who?")))
    first = run(mamba, GenerateRequest(Prompt((begin,)), max_tokens=1))
    goes_on = GenerateRequest(Prompt((begin,), answer_start="Zhang"), max_tokens=4)
    warm = run(mamba, goes_on)
    assert warm.timing.restored_tokens == first.timing.prompt_tokens
    mamba.prefixes.clear()
    assert run(mamba, goes_on).text == warm.text


def test_scores_are_the_same_each_time(mamba: Loaded) -> None:
    request = ScoreRequest(prompt("Who?", DOCUMENT), ("Zhang", "Li lends", "x"))
    first = score(mamba, request).logprobs
    mamba.prefixes.clear()
    assert score(mamba, request).logprobs == pytest.approx(first, abs=1e-4)


def test_an_interrupted_piece_leaves_no_half_state(mamba: Loaded) -> None:
    whole = run(mamba, ask("Who?")).text

    def cancel(job: GenerateJob, event: GenerationEvent) -> None:
        if isinstance(event, PrefillProgress) and event.done_tokens > 0:
            job.cancelled = True
            mamba.context.interrupt.set()

    mamba.prefixes.clear()
    with pytest.raises(Stopped):
        run(mamba, ask("Who?"), cancel)
    mamba.context.interrupt.clear()
    assert run(mamba, ask("Who?")).text == whole
