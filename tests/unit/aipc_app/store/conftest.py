"""A real store in a temporary home, and short ways to fill it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from aipc_app.domain.documents import Document, DocumentStatus, Page, PageState, PassageDraft
from aipc_app.paths import Home
from aipc_app.store import IndexedPassage, Store


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture
def store(home: Home) -> Iterator[Store]:
    opened = Store.open(home)
    yield opened
    opened.close()


class Filler:
    """Puts documents in as the ingest would."""

    def __init__(self, store: Store, folder: Path) -> None:
        self._store, self._folder = store, folder

    def document(self, case_id: int, text: str = "甲方乙方", name: str | None = None) -> Document:
        """A queued document whose bytes are `text`, linked to the case."""
        source = self._folder / (name or f"{hashlib.sha256(text.encode()).hexdigest()[:8]}.txt")
        source.write_text(text, encoding="utf-8")
        sha256, size = self._store.originals.put(source)
        document = self._store.documents.add(name=source.name, sha256=sha256, size=size)
        self._store.documents.link(case_id, document.id)
        return document

    def read(self, document_id: int, texts: Sequence[str], facts: Sequence[tuple[tuple[str, str], ...]] = ()) -> None:
        """One page a text, one passage a page, tokens split at spaces."""
        pages = [Page(number=n, text=text, state=PageState.TEXT) for n, text in enumerate(texts, 1)]
        passages = [
            IndexedPassage(
                draft=PassageDraft(page=n, start=0, end=len(text), text=text),
                tokens=text.lower(),
                facts=facts[n - 1] if facts else (),
            )
            for n, text in enumerate(texts, 1)
        ]
        self._store.documents.save_read(
            document_id,
            pages=pages,
            passages=passages,
            status=DocumentStatus.SEARCHABLE,
            reason=None,
            has_layout=False,
        )


@pytest.fixture
def fill(store: Store, tmp_path: Path) -> Filler:
    folder = tmp_path / "dropped"
    folder.mkdir()
    return Filler(store, folder)
