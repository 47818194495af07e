"""Several answers over one prefix, decoded in one batch by the tiny real model."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from engine.client.process import ProcessEngine
from engine.errors import EngineDied, EngineError, RequestInvalid
from engine.native.context import Decoded
from engine.runtime.branches import shared_length
from engine.runtime.job import Stopped
from engine.runtime.loaded import Loaded
from engine.runtime.many import ManyJob
from engine.runtime.tokens import PromptTokens
from engine.types.generation import (
    BranchEvent,
    BranchFailed,
    FinishReason,
    Generated,
    GenerateRequest,
    ManyRequest,
    PrefillProgress,
    Priority,
    TextDelta,
)
from tests.native.conftest import prompt, request_for, run

DOCUMENT = "The loan contract of 5 March 2021: Zhang lends Li 500,000 yuan at 12 percent a year. " * 3
QUESTIONS = ("Who lends?", "How much is it?", "Who borrows the money from Zhang?")
FOUND = {"type": "object", "properties": {"found": {"type": "boolean"}}, "required": ["found"]}
SCHEMA = json.dumps({**FOUND, "additionalProperties": False})


def many(questions: Sequence[str] = QUESTIONS, document: str = DOCUMENT, **options: object) -> ManyRequest:
    prompts = tuple(prompt(question, document) for question in questions)
    return ManyRequest(prompts, **{"max_tokens": 8, **options})  # type: ignore[arg-type]


class Watched:
    """Runs a request in this process, step by step."""

    def __init__(self, model: Loaded, request: ManyRequest) -> None:
        self.events: list[BranchEvent] = []
        self.failures: list[EngineError] = []
        self.job = ManyJob(1, request, self.events.append, self.failures.append)
        self.steps = self.job.steps(model)

    def run(self, between: Callable[[], None] = lambda: None) -> dict[int, Generated | BranchFailed]:
        for _ in self.steps:
            between()
        return self.ends

    @property
    def ends(self) -> dict[int, Generated | BranchFailed]:
        ends = [event for event in self.events if event.ends]
        assert len(ends) == len({event.branch for event in ends})
        return {event.branch: event.event for event in ends if isinstance(event.event, Generated | BranchFailed)}

    def said(self, branch: int) -> str:
        deltas = [event.event for event in self.events if event.branch == branch]
        return "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))


def generated(end: Generated | BranchFailed) -> Generated:
    assert isinstance(end, Generated)
    return end


def alone(model: Loaded, request: ManyRequest) -> list[Generated]:
    return [run(model, request.alone(branch)) for branch in range(len(request.prompts))]


def test_each_branch_answers_and_the_prefix_is_read_once(model: Loaded) -> None:
    watched = Watched(model, many())
    ends = [generated(watched.run()[branch]) for branch in range(len(QUESTIONS))]
    for branch, end in enumerate(ends):
        assert end.text and end.text == watched.said(branch)
        timing = end.timing
        assert timing.restored_tokens + timing.prefilled_tokens == timing.prompt_tokens
        assert timing.generated_tokens == 8 and end.reason is FinishReason.LENGTH
        progress = [e.event for e in watched.events if e.branch == branch and isinstance(e.event, PrefillProgress)]
        assert progress[-1].done_tokens == progress[-1].total_tokens == timing.prompt_tokens
    assert ends[0].timing.restored_tokens == 0
    assert all(end.timing.prefilled_tokens < 40 for end in ends[1:])
    assert model.context.last_position(0) + 1 == ends[0].timing.prompt_tokens  # kept for the next request
    assert all(model.context.last_position(sequence) == -1 for sequence in range(1, model.context.sequences))


def test_the_next_request_restores_what_a_batch_has_read(model: Loaded) -> None:
    Watched(model, many()).run()
    timing = run(model, GenerateRequest(prompt("And why?", DOCUMENT), max_tokens=1)).timing
    assert timing.prefilled_tokens < 40


def rows_together(model: Loaded, prompts: Sequence[PromptTokens], texts: Sequence[Sequence[int]]) -> list[np.ndarray]:
    """Logits before each token of the given texts, as a batch of forks computes them. [branch][token, vocabulary]"""
    context, shared = model.context, shared_length(prompts)
    rows: list[list[np.ndarray]] = [[] for _ in prompts]

    def compute(parts: Sequence[tuple[int, int, Sequence[int]]]) -> None:
        context.batch.clear()
        last = []
        for branch, start, tokens in parts:
            context.batch.add(branch + 1, start, tokens, [len(tokens) - 1])
            last.append(context.batch.struct.n_tokens - 1)
        assert context.decode() is Decoded.DONE
        for (branch, _, _), row in zip(parts, last, strict=True):
            rows[branch].append(context.logits(row).copy())

    context.batch.clear()
    context.batch.add(0, 0, prompts[0].tokens[:shared])
    assert context.decode() is Decoded.DONE
    for branch, read in enumerate(prompts):
        context.copy(0, branch + 1, shared)
        compute([(branch, shared, read.tokens[shared:])])
    for step in range(len(texts[0]) - 1):
        compute([(i, len(read.tokens) + step, texts[i][step : step + 1]) for i, read in enumerate(prompts)])
    for sequence in range(len(prompts) + 1):
        context.drop(sequence)
    return [np.array(found) for found in rows]


def rows_alone(model: Loaded, read: PromptTokens, text: Sequence[int], cells_before: int) -> np.ndarray:
    """The same for one of them, behind `cells_before` foreign cells."""
    context, rows = model.context, []
    if cells_before:
        context.batch.clear()
        context.batch.add(1, 0, [5] * cells_before)
        assert context.decode() is Decoded.DONE
    for start, tokens in [(0, read.tokens), *((len(read.tokens) + i, text[i : i + 1]) for i in range(len(text) - 1))]:
        context.batch.clear()
        context.batch.add(0, start, tokens, [len(tokens) - 1])
        assert context.decode() is Decoded.DONE
        rows.append(context.logits(len(tokens) - 1).copy())
    context.drop(0)
    context.drop(1)
    return np.array(rows)


def test_a_batch_computes_what_each_computes_alone_up_to_the_noise_of_the_cells_places(model: Loaded) -> None:
    """Teacher-forced. The oracle: one answer alone, its cells moved behind foreign ones, which changes nothing but
    the order of the sums. A batch may differ by twice as much, no more: it also moves cells, and computes in rows.
    """
    reads = [model.prompt(request) for request in many(QUESTIONS[:2]).prompts]
    said = (" Zhang lends Li the money", " It is 500,000")
    texts = [model.vocab.tokenize(text, parse_special=False)[:5] for text in said]
    together = rows_together(model, reads, texts)
    for i, read in enumerate(reads):
        plain = rows_alone(model, read, texts[i], 0)
        oracle = max(float(np.abs(rows_alone(model, read, texts[i], n) - plain).max()) for n in (7, 33))
        difference = float(np.abs(together[i] - plain).max())
        assert 0 < oracle < 3.0
        assert difference <= 2 * oracle
        assert float(np.abs(together[1 - i] - plain).max()) > 2 * oracle, "the other branch's rows would have passed"


def test_texts_are_those_given_one_at_a_time_where_the_choice_is_clear(model: Loaded) -> None:
    """A grammar leaves one choice at most places; no branch may take another's."""
    request = many(grammars=tuple(f'root ::= "{q[:3]} is {i}" [0-9] "."' for i, q in enumerate(QUESTIONS)))
    ends = Watched(model, request).run()
    for branch, end in ends.items():
        assert generated(end).text.startswith(f"{QUESTIONS[branch][:3]} is {branch}")
        assert generated(end).reason is FinishReason.STOP


