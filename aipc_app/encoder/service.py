"""Serves requests one after another, long ones in small steps with questions in between.

Three of these work side by side, each on its own lanes: one embeds many passages, one reranks, one does all the rest.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from msgspec import Struct

from aipc_app.domain.encoder_wire import (
    Embed,
    Embedded,
    EncodeFailed,
    EncoderRequest,
    IndexAdd,
    IndexCount,
    IndexDone,
    IndexRemove,
    IndexSearch,
    Neighbours,
    Rerank,
    Reranked,
    TextKind,
)
from aipc_app.encoder.cross_encoder import Reranker
from aipc_app.encoder.embedder import Embedder, Matrix
from aipc_app.encoder.errors import EncoderError, IndexDamaged
from aipc_app.encoder.lanes import Lanes, is_urgent
from aipc_app.encoder.vector_index import VectorIndex

_LOG = logging.getLogger("aipc.encoder")
_KINDS: dict[type[EncoderError], str] = {IndexDamaged: "damaged_index"}
_STEP_CHARACTERS = 1_600
_ADD_STEP = 100  # vectors; Chroma takes well under half a second for them


class EncoderService:
    """Works on the calling thread. `send` takes each reply. The index is used by one service alone."""

    def __init__(
        self,
        embedder: Embedder,
        index: VectorIndex,
        lanes: Lanes,
        send: Callable[[Struct], None],
        reranker: Reranker | None = None,
    ) -> None:
        self._embedder, self._index, self._reranker = embedder, index, reranker
        self._lanes, self._send = lanes, send
        self._underway: deque[tuple[EncoderRequest, Iterator[Struct | None]]] = deque()

    def run(self) -> None:
        """Serve for ever; the end of the process is the end of it."""
        while True:
            self.turn()

    def turn(self) -> None:
        """Take what has come (wait for it if there is nothing to do), urgent requests whole; then do one step
        of what is underway, each request in its turn."""
        request = self._lanes.take(wait=not self._underway)
        while request is not None:
            self._begin(request)
            request = self._lanes.take(wait=False)
        if self._underway:
            going, steps = self._underway.popleft()
            if not self._step(going, steps):
                self._underway.append((going, steps))

    def _begin(self, request: EncoderRequest) -> None:
        steps = self._steps(request)
        if not is_urgent(request):
            self._underway.append((request, steps))
            return
        while not self._step(request, steps):
            pass

    def _step(self, request: EncoderRequest, steps: Iterator[Struct | None]) -> bool:
        """Do one step; whether the request was answered by it. Each request gets exactly one reply."""
        try:
            reply = self._cancelled(request) or next(steps)
        except EncoderError as error:
            reply = EncodeFailed(id=request.id, kind=_KINDS.get(type(error), "error"), reason=str(error))
        except Exception as error:
            # Only the kind: the message of a library may quote the user's text.
            _LOG.error("%s failed: %s", type(request).__name__, type(error).__name__)
            reason = f"Search by meaning failed ({type(error).__name__}); try again, or start the program anew."
            reply = EncodeFailed(id=request.id, kind="error", reason=reason)
        if reply is None:
            return False
        self._lanes.done(request.id)
        self._send(reply)
        return True

    def _cancelled(self, request: EncoderRequest) -> EncodeFailed | None:
        if not self._lanes.is_cancelled(request.id):
            return None
        return EncodeFailed(id=request.id, kind="cancelled", reason="Cancelled.")

    def _steps(self, request: EncoderRequest) -> Iterator[Struct | None]:
        """None after each step, the reply at the end."""
        match request:
            case Embed():
                yield from self._embed(request)
            case IndexAdd():
                yield from self._add(request)
            case IndexRemove(id=id_, collection=collection, document_id=document_id):
                self._index.remove(collection, document_id)
                yield IndexDone(id=id_)
            case IndexSearch(id=id_, collection=collection, limit=limit, document_ids=document_ids):
                rows = self._rows(request.vector, 1, TextKind.QUERY)
                near = self._index.search(collection, rows[0], limit, document_ids)
                yield Neighbours(id=id_, passage_ids=near.passage_ids, similarities=near.similarities)
            case IndexCount(id=id_, collection=collection):
                yield IndexDone(id=id_, count=self._index.count(collection))
            case Rerank():
                yield from self._rerank(request)

    def _rerank(self, request: Rerank) -> Iterator[Struct | None]:
        if self._reranker is None:
            raise EncoderError("There is no reranking model; choose the folder of one in Settings, search by meaning.")
        scores: list[float] = []
        for text in request.texts:
            yield None
            scores.append(self._reranker.score(request.query, text))
        yield Reranked(id=request.id, scores=tuple(scores))

    def _embed(self, request: Embed) -> Iterator[Struct | None]:
        dimensions = self._embedder.dimensions
        rows: Matrix = np.zeros((len(request.texts), dimensions), dtype="<f4")
        # Texts of like length together: a batch lasts as long as its longest text.
        order = sorted(range(len(request.texts)), key=lambda i: len(request.texts[i]))
        for chosen in self._portions(order, request.texts):
            yield None
            rows[chosen] = self._embedder.embed([request.texts[i] for i in chosen], request.kind)
        yield Embedded(
            id=request.id, embedder=self._embedder.identity, dimensions=dimensions, vectors=rows.tobytes()
        )

    def _portions(self, order: Sequence[int], texts: Sequence[str]) -> Iterator[list[int]]:
        """What is embedded in one step: a cancel waits for no more than this."""
        portion: list[int] = []
        characters = 0
        for i in order:
            if portion and (len(portion) == self._embedder.batch or characters + len(texts[i]) > _STEP_CHARACTERS):
                yield portion
                portion, characters = [], 0
            portion.append(i)
            characters += len(texts[i])
        if portion:
            yield portion

    def _add(self, request: IndexAdd) -> Iterator[Struct | None]:
        vectors = self._rows(request.vectors, len(request.passage_ids), TextKind.PASSAGE)
        if len(request.document_ids) != len(request.passage_ids):
            raise EncoderError("Passages and documents to be indexed don't match in number.")
        for start in range(0, len(request.passage_ids), _ADD_STEP):
            yield None
            part = slice(start, start + _ADD_STEP)
            self._index.add(request.collection, request.passage_ids[part], request.document_ids[part], vectors[part])
        if not request.passage_ids:
            self._index.add(request.collection, (), (), vectors)
        yield IndexDone(id=request.id)

    def _rows(self, data: bytes, count: int, kind: TextKind) -> Matrix:
        """The wire's bytes as rows for the index. Raises EncoderError for vectors of another embedder."""
        dimensions = self._embedder.dimensions
        if len(data) != count * dimensions * 4:
            raise EncoderError(f"Vectors of {len(data)} bytes don't fit {count} rows of {dimensions} numbers.")
        return self._embedder.for_index(np.frombuffer(data, dtype="<f4").reshape(count, dimensions), kind)
