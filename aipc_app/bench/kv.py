"""Remembering: the first token of a question on a long statute, cold, hot and after a restart, beside llama-server."""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from aipc_app.bench.kv_peer import PeerError, first_tokens, server_file
from aipc_app.bench.report import Bar, BenchReport, this_machine
from aipc_app.bench.spoken import MODEL, model_file
from aipc_app.workers.spawn import child_command
from engine.client.process import ProcessEngine
from engine.types.generation import Generated, GenerateRequest, TextDelta, Timing
from engine.types.model import LoadRequest
from engine.types.prompt import ChatMessage, Prompt, Role, Segment, SegmentKind
from engine.types.remembering import StoreSettings

CONTEXT_TOKENS, STATUTE_TOKENS = 16_384, 7_300
RESTARTS, PAIRS, PAIR_TOKENS = 3, 5, 1_500
AFTER_RESTART_S, TIMES_FASTER, TIMES_HOT_SLOT, MISS_SHARE = 1.0, 50.0, 1.5, 0.03
QUESTIONS = ("本法自何时起施行？", "本法的立法目的是什么？", "违反本法的，由谁处罚？", "哪些情形下可以免除责任？")
NEW_QUESTIONS = ("本法适用于哪些活动？", "谁负责监督检查？", "哪些行为会被罚款？")  # after a restart; as long as those
ROOT = Path(__file__).resolve().parents[2]


def run(data: Path | None) -> BenchReport:
    """Each engine and each server in a process of its own, all in this run."""
    model, laws = model_file(), _laws(data)
    missing = [f"{MODEL} is not here"] if model is None else []
    missing += ["data/laws/cn is not there"] if laws is None else []
    if model is None or laws is None:
        return BenchReport(bench="kv", machine=this_machine(), results={}, skipped=tuple(missing))
    with tempfile.TemporaryDirectory(prefix="aipc-bench-") as name:
        folder = Path(name)
        ours, statute = _ours(model, laws, folder)
        miss = _cost_of_a_miss(model, laws, folder)
        theirs, skipped = _theirs(model, statute, folder)
    results = {
        "model": MODEL, "statute": statute.name, "measured": "seconds from sending a question to the first text of its "
        "answer, the model loaded; a restart is of the whole process, with the page cache as it was",
        "ours": ours, "llama_server": theirs, "cost_of_a_miss": miss,
    }  # fmt: skip
    return BenchReport(
        bench="kv", machine=this_machine(), results=results, skipped=skipped, bars=_bars(ours, theirs, miss)
    )


def _ours(model: Path, laws: Path, folder: Path) -> tuple[dict[str, Any], Path]:
    kept = StoreSettings(str(folder / "kv"), 1 << 30, 4 << 30, 0)
    with _engine(model, folder, kept) as engine:
        statute = _nearest(engine, laws, STATUTE_TOKENS)
        text = statute.read_text(encoding="utf-8")
        cold, timing = _first_token(engine, prompt(text, QUESTIONS[0]))
        hot = [_first_token(engine, prompt(text, question))[0] for question in QUESTIONS[1:]]
        began = time.monotonic()
        engine.flush()
        flush_s = time.monotonic() - began
        stored = engine.store_status().disk_bytes
    restarts, loads, restored = [], [], []
    for number in range(RESTARTS):
        began = time.monotonic()
        with _engine(model, folder, kept) as engine:
            loads.append(time.monotonic() - began)
            seconds, after = _first_token(engine, prompt(text, NEW_QUESTIONS[number]))
            restarts.append(seconds)
            restored.append(after.restored_tokens)
    return {
        "prompt_tokens": timing.prompt_tokens, "cold_s": cold, "hot_s": hot, "after_restart_s": restarts,
        "median_hot_s": statistics.median(hot), "median_after_restart_s": statistics.median(restarts),
        "restored_tokens_after_restart": restored, "start_and_load_s": loads, "stored_bytes": stored,
        "flush_after_last_answer_s": flush_s,
    }, statute  # fmt: skip


def _cost_of_a_miss(model: Path, laws: Path, folder: Path) -> dict[str, Any]:
    """Prefill of texts never seen before with the store and without any, in pairs, in turn first and second."""
    kept = StoreSettings(str(folder / "miss"), 1 << 30, 4 << 30, 0)
    nothing = StoreSettings(str(folder / "none"), 0, 0, 0, enabled=False)
    library = "\n".join(path.read_text(encoding="utf-8") for path in sorted(laws.rglob("*.md"))[:400])
    with _engine(model, folder, kept) as with_store, _engine(model, folder, nothing) as without:
        size = len(library) // (PAIRS + 1)
        pairs = []
        for number in range(PAIRS + 1):  # the first is not counted
            text = _beginning(without, library[number * size : (number + 1) * size], PAIR_TOKENS)
            order = (with_store, without) if number % 2 else (without, with_store)
            times = {id(engine): _first_token(engine, prompt(text, QUESTIONS[0]))[1] for engine in order}
            assert not any(timing.restored_tokens > 64 for timing in times.values()), "a miss was a hit"
            pairs.append((times[id(with_store)].prefill_s, times[id(without)].prefill_s))
            with_store.flush()
    shares = [one / other - 1 for one, other in pairs[1:]]
    return {
        "prefill_with_store_s": [one for one, _ in pairs[1:]], "prefill_without_s": [other for _, other in pairs[1:]],
        "tokens": PAIR_TOKENS, "share_of_prefill": shares, "median_share": statistics.median(shares),
    }  # fmt: skip


