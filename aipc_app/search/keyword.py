"""Search by words: BM25 over the tokens of the keyword index."""

from __future__ import annotations

from collections.abc import Sequence

from aipc_app.search.fuse import Hit
from aipc_app.store import Store
from aipc_app.text.tokens import query_tokens


def find_by_words(
    store: Store, query: str, *, cases: Sequence[int], documents: frozenset[int] | None, limit: int
) -> tuple[Hit, ...]:
    """Passage ids with their BM25 scores, best first; none when the query has no word. Raises StorageError."""
    tokens = query_tokens(query)
    if not tokens:
        return ()
    return store.passages.keyword(tokens, cases=cases, documents=documents, limit=limit)
