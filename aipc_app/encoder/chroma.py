"""The vector index on disk, by Chroma. Disposable: whatever is wrong with it, it is emptied and rebuilt."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import chromadb
from chromadb.api.shared_system_client import SharedSystemClient
from chromadb.config import Settings
from chromadb.errors import ChromaError, NotFoundError

from aipc_app.encoder.embedder import Matrix
from aipc_app.encoder.errors import EncoderError, IndexDamaged
from aipc_app.encoder.vector_index import Near

_DATABASE = "chroma.sqlite3"
_LOADING, _UNKNOWN = "loading", "not-filled-yet"
_DOCUMENT = "document_id"
# Chroma writes a collection's graph to disk each time this many vectors came in, and replays fewer than this
# when it is opened: larger makes adding faster and the first search after a start slower.
_SYNC_EVERY = 2_000
# Measured on 20,000 vectors (tests/bench/vector_index.py): with these 0.996 of the ten nearest are found; with 16
# neighbours and a search of 100 it was 0.96.
_GRAPH = {
    "space": "cosine", "max_neighbors": 24, "ef_construction": 128, "ef_search": 200, "sync_threshold": _SYNC_EVERY,
}
_PROBE_LIMIT = 2 * _SYNC_EVERY
_PROBE_SHARE = 0.8
# SQLite's result codes (sqlite.org/rescode.html) that say the disk is at fault, not the content.
_DISK_CODES = {3: "no permission", 8: "read-only", 10: "the disk fails", 13: "the disk is full", 14: "no access"}
_MOVED = 1032  # the database file was deleted or renamed under SQLite
_CODE = re.compile(r"\(code: (\d+)\)")


class ChromaIndex:
    """VectorIndex in a folder. Made for one embedder: its folder is named after the embedder's identity.

    A new index, also one made anew after damage, raises IndexDamaged for searches until someone counts or
    fills it, so that nobody takes its empty answer for "nothing found".
    """

    def __init__(self, folder: Path) -> None:
        """Open or create. Raises EncoderError when the folder can't be written. Damage found here is kept for later."""
        self._folder = folder
        self._collections: dict[str, Any] = {}
        self._is_unknown = False
        try:
            if (folder / _LOADING).exists():
                raise IndexDamaged("The index for search by meaning can't be loaded; it has to be rebuilt.")
            self._client = self._open()
        except IndexDamaged:
            self._start_afresh()

    def add(self, collection: str, passage_ids: Sequence[int], document_ids: Sequence[int], vectors: Matrix) -> None:
        with self._guarded():
            self._now_known()
            if passage_ids:
                self._collection(collection, create=True).upsert(
                    ids=[str(passage_id) for passage_id in passage_ids],
                    embeddings=vectors,
                    metadatas=[{_DOCUMENT: document_id} for document_id in document_ids],
                )

    def remove(self, collection: str, document_id: int | None) -> None:
        with self._guarded():
            self._now_known()
            found = self._collection(collection)
            if found is None:
                return
            if document_id is None:
                del self._collections[collection]
                self._client.delete_collection(collection)
            else:
                found.delete(where={_DOCUMENT: document_id})

    def search(
        self, collection: str, vector: Matrix, limit: int, document_ids: Sequence[int] | None = None
    ) -> Near:
        with self._guarded():
            if self._is_unknown:
                raise IndexDamaged("The index for search by meaning is new and empty; it has to be filled.")
            found = self._collection(collection)
            if found is None or limit < 1 or (document_ids is not None and not document_ids):
                return Near((), ())
            where = None if document_ids is None else {_DOCUMENT: {"$in": list(document_ids)}}
            result = found.query(query_embeddings=[vector], n_results=limit, where=where, include=["distances"])
            ids, distances = result["ids"][0], result["distances"][0]
            return Near(tuple(int(id_) for id_ in ids), tuple(1.0 - float(distance) for distance in distances))

    def count(self, collection: str) -> int:
        with self._guarded():
            self._now_known()
            found = self._collection(collection)
            return 0 if found is None else int(found.count())

    def close(self) -> None:
        """Let go of the files."""
        self._collections.clear()
        self._client.close()

    def _collection(self, name: str, *, create: bool = False) -> Any:
        if name in self._collections:
            return self._collections[name]
        try:
            # No embedding function: Chroma's default would fetch a model from the network.
            found = self._client.get_collection(name, embedding_function=None)
            with self._loading():
                _probe(found)
        except NotFoundError:
            if not create:
                return None
            found = self._client.create_collection(name, embedding_function=None, configuration={"hnsw": _GRAPH})
        self._collections[name] = found
        return found

    @contextmanager
    def _loading(self) -> Iterator[None]:
        """A graph of nonsense can kill the process as it is loaded; the next one sees by a mark that it did."""
        mark = self._folder / _LOADING
        mark.touch()
        yield
        mark.unlink(missing_ok=True)

    def _now_known(self) -> None:
        """Whoever keeps the index in step with the store has seen how empty it is."""
        if self._is_unknown:
            (self._folder / _UNKNOWN).unlink(missing_ok=True)
            self._is_unknown = False

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Sort what Chroma raises, once: the disk's fault, or a damaged index, which is emptied."""
        try:
            self._notice_deletion()
            with _sorted_errors(self._folder):
                yield
        except IndexDamaged:
            if not self._is_unknown:
                self._start_afresh()
            raise

    def _notice_deletion(self) -> None:
        """SQLite goes on happily with a file that was deleted under it; nothing of that would be kept."""
        if self._inode() != self._opened_inode:
            raise IndexDamaged("The folder of the index for search by meaning was deleted; it has to be rebuilt.")

    def _inode(self) -> int:
        try:
            return (self._folder / _DATABASE).stat().st_ino
        except OSError:
            return -1

    def _start_afresh(self) -> None:
        self._collections.clear()
        if hasattr(self, "_client"):
            self._client.close()
        try:
            shutil.rmtree(self._folder)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise EncoderError(_unwritable(self._folder, error.strerror or "no access")) from error
        # A system that failed to open stays in Chroma's register and would be handed out again.
        SharedSystemClient.clear_system_cache()
        self._client = self._open()

    def _open(self) -> Any:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            if not (self._folder / _DATABASE).exists():
                (self._folder / _UNKNOWN).touch()
        except OSError as error:
            raise EncoderError(_unwritable(self._folder, error.strerror or "no access")) from error
        with _sorted_errors(self._folder):
            client = chromadb.PersistentClient(self._folder, settings=Settings(anonymized_telemetry=False))
        self._opened_inode = self._inode()
        self._is_unknown = (self._folder / _UNKNOWN).exists()
        return client