def test_each_branch_has_its_own_schema_and_all_stop_words(model: Loaded) -> None:
    ends = Watched(model, many(QUESTIONS[:2], json_schemas=(SCHEMA, None), max_tokens=30, stop=("zzz",))).run()
    assert set(json.loads(generated(ends[0]).text)) == {"found"}
    first = generated(ends[1]).text
    word = first.split()[2]
    stopped = generated(Watched(model, many(QUESTIONS[:2], max_tokens=30, stop=(word,))).run()[1])
    assert word not in stopped.text and stopped.reason is FinishReason.STOP


def test_a_branch_that_fails_fails_alone(model: Loaded) -> None:
    long = prompt("Who? " * 2_000, DOCUMENT)
    good = many()
    request = ManyRequest((*good.prompts, long), max_tokens=4, grammars=(None, "not a grammar", None, None))
    ends = Watched(model, request).run()
    assert ends[1] == BranchFailed("The grammar of this request can't be read.", "RequestInvalid")
    end = ends[3]
    assert isinstance(end, BranchFailed) and end.kind == "PromptTooLong"
    assert all(generated(ends[i]).text for i in (0, 2))


def test_a_cancelled_branch_ends_within_a_step_and_the_others_go_on(model: Loaded) -> None:
    watched = Watched(model, many(max_tokens=14))
    while not watched.said(1):
        next(watched.steps)
    watched.job.cancel_part(1)
    next(watched.steps)
    assert generated(watched.ends[1]).reason is FinishReason.CANCELLED
    ends = watched.run()
    assert generated(ends[1]).text == watched.said(1)
    assert all(generated(ends[i]).timing.generated_tokens == 14 for i in (0, 2))


