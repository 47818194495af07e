"""How well search finds, stage by stage, and how long each takes.

Statutes: lay questions with their gold articles, among all articles of laws/cn. Contracts: questions with gold
spans. Two languages: questions in one, the text in the other. Everything runs through the real store, encoder
process, index and SearchService; the first run embeds everything, which takes hours for all laws on a small PC:
`--keep FOLDER` keeps what was done, `--others N` takes N other articles instead of all.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from aipc_app.bench.report import Bar, BenchReport, this_machine
from aipc_app.bench.retrieval_home import BenchHome
from aipc_app.bench.retrieval_sets import (
    Place,
    Question,
    SpanQuestion,
    contracts,
    lay_questions,
    statutes,
    two_languages,
)
from aipc_app.domain.documents import LIBRARY_ID, Passage, Stage
from aipc_app.search.service import SearchService

DEPTHS = (5, 10, 20, 100)
SPAN_DEPTHS = (1, 2, 4, 8, 16)
LATENCY_BAR_S = 0.3
ROOT = Path(__file__).resolve().parents[2]
_NOT_MEASURED = (
    "reranking: no cross-encoder is part of the program, and the chat model's likelihood takes seconds a question",
    "expansion: rewriting the question by the model or by what was found first brought nothing (search/decisions)",
)


class Stages(Struct, frozen=True):
    """Which of them take part."""

    using: frozenset[Stage]
    weighed: bool = False


VARIANTS = {
    "keyword": Stages(frozenset({Stage.KEYWORD})),
    "vector": Stages(frozenset({Stage.VECTOR})),
    "keyword+vector": Stages(frozenset({Stage.KEYWORD, Stage.VECTOR})),
    "keyword+vector+exact": Stages(frozenset(Stage)),
    "all, laws weighed": Stages(frozenset(Stage), weighed=True),
}


def run(data: Path | None, keep: Path | None = None, others: int | None = None) -> BenchReport:
    """Measure the sets that are there. `keep`: a folder for what another run need not do again."""
    folder = _data(data)
    skipped = [name for name, path in _SETS.items() if not (folder / path).exists()]
    results: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="aipc-bench-") as temporary:
        for name, measure in _MEASURES.items():
            if name in skipped:
                continue
            home = BenchHome((keep or Path(temporary)) / name)
            try:
                results[name] = measure(home, folder, others)
            finally:
                home.close()
    return BenchReport(
        bench="retrieval",
        machine=this_machine(),
        results={**results, "measured": __doc__.split("\n\n")[1] if __doc__ else ""},
        skipped=(*(f"{name}: data/{_SETS[name]} is not there" for name in skipped), *_NOT_MEASURED),
        bars=_bars(results),
    )


def _statutes(home: BenchHome, data: Path, others: int | None) -> dict[str, Any]:
    questions = lay_questions(data)
    home.fill(LIBRARY_ID, statutes(data, questions, others))
    halves = {"all": questions, "even": questions[::2], "odd": questions[1::2]}
    report: dict[str, Any] = {"passages": _passages(home, LIBRARY_ID), "others": "all" if others is None else others}
    for name, stages in VARIANTS.items():
        asked = _Asked(home, LIBRARY_ID, stages, max(DEPTHS))
        ranks = {question.text: _ranks(asked.places(question.text), question) for question in questions}
        report[name] = {half: _recalls([ranks[q.text] for q in some]) for half, some in halves.items()} | asked.times()
    return report


def _two_languages(home: BenchHome, data: Path, _others: int | None) -> dict[str, Any]:
    texts, sets = two_languages(data)
    case_id = _case(home)
    home.fill(case_id, texts)
    report: dict[str, Any] = {"passages": _passages(home, case_id)}
    for name, stages in list(VARIANTS.items())[:-1]:
        asked = _Asked(home, case_id, stages, max(DEPTHS))
        report[name] = {
            kind: _recalls([_ranks(asked.documents(q.text), q) for q in questions]) for kind, questions in sets.items()
        } | asked.times()
    return report


def _contracts(home: BenchHome, data: Path, _others: int | None) -> dict[str, Any]:
    texts, questions = contracts(data)
    case_id = _case(home)
    home.fill(case_id, texts)
    report: dict[str, Any] = {"passages": _passages(home, case_id), "questions": len(questions)}
    for name, stages in list(VARIANTS.items())[:-1]:
        asked = _Asked(home, case_id, stages, max(SPAN_DEPTHS))
        found = [(asked.passages(question.text), question) for question in questions]
        report[name] = {
            f"at_{depth}": _spans([(passages[:depth], question) for passages, question in found])
            for depth in SPAN_DEPTHS
        } | asked.times()
    return report


class _Asked:
    """One way of searching, with the times it took."""

    def __init__(self, home: BenchHome, case_id: int, stages: Stages, limit: int) -> None:
        self._search = SearchService(home.store, home.encoder, using=stages.using, weighed=stages.weighed)
        self._case_id, self._limit = case_id, limit
        self._seconds: list[float] = []

    def passages(self, query: str) -> tuple[Passage, ...]:
        started = time.perf_counter()
        found = self._search.search(query, cases=(self._case_id,), limit=self._limit).evidence
        self._seconds.append(time.perf_counter() - started)
        return tuple(item.passage for item in found)

    def places(self, query: str) -> list[Place]:
        """Where passages stand, each place once: a long article is several passages."""
        return list(dict.fromkeys((one.document, one.article or "") for one in self.passages(query)))

    def documents(self, query: str) -> list[Place]:
        return list(dict.fromkeys((one.document, "") for one in self.passages(query)))

    def times(self) -> dict[str, float]:
        seconds = sorted(self._seconds)
        return {
            "median_ms": round(1000 * statistics.median(seconds), 1),
            "p95_ms": round(1000 * seconds[int(0.95 * (len(seconds) - 1))], 1),
        }


def _case(home: BenchHome) -> int:
    found = home.store.cases.by_name("bench")
    return (found or home.store.cases.create("bench")).id


def _passages(home: BenchHome, case_id: int) -> int:
    return sum(document.passages for document in home.store.documents.of_case(case_id))


def _ranks(places: Sequence[Place], question: Question) -> list[int]:
    """The place of each gold item, from 1; 0 where it isn't found."""
    return [next((rank for rank, one in enumerate(places, 1) if one in gold), 0) for gold in question.gold]


