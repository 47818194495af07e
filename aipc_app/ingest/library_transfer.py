"""The law library out of one home and into another, by a package (library_package.py)."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from aipc_app import __version__
from aipc_app.domain.documents import LIBRARY_ID, Document, DocumentStatus
from aipc_app.domain.jobs import JobKind
from aipc_app.errors import AipcError, StorageError, UserMistake
from aipc_app.ingest.library_package import (
    CHUNK,
    DOCUMENTS,
    INDEXING,
    ORIGINALS,
    VECTORS,
    Check,
    Package,
    PackageWriter,
    PackedDocument,
    PackedPassage,
    damaged,
)
from aipc_app.ingest.passages import index_passage
from aipc_app.ingest.pipeline import index_documents
from aipc_app.ingest.ports import PassageEncoder
from aipc_app.log import INGEST
from aipc_app.store import IndexedPassage, Store

_PASSAGES_AT_ONCE = 1_500  # written in one transaction, about a second in which nothing else is
_VERIFYING, _WRITING = 0.2, 0.8  # shares of an import's progress


class Exported(Struct, frozen=True, kw_only=True):
    """What a package holds. `left_out`: documents that could not be read here."""

    documents: int
    passages: int
    bytes: int
    left_out: int


class Imported(Struct, frozen=True, kw_only=True):
    """`known`: documents that were here already. `to_embed`: those whose vectors have to be made here."""

    documents: int
    passages: int
    known: int
    to_embed: int


def export_library(store: Store, target: Path, check: Check) -> Exported:
    """Write the library into a package; a file of that name is replaced when the new one is whole.

    Raises UserMistake for a library that is empty or not completely indexed, or a target that can't be written,
    and what `check` raises.
    """
    documents, left_out = _complete(store)
    embedder, dimensions = _embedder(store, documents)
    partial = _partial(target)
    try:
        with PackageWriter(partial) as writer:
            passages = _write(writer, store, documents, embedder, check)
            writer.finish(
                program=__version__, embedder=embedder, dimensions=dimensions,
                documents=len(documents), passages=passages,
            )  # fmt: skip
        size = partial.stat().st_size
        _sync(partial)
        partial.replace(target)
    except OSError as error:
        raise _unwritable(target, error) from error
    finally:
        partial.unlink(missing_ok=True)
    return Exported(documents=len(documents), passages=passages, bytes=size, left_out=left_out)


def import_library(store: Store, encoder: PassageEncoder, path: Path, check: Check) -> Imported:
    """Take a package into the library, after all of it was found whole; documents that are known are only linked.

    Each document comes whole or not at all; where this is interrupted, doing it again does the rest. Raises
    PackageDamaged before anything is written, UserMistake, StorageError, and what `check` raises.
    """
    with Package(path) as package:
        package.verified(lambda share: check(_VERIFYING * share))
        taking = _Taking(store, encoder, package)
        try:
            for done in taking.steps():
                check(_VERIFYING + _WRITING * done / max(1, package.manifest.passages))
        finally:
            taking.into_index()
        return taking.result()


class _Taking:
    """One import under way."""

    def __init__(self, store: Store, encoder: PassageEncoder, package: Package) -> None:
        self._store, self._encoder, self._package = store, encoder, package
        self._embedder = package.manifest.embedder
        self._local = encoder.embedder if encoder.ready else None
        self._fresh: list[int] = []  # taken, not in the index yet
        self._documents = self._passages = self._known = self._to_embed = 0

    def steps(self) -> Iterator[int]:
        """Take everything; yields how many passages were gone through, at points where it may stop."""
        gone_through = waiting = 0
        portion: list[tuple[PackedDocument, bytes]] = []
        for document, vectors in self._package.documents():
            portion.append((document, vectors))
            waiting += len(document.passages)
            if waiting >= _PASSAGES_AT_ONCE:
                gone_through, waiting = gone_through + waiting, 0
                self._take(portion)
                portion = []
                yield gone_through
        self._take(portion)
        yield gone_through + waiting

    def into_index(self) -> None:
        """Have what was taken found by meaning. Where that fails it is done at the next start, from the store."""
        if not self._fresh or self._local != self._embedder:
            return
        try:
            index_documents(self._encoder, self._store, LIBRARY_ID, self._fresh, self._embedder)
        except StorageError:
            raise
        except AipcError as error:
            INGEST.warning("the imported vectors are not in the index yet: %s", type(error).__name__)
        self._fresh = []

    def result(self) -> Imported:
        return Imported(
            documents=self._documents, passages=self._passages, known=self._known, to_embed=self._to_embed
        )

    def _take(self, portion: Sequence[tuple[PackedDocument, bytes]]) -> None:
        new = [one for one in portion if not self._link_known(one[0])]
        with self._store.originals.work_folder() as folder:
            for document, _ in new:
                self._keep_original(document, folder / "original")
        with self._store.transaction():
            for document, vectors in new:
                self._add(document, vectors)
        self.into_index()

    def _link_known(self, packed: PackedDocument) -> bool:
        """Whether these bytes were read here already, or are about to be."""
        known = self._store.documents.by_hash(packed.sha256)
        if known is None or known.status in (DocumentStatus.FAILED, DocumentStatus.UNSUPPORTED):
            return False
        with self._store.transaction():
            if self._store.documents.link(LIBRARY_ID, known.id) and known.passages:
                self._store.jobs.add(JobKind.EMBED, known.id)  # its vectors are there: this puts them into the index
        self._known += 1
        return True

    def _keep_original(self, document: PackedDocument, file: Path) -> None:
        self._package.copy_original(document.sha256, file)
        sha256, size = self._store.originals.put(file)
        if (sha256, size) != (document.sha256, document.size):
            self._store.originals.remove(sha256)
            raise damaged()  # a document's bytes are another's

    def _add(self, packed: PackedDocument, vectors: bytes) -> None:
        store = self._store
        document = store.documents.by_hash(packed.sha256) or store.documents.add(
            name=packed.name, sha256=packed.sha256, size=packed.size
        )
        store.documents.link(LIBRARY_ID, document.id)
        embedded = bool(vectors) and self._local in (None, self._embedder)
        settled = embedded or not packed.passages
        store.documents.save_read(
            document.id, pages=packed.pages, passages=self._indexed(packed),
            status=packed.status if settled else DocumentStatus.SEARCHABLE,
            reason=packed.reason if settled else None, has_layout=packed.has_layout, encoding=packed.encoding,
        )  # fmt: skip
        store.fields.save_found(document.id, packed.fields)
        self._documents, self._passages = self._documents + 1, self._passages + len(packed.passages)
        if embedded:
            ids = store.vectors.missing(self._embedder, document.id)
            store.vectors.save(self._embedder, ids, vectors)
            self._fresh.append(document.id)
        elif not settled:
            store.jobs.add(JobKind.EMBED, document.id)
            self._to_embed += 1

    def _indexed(self, packed: PackedDocument) -> list[IndexedPassage]:
        drafts = packed.drafts()
        if self._package.manifest.indexing != INDEXING:
            return [index_passage(draft) for draft in drafts]
        return [
            IndexedPassage(draft=draft, tokens=passage.tokens, facts=passage.facts)
            for draft, passage in zip(drafts, packed.passages, strict=True)
        ]


def _complete(store: Store) -> tuple[list[Document], int]:
    everything = store.documents.of_case(LIBRARY_ID)
    readable = [document for document in everything if document.status.readable]
    if not readable:
        raise UserMistake("The law library is empty; add laws to it first.")
    unfinished = any(not document.status.settled for document in everything)
    if unfinished or store.jobs.waiting(JobKind.EMBED, LIBRARY_ID):
        raise UserMistake("The law library is still being indexed; export it when that is done.")
    for document in readable:
        if not store.originals.path(document.sha256).is_file():
            raise UserMistake(f"The original of '{document.name}' is gone; remove the document, then add it again.")
    return readable, len(everything) - len(readable)


def _embedder(store: Store, documents: Sequence[Document]) -> tuple[str, int]:
    """Whose vectors are exported, and how long they are; ("", 0) where there are none at all."""
    counts = store.vectors.embedders()
    if not any(counts.values()):
        return "", 0
    embedder = max(counts, key=lambda name: counts[name])
    for document in documents:
        if store.vectors.missing(embedder, document.id):
            raise UserMistake(
                f"'{document.name}' is found by keyword only; retry it, or remove it, then export the library."
            )
    return embedder, store.vectors.dimensions(embedder)


def _write(
    writer: PackageWriter, store: Store, documents: Sequence[Document], embedder: str, check: Check
) -> int:
    passages = 0

    def lines() -> Iterator[bytes]:
        nonlocal passages
        for number, document in enumerate(documents, 1):
            packed = _packed(store, document)
            passages += len(packed.passages)
            check(0.6 * number / len(documents))
            yield msgspec.json.encode(packed) + b"\n"

    writer.write(DOCUMENTS, lines())
    ids = [document.id for document in documents]
    batches = store.vectors.of_documents(embedder, ids) if embedder else iter(())
    writer.write(VECTORS, (batch.vectors for batch in batches))
    for number, document in enumerate(documents, 1):
        check(0.6 + 0.4 * number / len(documents))
        writer.write(ORIGINALS + document.sha256, _bytes_of(store.originals.path(document.sha256)))
    return passages


def _packed(store: Store, document: Document) -> PackedDocument:
    passages = store.documents.indexed_passages(document.id)
    return PackedDocument(
        name=document.name, sha256=document.sha256, size=document.size, status=document.status,
        reason=document.reason, has_layout=document.has_layout, encoding=document.encoding,
        pages=store.documents.pages(document.id, boxes=True), fields=store.fields.of_document(document.id),
        passages=tuple(_packed_passage(passage) for passage in passages),
    )  # fmt: skip


def _packed_passage(passage: IndexedPassage) -> PackedPassage:
    draft = passage.draft
    return PackedPassage(
        draft.page, draft.start, draft.end, draft.heading, draft.article, passage.tokens, passage.facts
    )


def _bytes_of(path: Path) -> Iterator[bytes]:
    with path.open("rb") as source:
        while chunk := source.read(CHUNK):
            yield chunk


def _partial(target: Path) -> Path:
    try:
        handle, name = tempfile.mkstemp(prefix=".", suffix=".partial", dir=target.absolute().parent)
        os.close(handle)
    except OSError as error:
        raise _unwritable(target, error) from error
    return Path(name)


def _sync(path: Path) -> None:
    with path.open("rb") as written:
        os.fsync(written.fileno())


def _unwritable(target: Path, error: OSError) -> UserMistake:
    return UserMistake(f"'{target.name}' can't be written ({error.strerror}); choose another place or make room.")
