"""Decoding: this program beside llama-bench, and what guessing from the prompt gains on answers that quote."""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

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
from engine.types.generation import GenerateRequest
from engine.types.model import EngineReady
from engine.types.prompt import Prompt

VERSION = "0.3.36"
RUNS, TOKENS, CONTEXT_TOKENS = 5, 64, 4_096
QUOTES, QUOTE_TOKENS, AROUND = 20, 96, 3
_ARTICLE = re.compile(r"\*{0,2}(第[零一二三四五六七八九十百千]+条(?:之[一二三])?)\*{0,2}[\s　]*(.+)")
_OPEN = "请写一篇关于图书馆历史的长文，分很多段，不要停。"


class _Plain(Struct, frozen=True, kw_only=True):
    """Tokens per second, ours and the peer's, in pairs."""

    ours: tuple[float, ...]
    theirs: tuple[float, ...]
    peer: str


class _Quote(Struct, frozen=True, kw_only=True):
    """One quoting question, plain and guessing."""

    question: str
    prompt_tokens: int
    tokens: int
    plain_s: float
    guessing_s: float
    drafted: int
    accepted: int
    equal: bool


def run() -> BenchReport:
    """Plain decoding in pairs with llama-bench; then the quoting questions, plain and guessing in turn."""
    model = model_file()
    if model is None:
        return BenchReport(bench="decode", machine=this_machine(), results={}, skipped=(f"{MODEL} is not here",))
    skipped: list[str] = []
    with engine_with(model, CONTEXT_TOKENS) as engine:
        plain = _plain(engine, model, skipped)
        quotes, partings = _quotes(engine)
    return _report(plain, quotes, partings, skipped)


def _report(
    plain: _Plain, quotes: Sequence[_Quote], partings: Sequence[Parting], skipped: Sequence[str]
) -> BenchReport:  # fmt: skip
    gains = [quote.plain_s / quote.guessing_s for quote in quotes]
    gain = sum(quote.plain_s for quote in quotes) / sum(quote.guessing_s for quote in quotes)
    ratio = statistics.median(o / t for o, t in zip(plain.ours, plain.theirs, strict=True))
    bars = [
        Bar(name=f"plain decoding by {plain.peer}, median of pairs", value=ratio, bar=">= 0.97", holds=ratio >= 0.97),
        Bar(name="answers that part elsewhere than at a near tie",
            value=float(sum(not found.near_tie for found in partings)), bar="== 0",
            holds=all(found.near_tie for found in partings)),
    ]  # fmt: skip
    results: dict[str, Any] = {
        "model": MODEL,
        "plain_tokens_per_s": list(plain.ours),
        "plain_median_tokens_per_s": statistics.median(plain.ours),
        "peer": plain.peer,
        "peer_tokens_per_s": list(plain.theirs),
        "peer_median_tokens_per_s": statistics.median(plain.theirs),
        "compared": f"{TOKENS - 1} tokens after the first, at the same depth, same model, threads and flash attention, "
        f"text and events included on our side; {RUNS} pairs in one run, in turn",
        "quotes": list(quotes),
        "quotes_equal": sum(quote.equal for quote in quotes),
        "quotes_gain": {
            "all": gain, "median": statistics.median(gains), "min": min(gains), "max": max(gains),
            "measured": "decoding time of the same question plain by guessing, first token and prefill apart",
        },
        "partings": list(partings),
        "noise": NOISE,
    }  # fmt: skip
    return BenchReport(
        bench="decode", machine=this_machine(), results=results, skipped=tuple(skipped), bars=tuple(bars)
    )


