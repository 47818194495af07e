"""How fast and how exact the vector index is: python -m tests.bench.vector_index [--count N] [--vectors FILE.npy]

Prints one JSON object. Without a file the vectors are invented: a few dozen directions, as embeddings of one
language have, and some noise. Exact search over the same vectors (numpy) is the yardstick, in the same run.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from aipc_app.encoder.chroma import ChromaIndex
from aipc_app.encoder.embedder import Matrix

STEP, QUERIES, PER_DOCUMENT = 100, 100, 40
COLLECTION = "case-1"


def invented(count: int) -> Matrix:
    random = np.random.default_rng(0)
    rows = random.standard_normal((count, 64)) @ random.standard_normal((64, 384))
    return _unit(rows + 3.0 * random.standard_normal(rows.shape) + 10.0 * random.standard_normal(384))


def measure(rows: Matrix) -> dict[str, object]:
    random = np.random.default_rng(1)
    chosen = rows[random.integers(0, len(rows), QUERIES)]
    queries = _unit(chosen + 0.02 * random.standard_normal((QUERIES, rows.shape[1])))
    documents = np.arange(len(rows)) // PER_DOCUMENT
    with tempfile.TemporaryDirectory() as folder:
        index = ChromaIndex(Path(folder) / "index")
        steps = _add(index, rows, documents)
        few = [int(d) for d in range(10, 20)]
        report = {
            "vectors": len(rows),
            "add_first_1000_s": round(sum(steps[: 1000 // STEP]), 2),
            "add_last_1000_s": round(sum(steps[-1000 // STEP :]), 2),
            "add_longest_step_s": round(max(steps), 2),
            "add_all_s": round(sum(steps), 1),
            "search_ms": _times(lambda q: index.search(COLLECTION, q, 50), queries),
            "search_in_10_documents_ms": _times(lambda q: index.search(COLLECTION, q, 50, few), queries),
            "exact_ms": _times(lambda q: np.argsort(-(rows @ q))[:50], queries),
            "recall_at_10": _recall(index, rows, queries, 10),
            "recall_at_50": _recall(index, rows, queries, 50),
        }
        index.close()
        started = time.perf_counter()
        again = ChromaIndex(Path(folder) / "index")
        again.search(COLLECTION, queries[0], 10)
        report["open_and_first_search_s"] = round(time.perf_counter() - started, 2)
        again.close()
        report["bytes"] = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
    return report


def _add(index: ChromaIndex, rows: Matrix, documents: Matrix) -> list[float]:
    steps = []
    for start in range(0, len(rows), STEP):
        started = time.perf_counter()
        ids = range(start, min(start + STEP, len(rows)))
        index.add(COLLECTION, list(ids), documents[ids.start : ids.stop].tolist(), rows[ids.start : ids.stop])
        steps.append(time.perf_counter() - started)
    return steps


def _times(search: Callable[[Matrix], object], queries: Matrix) -> dict[str, float]:
    search(queries[0])
    times = []
    for query in queries:
        started = time.perf_counter()
        search(query)
        times.append(1000 * (time.perf_counter() - started))
    return {"median": round(statistics.median(times), 1), "p95": round(float(np.percentile(times, 95)), 1)}


def _recall(index: ChromaIndex, rows: Matrix, queries: Matrix, depth: int) -> float:
    exact = np.argsort(-(queries @ rows.T), axis=1)[:, :depth]
    found = (index.search(COLLECTION, query, depth).passage_ids for query in queries)
    hits = sum(len(set(ids) & set(best.tolist())) for ids, best in zip(found, exact, strict=True))
    return round(hits / exact.size, 4)


def _unit(rows: Matrix) -> Matrix:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--vectors", type=Path, help="float32 rows of length 1, as numpy saves them")
    options = parser.parse_args()
    print(json.dumps(measure(np.load(options.vectors) if options.vectors else invented(options.count))))
