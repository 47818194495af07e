"""The thread that has files read."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from aipc_app.domain.documents import Document, DocumentStatus, Member
from aipc_app.domain.jobs import Job, JobKind
from aipc_app.domain.reader_wire import ReadLimits
from aipc_app.errors import (
    AipcError,
    Cancelled,
    DocumentError,
    PasswordNeeded,
    StorageError,
    UnsupportedFormat,
    UserMistake,
    WorkerDied,
)
from aipc_app.ingest.announce import Announcer
from aipc_app.ingest.embedding import EmbedLane
from aipc_app.ingest.intake import TakenMember, take_in
from aipc_app.ingest.lane import log_bug
from aipc_app.ingest.pace import Pace
from aipc_app.ingest.pipeline import ReadResult, read_document
from aipc_app.ingest.ports import FileReader
from aipc_app.ingest.working import MOST_ATTEMPTS, WorkLane
from aipc_app.settings.model import Settings
from aipc_app.store import Store

_STOPPED = "Reading it was stopped; retry to read it."
_BUG = "The program failed on this file; retry, and report it if it stays."


class ReadLane(WorkLane):
    """Reads one file after the other; what is read is handed on to be embedded while the next is read.

    Several may work side by side, each with a reader of its own.
    """

    def __init__(
        self,
        store: Store,
        reader: FileReader,
        settings: Callable[[], Settings],
        announcer: Announcer,
        embedding: EmbedLane,
        pace: Pace,
        beside: ReadLane | None = None,
    ) -> None:
        """`beside`: the first of several such lanes; this one shares its passwords."""
        super().__init__(JobKind.READ, store, announcer, pace, "" if beside is None else "-more")
        self._reader, self._settings, self._embedding = reader, settings, embedding
        self._passwords: dict[int, str] = {} if beside is None else beside._passwords
        self._swept = beside is not None

    def queue(self, document: Document, password: str | None) -> None:
        """Have a document read, anew if it was read before; the caller wakes the lane when that is durable."""
        if password is not None:
            self._passwords[document.id] = password
        with self._store.transaction():
            self._store.jobs.add(JobKind.READ, document.id)
            self._store.documents.set_status(document.id, DocumentStatus.QUEUED)

    def forget(self, document_id: int) -> None:
        super().forget(document_id)
        self._passwords.pop(document_id, None)

    def _next(self) -> float | None:
        if not self._swept:
            self._store.originals.sweep()
            self._swept = True
        with self._taken() as job:
            if job is None:
                return None
            self._run_job(job)
        return 0.0

    def _run_job(self, job: Job) -> None:
        try:
            document = self._store.documents.get(job.document_id)
            self._store.documents.set_status(document.id, DocumentStatus.READING)
            self._announce(document.id)
            started = time.monotonic()
            result = self._read(job, document)
            self._save(job, document, result)
            self._pace.note_read(document.size, len(result.passages), time.monotonic() - started)
        except StorageError:
            self._put_back(job, DocumentStatus.QUEUED)
            raise
        except (Cancelled, WorkerDied) as error:
            self._interrupted(job, error)
        except DocumentError as error:
            self._failed(job, error)
        except UserMistake:
            pass  # it was removed while it was read; its job went with it
        except Exception as error:
            log_bug(error)
            self._settle(job, DocumentStatus.FAILED, _BUG, retryable=True)
        finally:
            self._pace.note_ended(job.document_id)
        self._announce(job.document_id)

    def _read(self, job: Job, document: Document) -> ReadResult:
        reading, started = self._settings().reading, time.monotonic()
        return read_document(
            self._reader,
            self._store,
            document,
            limits=ReadLimits(seconds=reading.seconds_per_file, memory_bytes=reading.memory_mib_per_file << 20),
            password=self._passwords.get(document.id),
            on_fraction=lambda fraction: self._done_so_far(job, document, fraction, started),
            cancel=self._cancel,
        )

    def _done_so_far(self, job: Job, document: Document, fraction: float, started: float) -> None:
        self._progress(job, fraction)
        self._pace.note_running(document.id, document.size, fraction, time.monotonic() - started)

    def _save(self, job: Job, document: Document, result: ReadResult) -> None:
        """Pages, passages, words and the next job, durable together: from here on it is found by keyword."""
        if document.passages:
            self._embedding.remove_vectors(document.id)  # first: it must not meet the new ones
        status = DocumentStatus.SEARCHABLE if result.passages else DocumentStatus.INDEXED_WITH_GAPS
        with self._store.transaction():
            self._store.documents.save_read(
                document.id, pages=result.pages, passages=result.passages, status=status, reason=result.reason,
                has_layout=result.has_layout, encoding=result.encoding,
            )  # fmt: skip
            self._store.fields.save_found(document.id, result.fields)
            self._store.corrections.note_read(document.id, result.read)
            if result.passages:
                self._store.jobs.add(JobKind.EMBED, document.id)
            self._take_members(document, result)
            self._store.jobs.finish(job.id)
        self._passwords.pop(document.id, None)
        self._announce(document.id, content=True)
        self._embedding.wake()

    def _take_members(self, document: Document, result: ReadResult) -> None:
        """Files inside it become documents of the cases it is in; its password is tried on them too."""
        cases = self._store.documents.cases_of(document.id)
        password = self._passwords.get(document.id)
        self._store.members.save(document.id, [self._member(document, one, cases, password) for one in result.members])

    def _member(
        self, container: Document, found: TakenMember, cases: Sequence[int], password: str | None
    ) -> Member:
        if found.problem:
            return Member(name=found.name, problem=found.problem)
        taken = take_in(self._store, f"{container.name}/{found.name}", found.sha256, found.size, cases)
        if taken.to_read:
            self.queue(taken.document, password)
        elif taken.newly_linked and taken.document.passages:
            self._embedding.queue(taken.document)
        return Member(name=found.name, document_id=taken.document.id, was_known=not taken.to_read)

    def _interrupted(self, job: Job, error: AipcError) -> None:
        if self.stopping:
            self._put_back(job, DocumentStatus.QUEUED)
        elif isinstance(error, Cancelled):
            with self._store.transaction():
                self._cancelled(job)
        else:
            self._again_or_never(job, error.message, retryable=True)

    def _failed(self, job: Job, error: DocumentError) -> None:
        if isinstance(error, UnsupportedFormat):
            self._settle(job, DocumentStatus.UNSUPPORTED, error.message, retryable=False)
        elif isinstance(error, PasswordNeeded):
            self._settle(job, DocumentStatus.FAILED, error.message, retryable=True)  # by who knows the password
        elif error.retryable:
            self._again_or_never(job, error.message, retryable=True)
        else:
            self._settle(job, DocumentStatus.FAILED, error.message, retryable=False)

    def _again_or_never(self, job: Job, reason: str, *, retryable: bool) -> None:
        if job.attempts >= MOST_ATTEMPTS:
            self._settle(job, DocumentStatus.FAILED, reason, retryable=retryable)
            return
        with self._store.transaction():
            self._store.jobs.fail(job.id, reason, retry=True)
            self._store.documents.set_status(job.document_id, DocumentStatus.QUEUED, reason=reason)

    def _settle(self, job: Job, status: DocumentStatus, reason: str, *, retryable: bool) -> None:
        with self._store.transaction():
            self._store.jobs.fail(job.id, reason, retry=False)
            self._store.documents.set_status(job.document_id, status, reason=reason, retryable=retryable)

    def _cancelled(self, job: Job) -> None:
        self._store.jobs.cancel(job.id)
        self._store.documents.set_status(job.document_id, DocumentStatus.FAILED, reason=_STOPPED, retryable=True)