def _probe(collection: Any) -> None:
    """Raise IndexDamaged when the graph's files are gone: Chroma then answers with the few it replayed."""
    expected = min(int(collection.count()), _PROBE_LIMIT)
    if expected == 0:
        return
    one = collection.get(limit=1, include=["embeddings"])["embeddings"]
    found = collection.query(query_embeddings=one, n_results=expected, include=[])["ids"][0] if len(one) else ()
    if len(found) < _PROBE_SHARE * expected:
        raise IndexDamaged("The index for search by meaning is incomplete; it has to be rebuilt.")


@contextmanager
def _sorted_errors(folder: Path) -> Iterator[None]:
    """Raise EncoderError for the disk's faults, IndexDamaged for everything that Chroma itself raises."""
    try:
        yield
    except EncoderError:
        raise
    except BaseException as error:
        cause = _chroma_error(error)
        if cause is None:
            raise
        if why := _disk_fault(str(cause)):
            raise EncoderError(_unwritable(folder, why)) from error
        raise IndexDamaged("The index for search by meaning is damaged; it has to be rebuilt.") from error


def _chroma_error(error: BaseException | None) -> BaseException | None:
    """What Chroma raised first: its own tidying up after a failed opening raises another error over it."""
    while error is not None:
        # pyo3's panics can't be imported, and are no Exception on purpose.
        if isinstance(error, ChromaError) or type(error).__name__ == "PanicException":
            return error
        error = error.__context__
    return None


def _disk_fault(message: str) -> str | None:
    """What the disk did, when SQLite says that it was the disk."""
    found = _CODE.search(message)
    code = int(found[1]) if found else 0
    return None if code == _MOVED else _DISK_CODES.get(code & 0xFF)


def _unwritable(folder: Path, why: str) -> str:
    return f"The index for search by meaning in {folder} can't be used ({why}); make room there, or make it writable."
