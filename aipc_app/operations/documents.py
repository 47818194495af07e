"""Documents of a case: add, list, order, remove, read, draw."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

from aipc_app.domain.documents import Document, Page
from aipc_app.domain.jobs import Changes, Indexing, Job, JobsGlance
from aipc_app.domain.reader_wire import PageRendered
from aipc_app.errors import UserMistake
from aipc_app.ingest.queue import Added
from aipc_app.ingest.report import IngestReport
from aipc_app.ingest.sources import expand
from aipc_app.operations.op import Emit, Op, simply
from aipc_app.operations.services import Services


def add_files(
    services: Services, *, case_id: int, paths: Sequence[Path], password: str | None = None
) -> Op[tuple[Added, ...]]:
    """Take files and folders in: hashed, stored, queued. Reading goes on in the background."""
    return Op("add files", lambda _emit, _cancel: _add(services, case_id, paths, password))


def add_and_wait(
    services: Services, *, case_id: int, paths: Sequence[Path], password: str | None = None
) -> Op[tuple[IngestReport, ...]]:
    """Like `add_files`, and wait until everything is indexed. Emits IngestProgress."""
    return Op("add files", lambda emit, cancel: _add_and_wait(services, case_id, paths, password, emit, cancel))


def list_documents(services: Services, *, case_id: int) -> Op[tuple[Document, ...]]:
    """The case's documents in its own order."""
    return simply("list documents", lambda: services.store.documents.of_case(case_id))


def remove_document(services: Services, *, case_id: int, document_id: int) -> Op[bool]:
    """Unlink; True when it was the last link and the document itself is gone."""
    return simply("remove document", lambda: _remove(services, case_id, document_id))


def reorder_documents(services: Services, *, case_id: int, document_ids: Sequence[int]) -> Op[None]:
    """Fix the case's order. It is the prompt's order too: what comes after the first change is read again."""
    return simply("order documents", lambda: _reorder(services, case_id, document_ids))


def retry_document(services: Services, *, document_id: int, password: str | None = None) -> Op[None]:
    """Read it again, with a password if it needs one."""
    return simply("retry document", lambda: services.ingest.retry(document_id, password=password))


def cancel_document(services: Services, *, document_id: int) -> Op[None]:
    """Stop reading it; what was read so far is dropped."""
    return simply("cancel document", lambda: services.ingest.cancel(document_id))


def jobs_at_a_glance(services: Services) -> Op[JobsGlance]:
    """Which documents have work to come, and how many failed."""
    return simply("look at jobs", services.store.jobs.glance)


def foremost_jobs(services: Services, *, most: int) -> Op[tuple[Job, ...]]:
    """Work that runs, has failed or waits, in this order; at most so much of it."""
    return simply("list jobs", lambda: services.store.jobs.foremost(most))


def list_running(services: Services) -> Op[tuple[Job, ...]]:
    """Work that is under way just now."""
    return simply("list running jobs", services.store.jobs.running)


def indexing(services: Services) -> Op[Indexing]:
    """Whether indexing is paused, what waits, and how long that will take."""
    return simply("indexing", services.ingest.indexing)


def pause_indexing(services: Services, *, on: bool) -> Op[Indexing]:
    """Begin nothing new, or go on. A file that is being read is read to its end."""
    return simply("pause indexing", lambda: _pause(services, on))


def get_document(services: Services, *, document_id: int) -> Op[Document]:
    return simply("get document", lambda: services.store.documents.get(document_id))


def read_pages(services: Services, *, document_id: int, page: int | None = None) -> Op[tuple[Page, ...]]:
    """Stored pages with their text, or one of them with its boxes. Raises UserMistake for a page that isn't there."""
    return simply("read pages", lambda: _pages(services, document_id, page))


def render_page(services: Services, *, document_id: int, page: int, scale: float) -> Op[PageRendered]:
    """Draw a page in the reader's own lane; `scale` is pixels per point."""
    return simply("draw page", lambda: _render(services, document_id, page, scale))


def original_path(services: Services, *, document_id: int) -> Op[Path]:
    """The stored original; read-only."""
    return simply(
        "open original",
        lambda: services.store.originals.path(services.store.documents.get(document_id).sha256),
    )


def _pause(services: Services, on: bool) -> Indexing:
    (services.ingest.pause if on else services.ingest.resume)()
    services.changes.publish(Changes(jobs=True))
    return services.ingest.indexing()


def _add(services: Services, case_id: int, paths: Sequence[Path], password: str | None) -> tuple[Added, ...]:
    sources = expand(paths, leave_out=services.home.root)
    if not sources:
        raise UserMistake("There are no files in what was given.")
    return services.ingest.add(case_id, sources, password=password)


def _add_and_wait(
    services: Services,
    case_id: int,
    paths: Sequence[Path],
    password: str | None,
    emit: Emit,
    cancel: threading.Event,
) -> tuple[IngestReport, ...]:
    added = _add(services, case_id, paths, password)
    return services.ingest.wait(added, emit, cancel)


def _remove(services: Services, case_id: int, document_id: int) -> bool:
    services.store.documents.get(document_id)
    if case_id not in services.store.documents.cases_of(document_id):
        raise UserMistake(f"Document {document_id} does not belong to this case; see 'aipc documents'.")
    with services.ahead.at_rest():
        services.memory.owe_document(case_id, document_id)  # before it goes, so that a kill can't leave it undone
        last = services.ingest.unlink(case_id, document_id)
    services.changes.publish(Changes(cases=True, documents=frozenset({case_id})))
    return last


def _reorder(services: Services, case_id: int, document_ids: Sequence[int]) -> None:
    services.store.documents.reorder(case_id, document_ids)
    services.changes.publish(Changes(documents=frozenset({case_id})))


def _pages(services: Services, document_id: int, number: int | None) -> tuple[Page, ...]:
    if number is None:
        services.store.documents.get(document_id)
        return services.store.documents.pages(document_id)
    return (services.store.documents.page(document_id, number),)


def _render(services: Services, document_id: int, page: int, scale: float) -> PageRendered:
    document = services.store.documents.get(document_id)
    return services.reader.render(services.store.originals.path(document.sha256), document.name, page, scale)
