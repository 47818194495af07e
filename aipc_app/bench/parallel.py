"""Eight questions over one prefix of 4,000 tokens: together in one batch, and one after another."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from pathlib import Path

from aipc_app.bench.report import Bar, BenchReport, this_machine
from aipc_app.bench.spoken import (
    MODEL,
    NOISE,
    Parting,
    Spoken,
    engine_with,
    library,
    model_file,
    parting,
    prompt,
    speak,
)
from engine.client.base import EngineClient
from engine.errors import EngineError
from engine.types.generation import BranchFailed, Generated, GenerateRequest, ManyRequest, TextDelta
from engine.types.prompt import Prompt

PREFIX_TOKENS, ANSWER_TOKENS, RUNS, CONTEXT_TOKENS = 4_000, 48, 3, 8_192
QUESTIONS = (
    "借款合同应当采用什么形式？", "利息可以预先在本金中扣除吗？", "借款的利率有什么限制？",
    "保证的方式有哪几种？", "保证期间没有约定时怎么算？", "诉讼时效期间是多少年？",
    "诉讼时效在什么情况下中断？", "借款人未按期返还借款怎么办？",
)  # fmt: skip


def run() -> BenchReport:
    """RUNS pairs in one engine, in turn; the prefix is read before, and both share it."""
    model = model_file()
    if model is None:
        return BenchReport(bench="parallel", machine=this_machine(), results={}, skipped=(f"{MODEL} is not here",))
    with engine_with(model, CONTEXT_TOKENS) as engine:
        prompts = [prompt(_document(engine), question) for question in QUESTIONS]
        cold = speak(engine, GenerateRequest(prompts[0], max_tokens=1))
        alone: list[tuple[list[Spoken], float]] = []
        together: list[tuple[list[Spoken], float]] = []
        for number in range(RUNS):
            for one_by_one in (True, False) if number % 2 == 0 else (False, True):
                (alone if one_by_one else together).append((_alone if one_by_one else _together)(engine, prompts))
        plain, batch = alone[0][0], together[0][0]
        partings = [
            found for asked, question, one, two in zip(prompts, QUESTIONS, plain, batch, strict=True)
            if (found := parting(engine, asked, question, one, two)) is not None
        ]  # fmt: skip
    return _report(cold, alone, together, partings)


def _report(
    cold: Spoken, alone: Sequence[tuple[list[Spoken], float]], together: Sequence[tuple[list[Spoken], float]],
    partings: Sequence[Parting],
) -> BenchReport:  # fmt: skip
    seconds = {name: [took for _, took in runs] for name, runs in (("alone", alone), ("together", together))}
    rates = {
        name: [sum(one.timing.generated_tokens for one in spoken) / took for spoken, took in runs]
        for name, runs in (("alone", alone), ("together", together))
    }
    ratios = [a / t for a, t in zip(seconds["alone"], seconds["together"], strict=True)]
    traced = all(found.near_tie for found in partings)
    return BenchReport(
        bench="parallel",
        machine=this_machine(),
        results={
            "compared": f"{len(QUESTIONS)} questions with answers of up to {ANSWER_TOKENS} tokens over one prefix that "
            f"is in the context: one request each, and one request for all; {RUNS} pairs in one run, in turn",
            "model": MODEL,
            "prefix_tokens": cold.timing.prompt_tokens,
            "prefix_read_cold_s": cold.seconds,
            "wall_s": seconds,
            "tokens_per_s": rates,
            "median_wall_s": {name: statistics.median(values) for name, values in seconds.items()},
            "median_tokens_per_s": {name: statistics.median(values) for name, values in rates.items()},
            "times_faster": ratios,
            "answers_equal": len(QUESTIONS) - len(partings),
            "answers": len(QUESTIONS),
            "same_each_run": {
                "alone": len({tuple(one.text for one in spoken) for spoken, _ in alone}) == 1,
                "together": len({tuple(one.text for one in spoken) for spoken, _ in together}) == 1,
            },
            "partings": list(partings),
            "noise": NOISE,
        },
        bars=(
            Bar(name="answers that part elsewhere than at a near tie",
                value=float(sum(not found.near_tie for found in partings)), bar="== 0", holds=traced),
            Bar(name="wall time, one after another by together (median)", value=statistics.median(ratios), bar="> 1",
                holds=statistics.median(ratios) > 1),
        ),
    )  # fmt: skip


def _document(engine: EngineClient) -> str:
    """The beginning of the samples' statutes and judgments, of about PREFIX_TOKENS tokens."""
    text = library()
    while (tokens := engine.count_tokens([text])[0]) > PREFIX_TOKENS:
        text = text[: len(text) * PREFIX_TOKENS // tokens]
    return text


def _alone(engine: EngineClient, prompts: Sequence[Prompt]) -> tuple[list[Spoken], float]:
    began = time.monotonic()
    spoken = [speak(engine, GenerateRequest(asked, max_tokens=ANSWER_TOKENS)) for asked in prompts]
    return spoken, time.monotonic() - began


def _together(engine: EngineClient, prompts: Sequence[Prompt]) -> tuple[list[Spoken], float]:
    began = time.monotonic()
    pieces: list[list[str]] = [[] for _ in prompts]
    ends: dict[int, Generated] = {}
    for event in engine.generate_many(ManyRequest(tuple(prompts), max_tokens=ANSWER_TOKENS)):
        match event.event:
            case TextDelta(text=text):
                pieces[event.branch].append(text)
            case Generated():
                ends[event.branch] = event.event
            case BranchFailed(message=message):
                raise EngineError(message)
    seconds = time.monotonic() - began
    spoken = [Spoken(pieces=tuple(pieces[i]), timing=ends[i].timing) for i in range(len(prompts))]
    return spoken, seconds


def of(_: Path | None) -> BenchReport:
    """It needs no data but the samples."""
    return run()
