"""What became of the files that were added, as contract.md words it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum

from msgspec import Struct

from aipc_app.domain.documents import Document, DocumentStatus, PageState
from aipc_app.errors import UserMistake
from aipc_app.ingest.sources import Source
from aipc_app.store import Store

KEYWORD_ONLY = "It is found by keyword only so far, because the part that compares meanings is not running."
_REMOVED = "It was removed before it was read."
_UNFINISHED = "It is not read yet; it goes on when the program runs."


class Added(Struct, frozen=True, kw_only=True):
    """One file taken in. `document` is None when it could not be, and `problem` says why.

    `duplicate`: its bytes were known, so the document they belong to was put in the case.
    """

    source: Source
    document: Document | None
    duplicate: bool = False
    problem: str | None = None


class IngestProgress(Struct, frozen=True):
    """How far a batch is: files done of all, and the share of the work from 0 to 1."""

    done: int
    total: int
    fraction: float


class ReportStatus(StrEnum):
    INDEXED = "indexed"
    INDEXED_WITH_GAPS = "indexed_with_gaps"
    DUPLICATE = "duplicate"
    FAILED = "failed"
    UNSUPPORTED = "unsupported"


class IngestReport(Struct, frozen=True, kw_only=True):
    """One line of `aipc add`; the fields are the contract's. `document_id` is None for a file that can't be read."""

    path: str
    document: str
    document_id: int | None
    status: ReportStatus
    pages: int = 0
    ocr_pages: tuple[int, ...] = ()
    empty_pages: tuple[int, ...] = ()
    garbled_pages: tuple[int, ...] = ()
    failed_pages: tuple[int, ...] = ()
    passages: int = 0
    seconds: float = 0.0
    reason: str | None = None
    encoding: str | None = None  # of text: the charset its bytes were found to be in


def document_ids(store: Store, added: Sequence[Added]) -> tuple[int | None, ...]:
    """The documents that `with_members` gives, None for files that were not taken in."""
    containers = store.members.containers()
    found: list[int | None] = []
    for one in added:
        id_ = one.document.id if one.document is not None else None
        found.append(id_)
        if id_ is not None and id_ in containers:
            found += [member.document_id for _, member in store.members.below(id_)]
    return tuple(found)


def with_members(store: Store, added: Sequence[Added]) -> tuple[Added, ...]:
    """Each file that was added, and behind it the files found inside it so far."""
    return tuple(each for one in added for each in (one, *_inside(store, one)))


def _inside(store: Store, added: Added) -> Iterator[Added]:
    if added.document is None or added.document.id not in store.members.containers():
        return
    for path, member in store.members.below(added.document.id):
        source = Source(
            path=added.source.path, name=f"{added.document.name}{path}", given=f"{added.source.given}{path}"
        )
        document = _known(store, member.document_id)
        duplicate = added.duplicate or member.was_known
        problem = member.problem or (_REMOVED if document is None else None)
        yield Added(source=source, document=document, duplicate=duplicate, problem=problem)


def _known(store: Store, document_id: int | None) -> Document | None:
    try:
        return store.documents.get(document_id) if document_id is not None else None
    except UserMistake:
        return None


def report(store: Store, added: Added, seconds: float) -> IngestReport:
    """What became of one added file, `seconds` of work later."""
    if added.document is None:
        return _failed(added, None, added.problem)
    try:
        document = store.documents.get(added.document.id)
    except UserMistake:
        return _failed(added, added.document.id, _REMOVED)
    status, reason = _outcome(document, added.duplicate)
    pages = store.documents.attention(document.id)
    return IngestReport(
        path=added.source.given, document=document.name, document_id=document.id, status=status,
        pages=document.pages, ocr_pages=pages[PageState.OCR], empty_pages=pages[PageState.EMPTY],
        garbled_pages=pages[PageState.GARBLED], failed_pages=pages[PageState.FAILED],
        passages=document.passages, seconds=round(seconds, 3), reason=reason, encoding=document.encoding or None,
    )  # fmt: skip


def _failed(added: Added, document_id: int | None, reason: str | None) -> IngestReport:
    return IngestReport(
        path=added.source.given, document=added.source.name, document_id=document_id,
        status=ReportStatus.FAILED, reason=reason,
    )  # fmt: skip


def _outcome(document: Document, duplicate: bool) -> tuple[ReportStatus, str | None]:
    """A known document is a duplicate only if there is something to ask of it."""
    match document.status:
        case DocumentStatus.FAILED:
            return ReportStatus.FAILED, document.reason
        case DocumentStatus.UNSUPPORTED:
            return ReportStatus.UNSUPPORTED, document.reason
        case DocumentStatus.QUEUED | DocumentStatus.READING:
            return ReportStatus.FAILED, _UNFINISHED
    if duplicate:
        return ReportStatus.DUPLICATE, document.reason
    if document.status is DocumentStatus.SEARCHABLE:
        return ReportStatus.INDEXED_WITH_GAPS, " ".join(filter(None, (document.reason, KEYWORD_ONLY)))
    return ReportStatus(document.status.value), document.reason
