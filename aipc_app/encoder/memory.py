"""An exact index in memory: the yardstick for the other, and for trying things without a disk."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aipc_app.encoder.embedder import Matrix
from aipc_app.encoder.vector_index import Near


class MemoryIndex:
    """VectorIndex by brute force. Nothing is durable."""

    def __init__(self) -> None:
        self._rows: dict[str, dict[int, tuple[int, Matrix]]] = {}

    def add(self, collection: str, passage_ids: Sequence[int], document_ids: Sequence[int], vectors: Matrix) -> None:
        rows = self._rows.setdefault(collection, {})
        for passage_id, document_id, vector in zip(passage_ids, document_ids, vectors, strict=True):
            rows[passage_id] = (document_id, vector)

    def remove(self, collection: str, document_id: int | None) -> None:
        if document_id is None:
            self._rows.pop(collection, None)
            return
        rows = self._rows.get(collection, {})
        for passage_id in [key for key, (document, _) in rows.items() if document == document_id]:
            del rows[passage_id]

    def search(
        self, collection: str, vector: Matrix, limit: int, document_ids: Sequence[int] | None = None
    ) -> Near:
        allowed = None if document_ids is None else set(document_ids)
        rows = self._rows.get(collection, {})
        ids = [key for key, (document, _) in rows.items() if allowed is None or document in allowed]
        if not ids or limit < 1:
            return Near((), ())
        similarities = np.stack([rows[key][1] for key in ids]) @ vector
        best = np.argsort(-similarities, kind="stable")[:limit]
        return Near(tuple(ids[i] for i in best), tuple(float(similarities[i]) for i in best))

    def count(self, collection: str) -> int:
        return len(self._rows.get(collection, {}))