def _plain(engine: EngineClient, model: Path, skipped: list[str]) -> _Plain:
    """RUNS pairs in turn."""
    request = GenerateRequest(prompt("", _OPEN), max_tokens=TOKENS)
    speak(engine, request)  # not counted: the prompt is read, everything is warm
    depth, threads = _depth(engine, request), _threads(engine)
    bench = _llama_bench()
    if bench is None:
        skipped.append("llama-bench: not built here; python scripts/build_llama_server.py builds it")
    ours, theirs = [], []
    for number in range(RUNS):
        for us in (True, False) if number % 2 == 0 else (False, True):
            if us:
                spoken = speak(engine, request)
                ours.append((spoken.timing.generated_tokens - 1) / spoken.timing.decode_s)
            elif bench is not None:
                theirs.append(_llama_bench_speed(bench, model, threads, depth))
            else:
                theirs.append(_loop_speed(model, threads, depth))
    return _Plain(ours=tuple(ours), theirs=tuple(theirs), peer="llama-bench" if bench else "a bare llama_decode loop")


def _depth(engine: EngineClient, request: GenerateRequest) -> int:
    """Tokens before the first one that is generated, about."""
    return sum(engine.count_tokens([s.text for message in request.prompt.messages for s in message.segments]))


def _threads(engine: EngineClient) -> int:
    state = engine.state
    assert isinstance(state, EngineReady)
    return state.model.plan.threads


def _llama_bench() -> Path | None:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "aipc"
    place = cache / f"llama-server-{VERSION}" / "llama-bench"
    return place if place.is_file() else None


def _llama_bench_speed(peer: Path, model: Path, threads: int, depth: int) -> float:
    """Tokens per second of one run of llama-bench."""
    command = [
        str(peer), "-m", str(model), "-p", "0", "-n", str(TOKENS - 1), "-d", str(depth), "-t", str(threads),
        "-fa", "1", "-r", "1", "-o", "json",
    ]  # fmt: skip
    done = subprocess.run(command, check=True, capture_output=True, timeout=600)
    return float(json.loads(done.stdout)[0]["avg_ts"])


def _loop_speed(model: Path, threads: int, depth: int) -> float:
    """Tokens per second of llama.cpp from Python with nothing around it."""
    figures = [str(model), str(depth), str(TOKENS - 1), str(threads)]
    command = [sys.executable, "-m", "engine.native.raw_loop", *figures]
    done = subprocess.run(command, check=True, capture_output=True, timeout=600)
    return float(done.stdout)


def _quotes(engine: EngineClient) -> tuple[list[_Quote], list[Parting]]:
    quotes: list[_Quote] = []
    partings: list[Parting] = []
    for asked, question in _questions():
        plain = speak(engine, GenerateRequest(asked, max_tokens=QUOTE_TOKENS))
        guessing = speak(engine, GenerateRequest(asked, max_tokens=QUOTE_TOKENS, speculate=True))
        found = parting(engine, asked, question, plain, guessing)
        if found is not None:
            partings.append(found)
        quotes.append(_quote(question, plain, guessing))
    return quotes, partings


def _quote(question: str, plain: Spoken, guessing: Spoken) -> _Quote:
    """Answers that part have other lengths: times are for a token."""
    return _Quote(
        question=question, prompt_tokens=plain.timing.prompt_tokens, tokens=plain.timing.generated_tokens,
        plain_s=plain.timing.decode_s,
        guessing_s=guessing.timing.decode_s / max(1, guessing.timing.generated_tokens) * plain.timing.generated_tokens,
        drafted=guessing.timing.drafted_tokens, accepted=guessing.timing.accepted_tokens,
        equal=plain.text == guessing.text,
    )  # fmt: skip


def _questions() -> Iterator[tuple[Prompt, str]]:
    """Articles of the samples' statutes, each among its neighbours, to be quoted."""
    articles = [(found[1], found[2]) for line in library("*节选.md").splitlines() if (found := _ARTICLE.match(line))]
    step = max(1, len(articles) // QUOTES)
    for at in range(0, step * QUOTES, step):
        around = articles[max(0, at - AROUND) : at + AROUND + 1]
        document = "\n".join(f"{name} {text}" for name, text in around)
        question = f"请逐字引用{articles[at][0]}的全文，然后用一句话说明它的意思。"
        yield prompt(document, question), question


def of(_: Path | None) -> BenchReport:
    """It needs no data but the samples."""
    return run()
