"""Where vectors are looked up. Collections keep cases apart; SQLite holds the truth, this can be rebuilt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from aipc_app.encoder.embedder import Matrix


class Near(NamedTuple):
    """Best first; cosine similarity from -1 to 1."""

    passage_ids: tuple[int, ...]
    similarities: tuple[float, ...]


class VectorIndex(Protocol):
    """Used from one thread. Every member may raise IndexDamaged; after it the index is empty and works."""

    def add(self, collection: str, passage_ids: Sequence[int], document_ids: Sequence[int], vectors: Matrix) -> None:
        """Put in or replace; durable on return. `vectors` has a row of length 1 for each id."""
        ...

    def remove(self, collection: str, document_id: int | None) -> None:
        """Take out one document's vectors, or the whole collection; durable on return. Absent is no error."""
        ...

    def search(
        self, collection: str, vector: Matrix, limit: int, document_ids: Sequence[int] | None = None
    ) -> Near:
        """The nearest of a collection, of these documents alone if given. Empty for an unknown collection."""
        ...

    def count(self, collection: str) -> int:
        """How many vectors a collection holds; 0 when there is none."""
        ...
