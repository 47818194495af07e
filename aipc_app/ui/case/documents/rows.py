"""Rows of the list of documents, and what became of them since they were looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aipc_app.domain.documents import Document
from aipc_app.ui.case.documents.states import Badge, badge, remembered_badge


@dataclass(frozen=True)
class DocumentRow:
    """`progress` from 0 to 1 while it is worked on, else None. `remembered`: how much of it the model knows.

    `being_read`: the model is reading it just now. `gone`: its file was deleted in the folder that is watched.
    """

    document: Document
    included: bool = True
    progress: float | None = None
    remembered: float = 0.0
    being_read: bool = False
    gone: bool = False


@dataclass(frozen=True)
class Listing:
    """What is listed now, worked out against rows that were: the same order with others behind, or another order."""

    documents: tuple[Document, ...]
    version: int
    same_order: bool
    changed: tuple[int, ...] = ()  # places


def compared(rows: Sequence[DocumentRow], version: int, documents: tuple[Document, ...]) -> Listing:
    """Any thread: with thousands of documents it would hold the window up. `version`: the model's with these rows."""
    if len(documents) < len(rows):
        return Listing(documents, version, same_order=False)
    pairs = list(zip(rows, documents, strict=False))
    if any(row.document.id != document.id for row, document in pairs):
        return Listing(documents, version, same_order=False)
    changed = tuple(place for place, (row, document) in enumerate(pairs) if row.document != document)
    return Listing(documents, version, same_order=True, changed=changed)


def badge_of(row: DocumentRow) -> Badge:
    """How a row's state is told: once it is ready, what the model knows of it."""
    ready = badge(row.document.status)
    return remembered_badge(ready, row.document.status, row.remembered, row.being_read)
