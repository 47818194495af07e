"""Puts a text into a store as one read page, as ingest would."""

from __future__ import annotations

import hashlib

from aipc_app.domain.documents import DocumentStatus, Page, PageState
from aipc_app.ingest.metadata import recognise
from aipc_app.ingest.passages import drafts_of, index_passage
from aipc_app.store import Store


def put_text(store: Store, case: int, name: str, text: str) -> int:
    """The new document's id."""
    document = store.documents.add(name=name, sha256=hashlib.sha256(name.encode()).hexdigest(), size=len(text))
    page = Page(number=1, text=text, state=PageState.TEXT)
    store.documents.save_read(
        document.id, pages=(page,), passages=tuple(index_passage(one.draft) for one in drafts_of((page,))),
        status=DocumentStatus.INDEXED, reason=None, has_layout=False,
    )  # fmt: skip
    store.fields.save_found(document.id, recognise(name, (page,)))
    store.documents.link(case, document.id)
    return document.id