def _theirs(model: Path, statute: Path, folder: Path) -> tuple[dict[str, Any], tuple[str, ...]]:
    program = server_file()
    if program is None:
        return {}, ("llama-server: not built; scripts/build_llama_server.py builds it",)
    text = statute.read_text(encoding="utf-8")
    try:
        found = first_tokens(
            program, model, folder, context_tokens=CONTEXT_TOKENS, system=_SYSTEM + text, questions=QUESTIONS
        )
    except (PeerError, OSError) as error:
        return {}, (f"llama-server: {error}",)
    return found, ()


def _bars(ours: dict[str, Any], theirs: dict[str, Any], miss: dict[str, Any]) -> tuple[Bar, ...]:
    after = ours["median_after_restart_s"]
    bars = [
        Bar(name="first token after a restart, median (s)", value=after, bar=f"<= {AFTER_RESTART_S}",
            holds=after <= AFTER_RESTART_S),
        Bar(name="cost of remembering on a miss, median share of prefill", value=miss["median_share"],
            bar=f"<= {MISS_SHARE}", holds=miss["median_share"] <= MISS_SHARE),
    ]  # fmt: skip
    if theirs:
        faster, hot = theirs["after_restart_s"] / after, after / statistics.median(theirs["hot_s"])
        bars += [
            Bar(name="times faster than llama-server after its restart", value=faster, bar=f">= {TIMES_FASTER}",
                holds=faster >= TIMES_FASTER),
            Bar(name="after a restart, by llama-server's hot slot", value=hot, bar=f"<= {TIMES_HOT_SLOT}",
                holds=hot <= TIMES_HOT_SLOT),
        ]  # fmt: skip
    return tuple(bars)


_SYSTEM = "根据下面的材料回答问题。\n"


def prompt(document: str, question: str) -> Prompt:
    """A statute in the system message, as llama-server gets it, and a question."""
    system = ChatMessage(
        Role.SYSTEM, (Segment(SegmentKind.SYSTEM, _SYSTEM), Segment(SegmentKind.DOCUMENTS, document, "document:1"))
    )
    return Prompt((system, ChatMessage(Role.USER, (Segment(SegmentKind.QUESTION, question),))))


@contextmanager
def _engine(model: Path, folder: Path, store: StoreSettings) -> Iterator[ProcessEngine]:
    engine = ProcessEngine(child_command("engine"), folder / "engine.log", store)
    try:
        engine.load(LoadRequest(str(model), context_tokens=CONTEXT_TOKENS))
        yield engine
    finally:
        engine.close()


def _first_token(engine: ProcessEngine, asked: Prompt) -> tuple[float, Timing]:
    """Seconds to the first text, and the figures of the whole answer of 8 tokens."""
    began, first = time.monotonic(), 0.0
    for event in engine.generate(GenerateRequest(asked, max_tokens=8, owner="case:1")):
        if isinstance(event, TextDelta) and not first:
            first = time.monotonic() - began
        elif isinstance(event, Generated):
            return first or time.monotonic() - began, event.timing
    raise AssertionError("a generation ends with Generated or raises")


def _laws(data: Path | None) -> Path | None:
    given = data or (Path(os.environ["AIPC_BENCH_DATA"]) if "AIPC_BENCH_DATA" in os.environ else None)
    folder = (given or ROOT.parent / "shared") / "data" / "laws" / "cn"
    return folder if folder.is_dir() else None


def _nearest(engine: ProcessEngine, laws: Path, tokens: int) -> Path:
    """The statute whose text has nearest to so many tokens, among those of about the right size."""
    sizes = sorted((abs(path.stat().st_size - 4.5 * tokens), path) for path in laws.rglob("*.md"))
    near: Sequence[Path] = [path for _, path in sizes[:100]]
    counts = engine.count_tokens([path.read_text(encoding="utf-8") for path in near])
    return min(zip(counts, near, strict=True), key=lambda one: (abs(one[0] - tokens), one[1]))[1]


def _beginning(engine: ProcessEngine, text: str, tokens: int) -> str:
    text = text[: tokens * 4]
    count = engine.count_tokens([text])[0]
    return text[: len(text) * tokens // max(tokens, count)]
