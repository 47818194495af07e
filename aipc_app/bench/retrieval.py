"""How well search finds, stage by stage, and how long each takes.

Statutes: lay questions with their gold articles, among all articles of laws/cn. Contracts: questions with gold
spans. Two languages: questions in one, the text in the other. Samples: the questions of the sample cases, whether
what the answer must say stands in the passages. Everything runs through the real store, encoder process, index and
SearchService; the first run embeds everything, which takes hours for all laws on a small PC: `--keep FOLDER` keeps
what was done, `--others N` takes N other articles instead of all, `--library HOME` takes the library of a home that
`aipc add --library` has filled with laws/cn. `--reranker FOLDER` also measures a cross-encoder.
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
from msgspec.structs import replace

from aipc_app.bench.report import Bar, BenchReport, this_machine
from aipc_app.bench.retrieval_home import Asked, BenchHome, KeptHome
from aipc_app.bench.retrieval_samples import sample_case
from aipc_app.bench.retrieval_scores import DEPTHS, SPAN_DEPTHS, facts, ranks, recalls, spans
from aipc_app.bench.retrieval_sets import (
    Place,
    Question,
    contracts,
    lay_questions,
    statutes,
    two_languages,
)
from aipc_app.domain.documents import LIBRARY_ID, Passage, SearchResult, Stage
from aipc_app.operations.samples import Sample, list_samples
from aipc_app.search.service import SearchService

LATENCY_BAR_S = 0.3
ROOT = Path(__file__).resolve().parents[2]
_NOT_MEASURED = (
    "rewriting: of the question by the model or by what was found first brought nothing (search/decisions)",
    "reranking by the chat model's likelihood: not part of the program, and not measured",
)
_ALONG_AT = 10  # what comes along is counted with so many found ones


class Stages(Struct, frozen=True):
    """Which of them take part."""

    using: frozenset[Stage]
    weighed: bool = False
    everyday: bool = False
    rerank: bool = False


VARIANTS = {
    "keyword": Stages(frozenset({Stage.KEYWORD})),
    "vector": Stages(frozenset({Stage.VECTOR})),
    "exact": Stages(frozenset({Stage.EXACT})),
    "keyword+vector": Stages(frozenset({Stage.KEYWORD, Stage.VECTOR})),
    "keyword+vector+exact": Stages(frozenset(Stage)),
    "all, laws weighed": Stages(frozenset(Stage), weighed=True),
    "all, laws weighed, legal words": Stages(frozenset(Stage), weighed=True, everyday=True),
    "the same, reranked": Stages(frozenset(Stage), weighed=True, everyday=True, rerank=True),
}
SHIPPED = "all, laws weighed, legal words"


class Wanted(Struct, frozen=True, kw_only=True):
    """What is measured, on what. `data`: the folder with bench/ and laws/; the rest as the module says."""

    data: Path
    keep: Path
    others: int | None = None
    library: Path | None = None
    reranker: Path | None = None

    def variants(self, *, library: bool) -> dict[str, Stages]:
        """What is of the library alone is left out elsewhere, and reranking needs a model."""
        return {
            name: replace(stages, weighed=stages.weighed and library, everyday=stages.everyday and library)
            for name, stages in VARIANTS.items()
            if (library or stages.rerank or not stages.weighed) and (self.reranker or not stages.rerank)
        }


def run(
    data: Path | None,
    keep: Path | None = None,
    others: int | None = None,
    library: Path | None = None,
    reranker: Path | None = None,
) -> BenchReport:
    """Measure the sets that are there."""
    folder = _data(data)
    skipped = [name for name, path in _SETS.items() if not (folder / path).exists()]
    results: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="aipc-bench-") as temporary:
        wanted = Wanted(
            data=folder, keep=keep or Path(temporary), others=others, library=library, reranker=reranker
        )
        for name, measure in _MEASURES.items():
            if name not in skipped:
                results[name] = measure(wanted)
    return BenchReport(
        bench="retrieval",
        machine=this_machine(),
        results={**results, "measured": __doc__.split("\n\n")[1] if __doc__ else ""},
        skipped=(*(f"{name}: data/{_SETS[name]} is not there" for name in skipped), *_not_measured(wanted)),
        bars=_bars(results),
    )


def _statutes(wanted: Wanted) -> dict[str, Any]:
    questions = lay_questions(wanted.data)
    if wanted.library is None:
        home: BenchHome | KeptHome = BenchHome(wanted.keep / "statutes", wanted.reranker)
    else:
        home = KeptHome(wanted.library, wanted.reranker)
    with home:
        if isinstance(home, BenchHome):
            home.fill(LIBRARY_ID, statutes(wanted.data, questions, wanted.others))
        names = home.names_in(wanted.data, "laws/cn") if isinstance(home, KeptHome) else {}
        halves = {"all": questions, "even": questions[::2], "odd": questions[1::2]}
        report: dict[str, Any] = {
            "passages": _passages(home, LIBRARY_ID),
            "others": "all" if wanted.others is None else wanted.others,
        }
        for name, stages in wanted.variants(library=True).items():
            asked = _Asking(home, LIBRARY_ID, stages, max(DEPTHS), names)
            found = {question.text: asked.search(question.text) for question in questions}
            rows = {q.text: ranks(asked.places(found[q.text]), q) for q in questions}
            report[name] = {half: recalls([rows[q.text] for q in some]) for half, some in halves.items()}
            report[name] |= asked.times()
            if name == SHIPPED:
                report["with what comes along"] = _along(asked, [(found[q.text], q) for q in questions])
        return report


def _along(asked: _Asking, found: Sequence[tuple[SearchResult, Question]]) -> dict[str, float]:
    """Gold among the first and what belongs to them, and how many passages that adds."""
    rows, counts = [], []
    for result, question in found:
        first = list(asked.places(result))[:_ALONG_AT]
        more = [asked.place(one.passage) for one in result.related]
        rows.append(ranks([*first, *(place for place in dict.fromkeys(more) if place not in first)], question))
        counts.append(len(set(more) - set(first)))
    return {
        f"recall_at_{_ALONG_AT}_and_along": round(statistics.mean(sum(map(bool, row)) / len(row) for row in rows), 4),
        "articles_along": round(statistics.mean(counts), 2),
    }


def _two_languages(wanted: Wanted) -> dict[str, Any]:
    texts, sets = two_languages(wanted.data)
    with BenchHome(wanted.keep / "two_languages", wanted.reranker) as home:
        case_id = _case(home)
        home.fill(case_id, texts)
        report: dict[str, Any] = {"passages": _passages(home, case_id)}
        for name, stages in wanted.variants(library=False).items():
            asked = _Asking(home, case_id, stages, max(DEPTHS))
            report[name] = {
                kind: recalls([ranks(asked.documents(q.text), q) for q in questions])
                for kind, questions in sets.items()
            } | asked.times()
        return report


def _contracts(wanted: Wanted) -> dict[str, Any]:
    texts, questions = contracts(wanted.data)
    with BenchHome(wanted.keep / "contracts", wanted.reranker) as home:
        case_id = _case(home)
        home.fill(case_id, texts)
        report: dict[str, Any] = {"passages": _passages(home, case_id), "questions": len(questions)}
        for name, stages in wanted.variants(library=False).items():
            asked = _Asking(home, case_id, stages, max(SPAN_DEPTHS))
            found = [(asked.passages(question.text), question) for question in questions]
            report[name] = {
                f"at_{depth}": spans([(passages[:depth], question) for passages, question in found])
                for depth in SPAN_DEPTHS
            } | asked.times()
        return report


def _samples(wanted: Wanted) -> dict[str, Any]:
    return {sample.id: _sample(wanted, sample) for sample in list_samples()}


def _sample(wanted: Wanted, sample: Sample) -> dict[str, Any]:
    folder, questions = sample_case(wanted.keep / "samples", sample)
    with KeptHome(folder, wanted.reranker) as home:
        case_id = _case(home, sample.id)
        report: dict[str, Any] = {"questions": len(questions), "passages": _passages(home, case_id)}
        for name, stages in wanted.variants(library=False).items():
            asked = _Asking(home, case_id, stages, max(SPAN_DEPTHS))
            found = [(asked.passages(question.text), question) for question in questions]
            report[name] = {
                f"at_{depth}": facts([(passages[:depth], question) for passages, question in found])
                for depth in SPAN_DEPTHS
            } | asked.times()
        return report


class _Asking:
    """One way of searching, with the times it took."""

    def __init__(
        self, home: Asked, case_id: int, stages: Stages, limit: int, names: dict[int, str] | None = None
    ) -> None:
        """`names`: what documents are called in the set, where the home calls them otherwise."""
        self._search = SearchService(
            home.store, home.encoder, using=stages.using, weighed=stages.weighed, everyday=stages.everyday,
            reranker=home.encoder,
        )  # fmt: skip
        self._case_id, self._limit, self._names, self._stages = case_id, limit, names or {}, stages
        self._seconds: list[float] = []

    def search(self, query: str) -> SearchResult:
        started = time.perf_counter()
        result = self._search.search(query, cases=(self._case_id,), limit=self._limit)
        if self._stages.rerank:
            result = self._search.rerank(query, result)
        self._seconds.append(time.perf_counter() - started)
        return result

    def passages(self, query: str) -> tuple[Passage, ...]:
        return tuple(item.passage for item in self.search(query).evidence)

    def place(self, passage: Passage) -> Place:
        return self._names.get(passage.document_id, passage.document), passage.article or ""

    def places(self, result: SearchResult) -> list[Place]:
        """Where passages stand, each place once: a long article is several passages."""
        return list(dict.fromkeys(self.place(item.passage) for item in result.evidence))

    def documents(self, query: str) -> list[Place]:
        return list(dict.fromkeys((one.document, "") for one in self.passages(query)))

    def times(self) -> dict[str, float]:
        seconds = sorted(self._seconds)
        return {
            "median_ms": round(1000 * statistics.median(seconds), 1),
            "p95_ms": round(1000 * seconds[int(0.95 * (len(seconds) - 1))], 1),
        }


def _case(home: Asked, name: str = "bench") -> int:
    found = home.store.cases.by_name(name)
    return (found or home.store.cases.create(name)).id


def _passages(home: Asked, case_id: int) -> int:
    return sum(document.passages for document in home.store.documents.of_case(case_id))


def _not_measured(wanted: Wanted) -> tuple[str, ...]:
    if wanted.reranker is not None:
        return _NOT_MEASURED
    return (*_NOT_MEASURED, "reranking by a cross-encoder: none is part of the program; --reranker FOLDER names one")


def _bars(results: dict[str, Any]) -> tuple[Bar, ...]:
    shipped = results.get("statutes", {}).get(SHIPPED)
    if shipped is None:
        return ()
    bars = [
        Bar(name=f"statutes, recall at {depth}", value=value, bar=f">= {bar}", holds=value >= bar)
        for depth, bar in ((10, 0.65), (100, 0.85))
        for value in (shipped["all"][f"recall_at_{depth}"],)
    ]
    times = [
        Bar(
            name=f"evidence in the library, {name} (s)", value=shipped[key] / 1000, bar=f"<= {LATENCY_BAR_S}",
            holds=shipped[key] / 1000 <= LATENCY_BAR_S,
        )
        for name, key in (("median", "median_ms"), ("95th percentile", "p95_ms"))
    ]  # fmt: skip
    return (*bars, *times)


def _data(data: Path | None) -> Path:
    given = data or (Path(os.environ["AIPC_BENCH_DATA"]) if "AIPC_BENCH_DATA" in os.environ else None)
    return (given or ROOT.parent / "shared") / "data"


_SETS = {
    "contracts": "bench/legalbench_rag_contractnli_dev.json",
    "two_languages": "bench/xquad_zh_dev.json",
    "statutes": "bench/stard_dev.jsonl",
}
_MEASURES: dict[str, Callable[[Wanted], dict[str, Any]]] = {
    "samples": _samples,
    "contracts": _contracts,
    "two_languages": _two_languages,
    "statutes": _statutes,
}
