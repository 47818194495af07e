"""Messages between the desktop and the encoder. Framing: engine.wire.

Vectors cross as little-endian float32 bytes, row after row, L2-normalised.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from engine.wire.child import Hello


class TextKind(StrEnum):
    """Embedders such as e5 mark queries and passages differently."""

    QUERY = "query"
    PASSAGE = "passage"


class Embed(Struct, frozen=True, tag=True):
    id: int
    texts: tuple[str, ...]
    kind: TextKind


class IndexAdd(Struct, frozen=True, tag=True):
    """Put vectors of passages into a collection (one per case, so that cases never mix). Replaces same ids."""

    id: int
    collection: str
    passage_ids: tuple[int, ...]
    document_ids: tuple[int, ...]
    vectors: bytes


class IndexRemove(Struct, frozen=True, tag=True):
    """Take out a document's vectors, or the whole collection when `document_id` is None."""

    id: int
    collection: str
    document_id: int | None


class IndexSearch(Struct, frozen=True, tag=True):
    id: int
    collection: str
    vector: bytes
    limit: int
    document_ids: tuple[int, ...] | None = None


class IndexCount(Struct, frozen=True, tag=True):
    id: int
    collection: str


class Rerank(Struct, frozen=True, tag=True):
    """How well each text answers the query, by the cross-encoder in a folder of the user's."""

    id: int
    query: str
    texts: tuple[str, ...]


class CancelEncode(Struct, frozen=True, tag=True):
    id: int


EncoderRequest = Embed | IndexAdd | IndexRemove | IndexSearch | IndexCount | Rerank | CancelEncode


class Embedded(Struct, frozen=True, tag=True):
    id: int
    embedder: str
    dimensions: int
    vectors: bytes


class IndexDone(Struct, frozen=True, tag=True):
    """An add or remove is durable; or the answer to a count."""

    id: int
    count: int = 0


class Neighbours(Struct, frozen=True, tag=True):
    """Best first; cosine similarity from -1 to 1."""

    id: int
    passage_ids: tuple[int, ...]
    similarities: tuple[float, ...]


class Reranked(Struct, frozen=True, tag=True):
    """Larger is better; in the order of the texts."""

    id: int
    scores: tuple[float, ...]


class EncodeFailed(Struct, frozen=True, tag=True):
    """`kind`: damaged_index (to be rebuilt), cancelled, error."""

    id: int
    kind: str
    reason: str


EncoderReply = Hello | Embedded | IndexDone | Neighbours | Reranked | EncodeFailed


def collection_of(case_id: int) -> str:
    """The name of a case's part of the vector index: cases never mix."""
    return f"case-{case_id}"