def test_a_branch_cancelled_before_it_began_says_nothing(model: Loaded) -> None:
    watched = Watched(model, many())
    watched.job.cancel_part(0)
    ends = watched.run()
    reasons = [generated(ends[i]).reason for i in range(3)]
    assert reasons == [FinishReason.CANCELLED, FinishReason.LENGTH, FinishReason.LENGTH]
    assert generated(ends[0]).text == ""


def test_cancelling_all_keeps_what_each_has_said(model: Loaded) -> None:
    watched = Watched(model, many(max_tokens=200))
    with pytest.raises(Stopped):
        for _ in watched.steps:
            watched.job.cancelled = all(len(watched.said(branch)) > 8 for branch in range(3))
    watched.job.stopped()
    for branch, end in watched.ends.items():
        assert generated(end).reason is FinishReason.CANCELLED and generated(end).text == watched.said(branch)
    assert all(model.context.last_position(sequence) == -1 for sequence in range(1, model.context.sequences))


def test_more_than_fit_at_once_join_when_others_end(model: Loaded) -> None:
    """1,536 cells, of which each answer may take 400."""
    request = many([f"{question} {i}" for i in range(2) for question in QUESTIONS], max_tokens=400, stop=(" ",))
    watched, most = Watched(model, request), 0

    def count() -> None:
        nonlocal most
        held = [s for s in range(1, model.context.sequences) if model.context.last_position(s) >= 0]
        most = max(most, len(held))

    ends = watched.run(count)
    assert most in (2, 3) and len(ends) == 6
    assert all(generated(end).text for end in ends.values())


def test_more_branches_than_sequences(model: Loaded) -> None:
    ends = Watched(model, many([f"What is {i}?" for i in range(17)], max_tokens=2)).run()
    assert len(ends) == 17 and all(generated(end).timing.generated_tokens for end in ends.values())


def test_branches_that_only_fit_alone_are_answered_one_after_another(model: Loaded) -> None:
    request = many(max_tokens=1_300, stop=(" ",))
    ends = Watched(model, request).run()
    assert [generated(ends[i]).text for i in range(3)] == [end.text for end in alone(model, request)]


