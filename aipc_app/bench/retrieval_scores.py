"""What the retrieval benchmark counts. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from aipc_app.answer.expected import stands
from aipc_app.bench.retrieval_sets import CaseQuestion, Place, Question, SpanQuestion
from aipc_app.domain.documents import Passage

DEPTHS = (5, 10, 20, 100)
SPAN_DEPTHS = (1, 2, 4, 8, 16)


def ranks(places: Sequence[Place], question: Question) -> list[int]:
    """The place of each gold item, from 1; 0 where it isn't found."""
    return [next((rank for rank, one in enumerate(places, 1) if one in gold), 0) for gold in question.gold]


def recalls(rows: Sequence[Sequence[int]]) -> dict[str, float]:
    """Means over the questions: the share of gold items among the first so many, and one over the first one's place."""
    report = {
        f"recall_at_{depth}": round(statistics.mean(_share(row, depth) for row in rows if row), 4) for depth in DEPTHS
    }
    first = (max((1 / rank for rank in row if rank), default=0.0) for row in rows)
    return report | {"mrr": round(statistics.mean(first), 4), "questions": len(rows)}


def _share(row: Sequence[int], depth: int) -> float:
    return sum(0 < rank <= depth for rank in row) / len(row)


def spans(found: Sequence[tuple[Sequence[Passage], SpanQuestion]]) -> dict[str, float]:
    """Precision and recall of characters, as LegalBench-RAG counts them: means over the questions."""
    precisions, found_shares = [], []
    for passages, question in found:
        shown = {(one.document, at) for one in passages for at in range(one.start, one.end)}
        gold = {(document, at) for document, start, end in question.gold for at in range(start, end)}
        hit = len(shown & gold)
        precisions.append(hit / max(1, len(shown)))
        found_shares.append(hit / max(1, len(gold)))
    return {"precision": round(statistics.mean(precisions), 4), "recall": round(statistics.mean(found_shares), 4)}


def facts(found: Sequence[tuple[Sequence[Passage], CaseQuestion]]) -> dict[str, float]:
    """Means over the questions: the share of key facts that stand in the passages, and of the documents they are of."""
    standing, documents = [], []
    for passages, question in found:
        text = "\n".join(one.text for one in passages)
        standing.append(statistics.mean(any(stands(way, text) for way in fact) for fact in question.facts))
        named = [any(one.document.endswith(name) for one in passages) for name in question.documents]
        documents += [statistics.mean(named)] if named else []
    return {
        "key_facts": round(statistics.mean(standing), 4),
        "documents": round(statistics.mean(documents), 4) if documents else 0.0,
    }
