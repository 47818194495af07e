"""What ingest asks of the reader and the encoder processes; workers/ has the real ones."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from aipc_app.domain.encoder_wire import TextKind
from aipc_app.domain.reader_wire import FileRead, MemberFound, Opened, PageRead, PictureRead, ReadLimits


class FileReader(Protocol):
    """Reads one file, blocking. Raises DocumentError and its kinds, WorkerDied, Cancelled.

    Files inside it are written into `work_folder` and told to `on_member`; without that they are only counted.
    """

    def read(
        self,
        path: Path,
        name: str,
        *,
        password: str | None = None,
        limits: ReadLimits | None = None,
        on_page: Callable[[PageRead], None],
        on_opened: Callable[[Opened], None] | None = None,
        cancel: threading.Event | None = None,
        work_folder: Path | None = None,
        on_member: Callable[[MemberFound], None] | None = None,
        on_picture: Callable[[PictureRead], None] | None = None,
    ) -> FileRead: ...


class Embeddings(Protocol):
    """Vectors of texts, with the identity of what made them; rows of little-endian float32."""

    @property
    def embedder(self) -> str: ...
    @property
    def data(self) -> bytes: ...


class PassageEncoder(Protocol):
    """Makes vectors and keeps the vector index.

    Its calls block; they raise WorkerDied, EncoderUnavailable, IndexDamaged, Cancelled. `subscribe` tells each new
    state (workers.encoder_states) and a lost index, from any thread.
    """

    @property
    def ready(self) -> bool: ...
    @property
    def embedder(self) -> str | None: ...
    def start(self) -> None: ...
    def subscribe(self, listener: Callable[..., None], /) -> Any: ...
    def embed(self, texts: Sequence[str], kind: TextKind, *, cancel: threading.Event | None = None) -> Embeddings: ...
    def index_add(
        self, collection: str, passage_ids: Sequence[int], document_ids: Sequence[int], vectors: bytes
    ) -> Any: ...
    def index_remove(self, collection: str, document_id: int | None) -> Any: ...
    def index_count(self, collection: str) -> int: ...


def collection_of(case_id: int) -> str:
    """The name of a case's part of the vector index: cases never mix."""
    return f"case-{case_id}"