def test_prompts_that_share_nothing_are_still_answered(model: Loaded) -> None:
    prompts = (prompt("Who lends?", DOCUMENT), prompt("Who rents?", "Wang rents a shop to Zhao."))
    ends = Watched(model, ManyRequest(prompts, max_tokens=8)).run()
    for branch, one in enumerate(prompts):
        assert generated(ends[branch]).text[:6] == run(model, GenerateRequest(one, max_tokens=8)).text[:6]


def test_a_batch_that_is_set_aside_goes_on_as_if_nothing_had_come_between(model: Loaded) -> None:
    request = many(max_tokens=12, priority=Priority.BACKGROUND)
    whole = Watched(model, request).run()
    other = GenerateRequest(prompt("Who rents?", "The rent contract of 1 May 2020. " * 12), max_tokens=3)
    model.prefixes.clear()
    cold = run(model, other).text
    for overtaken_after in (1, 9):
        model.prefixes.clear()
        watched = Watched(model, request)
        for _ in range(overtaken_after):
            next(watched.steps)
        watched.job.suspend()
        assert run(model, other).text == cold  # from the first cell on, as ever
        ends = watched.run()
        for branch, end in ends.items():
            assert generated(end).text == generated(whole[branch]).text


def test_a_request_without_prompts_or_with_too_few_schemas_is_refused(model: Loaded) -> None:
    with pytest.raises(RequestInvalid, match="no prompt"):
        Watched(model, ManyRequest(())).run()
    with pytest.raises(RequestInvalid, match="for each prompt"):
        Watched(model, many(json_schemas=(SCHEMA,))).run()


def test_a_process_answers_several_at_once_and_a_user_overtakes_a_background_batch(
    process: ProcessEngine, tiny_model: Path
) -> None:
    process.load(request_for(tiny_model))
    branches = process.generate_many(many(max_tokens=200, priority=Priority.BACKGROUND))
    events = iter(branches)
    said: dict[int, int] = {}
    for event in events:  # until all of them speak
        if isinstance(event.event, TextDelta):
            said[event.branch] = said.get(event.branch, 0) + 1
        if len(said) == 3:
            break
    answer = list(process.generate(GenerateRequest(prompt("Who rents?", "Wang rents a shop."), max_tokens=3)))[-1]
    assert isinstance(answer, Generated)  # long before the batch is through, or the cancels below would come too late
    ends, after = {}, 0
    for event in events:
        after += isinstance(event.event, TextDelta)
        if after == 4:  # it goes on
            branches.cancel_branch(1)
        if event.ends:
            ends[event.branch] = event.event
            branches.cancel()
    assert next(iter(ends)) == 1
    assert [generated(ends[i]).reason for i in range(3)] == [FinishReason.CANCELLED] * 3


def test_a_process_that_dies_fails_the_whole_batch_and_the_next_one_is_served(
    process: ProcessEngine, tiny_model: Path
) -> None:
    process.load(request_for(tiny_model))
    events = iter(process.generate_many(many(max_tokens=200)))
    next(events)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    with pytest.raises(EngineDied):
        list(events)
    last = list(process.generate_many(many(max_tokens=2)))
    assert sum(event.ends for event in last) == 3


def test_what_is_shared_ends_at_a_common_cut_or_gives_away_less_than_a_piece() -> None:
    def read(tokens: Sequence[int], *cuts: int) -> PromptTokens:
        return PromptTokens(tuple(tokens), (*cuts, len(tokens)), thinking=False)

    same = list(range(100))
    assert shared_length([read([*same, 1], 100), read([*same, 2, 3], 100)]) == 100
    assert shared_length([read([*same, 1], 90), read([*same, 2, 3], 90)]) == 90
    assert shared_length([read([*same, 1], 50), read([*same, 2, 3], 50)]) == 100
    assert shared_length([read(same, 90), read(same, 90)]) == 90
    assert shared_length([read(same), read([7, 8, 9])]) == 0
