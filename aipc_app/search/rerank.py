"""Sorts the first of what was found by reading each passage together with the question.

Slow (seconds), so it is asked for apart and lands after the evidence is on the screen.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Protocol

from msgspec.structs import replace

from aipc_app.domain.documents import Evidence, SearchResult, Stage

MOST_RERANKED = 20


class Reranker(Protocol):
    """What this needs of the encoder process."""

    def rerank(
        self, query: str, texts: Sequence[str], *, cancel: threading.Event | None = None
    ) -> tuple[float, ...]: ...


def reranked(reranker: Reranker, query: str, result: SearchResult, cancel: threading.Event | None) -> SearchResult:
    """The same passages, the first MOST_RERANKED in the reranker's order, equals as they stood. Raises AipcError."""
    first, rest = result.evidence[:MOST_RERANKED], result.evidence[MOST_RERANKED:]
    if not first:
        return result
    scores = reranker.rerank(query, [_text_of(item) for item in first], cancel=cancel)
    order = sorted(range(len(first)), key=lambda place: -scores[place])
    placed = (
        replace(first[place], ranks={**first[place].ranks, Stage.RERANK: rank}) for rank, place in enumerate(order, 1)
    )
    return replace(result, evidence=(*placed, *rest))


def _text_of(item: Evidence) -> str:
    """With its heading path: an article alone often doesn't say what it is about."""
    passage = item.passage
    return f"{passage.heading}\n{passage.text}" if passage.heading else passage.text