def _recalls(ranks: Sequence[Sequence[int]]) -> dict[str, float]:
    """Means over the questions: the share of gold items among the first so many, and one over the first one's place."""
    report = {
        f"recall_at_{depth}": round(statistics.mean(_share(row, depth) for row in ranks if row), 4)
        for depth in DEPTHS
    }
    first = (max((1 / rank for rank in row if rank), default=0.0) for row in ranks)
    return report | {"mrr": round(statistics.mean(first), 4), "questions": len(ranks)}


def _share(ranks: Sequence[int], depth: int) -> float:
    return sum(0 < rank <= depth for rank in ranks) / len(ranks)


def _spans(found: Sequence[tuple[Sequence[Passage], SpanQuestion]]) -> dict[str, float]:
    """Precision and recall of characters, as LegalBench-RAG counts them: means over the questions."""
    precisions, recalls = [], []
    for passages, question in found:
        shown = {(one.document, at) for one in passages for at in range(one.start, one.end)}
        gold = {(document, at) for document, start, end in question.gold for at in range(start, end)}
        hit = len(shown & gold)
        precisions.append(hit / max(1, len(shown)))
        recalls.append(hit / max(1, len(gold)))
    return {"precision": round(statistics.mean(precisions), 4), "recall": round(statistics.mean(recalls), 4)}


def _bars(results: dict[str, Any]) -> tuple[Bar, ...]:
    shipped = results.get("statutes", {}).get("all, laws weighed")
    if shipped is None:
        return ()
    bars = [
        Bar(name=f"statutes, recall at {depth}", value=value, bar=f">= {bar}", holds=value >= bar)
        for depth, bar in ((10, 0.65), (100, 0.85))
        for value in (shipped["all"][f"recall_at_{depth}"],)
    ]
    seconds = shipped["median_ms"] / 1000
    return (
        *bars,
        Bar(
            name="evidence in the library, median (s)", value=seconds, bar=f"<= {LATENCY_BAR_S}",
            holds=seconds <= LATENCY_BAR_S,
        ),
    )  # fmt: skip


def _data(data: Path | None) -> Path:
    given = data or (Path(os.environ["AIPC_BENCH_DATA"]) if "AIPC_BENCH_DATA" in os.environ else None)
    return (given or ROOT.parent / "shared") / "data"


_SETS = {
    "contracts": "bench/legalbench_rag_contractnli_dev.json",
    "two_languages": "bench/xquad_zh_dev.json",
    "statutes": "bench/stard_dev.jsonl",
}
_MEASURES: dict[str, Callable[[BenchHome, Path, int | None], dict[str, Any]]] = {
    "contracts": _contracts,
    "two_languages": _two_languages,
    "statutes": _statutes,
}
