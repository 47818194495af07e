"""Search by meaning: the query's vector, looked up in the index of each case."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Protocol

from aipc_app.domain.encoder_wire import TextKind, collection_of
from aipc_app.errors import WorkerDied
from aipc_app.search.fuse import Hit

_TIMEOUT_S = 5.0  # a question goes on without this stage rather than wait longer
_MOST_REMEMBERED = 16


class QueryVectors(Protocol):
    @property
    def data(self) -> bytes: ...


class MeaningIndex(Protocol):
    """What this needs of the encoder."""

    @property
    def ready(self) -> bool: ...
    @property
    def embedder(self) -> str | None: ...
    def start(self) -> None: ...
    def embed(self, texts: Sequence[str], kind: TextKind, *, timeout_s: float | None = None) -> QueryVectors: ...
    def index_search(
        self,
        collection: str,
        vector: bytes,
        limit: int,
        document_ids: Sequence[int] | None = None,
        *,
        timeout_s: float | None = None,
    ) -> tuple[tuple[int, float], ...]: ...


class VectorSearch:
    """May be used from any thread. Remembers the last queries' vectors: a case and the library are asked alike."""

    def __init__(self, encoder: MeaningIndex) -> None:
        self._encoder = encoder
        self._lock = threading.Lock()
        self._remembered: OrderedDict[tuple[str, str], bytes] = OrderedDict()

    def find(
        self, query: str, *, cases: Sequence[int], documents: frozenset[int] | None, limit: int
    ) -> tuple[Hit, ...]:
        """Passage ids with their cosine similarities, nearest first over all cases.

        Raises AipcError when the encoder can't take part now.
        """
        vector = self._vector(query)
        chosen = None if documents is None else sorted(documents)
        nearest: dict[int, float] = {}
        for case_id in cases:
            found = self._encoder.index_search(
                collection_of(case_id), vector, limit, chosen, timeout_s=_TIMEOUT_S
            )
            nearest.update(found)
        return tuple(sorted(nearest.items(), key=lambda hit: (-hit[1], hit[0]))[:limit])

    def _vector(self, query: str) -> bytes:
        embedder = self._encoder.embedder
        if embedder is None:
            raise WorkerDied("Search by meaning is not ready yet; try again in a moment.")
        key = (embedder, query)
        with self._lock:
            if key in self._remembered:
                self._remembered.move_to_end(key)
                return self._remembered[key]
        vector = self._encoder.embed((query,), TextKind.QUERY, timeout_s=_TIMEOUT_S).data
        with self._lock:
            self._remembered[key] = vector
            if len(self._remembered) > _MOST_REMEMBERED:
                self._remembered.popitem(last=False)
        return vector
