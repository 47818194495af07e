"""Guessing what an answer quotes from its prompt, with the tiny real model."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from engine.native.context import Decoded
from engine.runtime.generate import GenerateJob
from engine.runtime.job import Stopped
from engine.runtime.loaded import Loaded
from engine.runtime.speculate import DecodeCosts
from engine.types.generation import FinishReason, Generated, GenerateRequest, GenerationEvent, Sampling, TextDelta
from tests.native.conftest import prompt, run

DOCUMENT = "The loan contract of 5 March 2021: Zhang lends Li 500,000 yuan at 12 percent a year, until 4 March 2024. "
START = "The document says: The loan contract of 5 March 2021: Zhang"


@pytest.fixture
def cheap(model: Loaded) -> Loaded:
    """On a machine where guesses cost next to nothing, whatever this one is doing."""
    model.costs = DecodeCosts(known={tokens: 1.0 + 0.05 * (tokens - 1) for tokens in range(1, 17)})
    return model


def ask(model: Loaded, *, speculate: bool, start: str = START, **options: object) -> GenerateRequest:
    question = prompt("What does the document say?", DOCUMENT, answer_start=start)
    return GenerateRequest(question, **{"max_tokens": 32, "speculate": speculate, **options})  # type: ignore[arg-type]


def counted(model: Loaded, request: GenerateRequest, monkeypatch: pytest.MonkeyPatch) -> tuple[Generated, int]:
    """The answer, and how often the model computed for it after its prompt."""
    decode, calls = model.context.decode, 0

    def count() -> Decoded:
        nonlocal calls
        calls += 1
        return decode()

    monkeypatch.setattr(model.context, "decode", count)
    answer = run(model, request)
    monkeypatch.undo()
    return answer, calls


def test_a_quoting_answer_is_the_same_in_fewer_steps(cheap: Loaded, monkeypatch: pytest.MonkeyPatch) -> None:
    plain, plain_steps = counted(cheap, ask(cheap, speculate=False), monkeypatch)
    ahead, steps = counted(cheap, ask(cheap, speculate=True), monkeypatch)
    assert "500,000 yuan" in plain.text
    assert ahead.text == plain.text and ahead.reason is plain.reason
    assert ahead.timing.generated_tokens == plain.timing.generated_tokens
    assert steps < plain_steps * 0.75
    assert 0 < ahead.timing.accepted_tokens <= ahead.timing.drafted_tokens
    assert plain.timing.drafted_tokens == 0


def test_what_was_guessed_wrong_leaves_nothing_behind(cheap: Loaded) -> None:
    """Every guess is turned into another token; what remains is plain decoding."""
    plain = run(cheap, ask(cheap, speculate=False))
    ahead = watch_guesses(cheap, ask(cheap, speculate=True), lambda draft: [(token + 1) % 1_000 for token in draft])
    assert ahead.text == plain.text
    assert ahead.timing.drafted_tokens > 0 == ahead.timing.accepted_tokens
    assert cheap.context.last_position(0) + 1 == plain.timing.prompt_tokens == cheap.prefixes.length


def watch_guesses(model: Loaded, request: GenerateRequest, change: Callable[[list[int]], list[int]]) -> Generated:
    events: list[GenerationEvent] = []
    job = GenerateJob(1, request, events.append, _raise)
    for _ in job.steps(model):
        guesses = job.speculation
        if guesses is not None and not hasattr(guesses, "changed"):
            draft = guesses.draft
            guesses.draft = lambda tokens, most, draft=draft: change(draft(tokens, most))  # type: ignore[method-assign]
            guesses.changed = True  # type: ignore[attr-defined]
    assert isinstance(events[-1], Generated)
    return events[-1]


@pytest.mark.parametrize("options", [{"max_tokens": 7}, {"stop": ("yuan",)}, {"stop": ("12 per",)}])
def test_an_answer_ends_inside_a_guess_where_it_should(cheap: Loaded, options: dict[str, object]) -> None:
    plain, ahead = (run(cheap, ask(cheap, speculate=speculate, **options)) for speculate in (False, True))
    assert ahead.text == plain.text and ahead.reason is plain.reason
    assert ahead.timing.generated_tokens == plain.timing.generated_tokens
    assert ahead.timing.accepted_tokens > 0


@pytest.mark.parametrize(
    "options", [{"grammar": 'root ::= " lends Li 500,000 yuan"'}, {"sampling": Sampling(temperature=0.5, seed=1)}]
)
def test_only_greedy_free_answers_are_guessed(cheap: Loaded, options: dict[str, object]) -> None:
    start = "" if "grammar" in options else START
    assert run(cheap, ask(cheap, speculate=True, start=start, **options)).timing.drafted_tokens == 0


def test_where_guesses_cost_too_much_there_are_none(model: Loaded) -> None:
    model.costs = DecodeCosts(known={tokens: float(tokens) for tokens in range(1, 17)})
    assert run(model, ask(model, speculate=True)).timing.drafted_tokens == 0


def test_an_answer_set_aside_amid_guesses_goes_on(cheap: Loaded) -> None:
    whole = run(cheap, ask(cheap, speculate=True)).text
    events: list[GenerationEvent] = []
    job = GenerateJob(1, ask(cheap, speculate=True), events.append, _raise)
    for i, _ in enumerate(job.steps(cheap)):
        if i in (1, 3):
            job.suspend()
            run(cheap, GenerateRequest(prompt("Who?", "Wang rents a shop to Zhao."), max_tokens=2))
    assert isinstance(events[-1], Generated)
    assert events[-1].text == whole


def test_a_cancel_amid_guesses_keeps_what_was_said(cheap: Loaded) -> None:
    said: list[str] = []

    def cancel(job: GenerateJob, event: GenerationEvent) -> None:
        if isinstance(event, TextDelta):
            said.append(event.text)
            job.cancelled = len(said) > 4

    with pytest.raises(Stopped):
        run(cheap, ask(cheap, speculate=True, max_tokens=200), cancel)
    assert run(cheap, ask(cheap, speculate=True)).reason is FinishReason.LENGTH


def test_the_time_a_batch_takes_is_learned_from_the_work(model: Loaded) -> None:
    model.costs = DecodeCosts()
    answer = run(model, ask(model, speculate=True))
    assert answer.timing.drafted_tokens > 0
    assert model.costs.measured() >= {1, 2} or len(model.costs.measured()) >= 2


def _raise(error: Exception) -> None:
    raise error


def test_rows_of_a_checked_guess_are_those_of_plain_decoding_up_to_noise(model: Loaded) -> None:
    """Teacher-forced, in threes against one at a time. The oracle: the text as one piece, behind foreign cells and not,
    which changes nothing but the order of the sums."""
    tokens = model.vocab.tokenize(DOCUMENT, parse_special=False)[:15]

    def rows(size: int, before: int = 0) -> np.ndarray:
        found: list[np.ndarray] = []
        if before:
            decode(model, 1, 0, [5] * before)
        for start in range(0, len(tokens), size):
            piece = tokens[start : start + size]
            decode(model, 0, start, piece, range(len(piece)))
            found += [model.context.logits(i).copy() for i in range(len(piece))]
        model.context.drop(0)
        model.context.drop(1)
        return np.array(found)

    whole = rows(len(tokens))
    oracle = max(float(np.abs(rows(len(tokens), before) - whole).max()) for before in (7, 200))
    assert oracle < 3.0
    difference = np.abs(rows(3) - rows(1)).max(axis=1)
    assert float(difference.max()) <= 2 * oracle
    assert float(np.abs(np.roll(rows(1), 1, axis=0) - rows(1)).max(axis=1).min()) > 2 * oracle, "any row would pass"


def decode(model: Loaded, sequence: int, start: int, tokens: Sequence[int], outputs: Sequence[int] = ()) -> None:
    model.context.batch.clear()
    model.context.batch.add(sequence, start, tokens, outputs)
    assert model.context.decode() is Decoded.DONE
