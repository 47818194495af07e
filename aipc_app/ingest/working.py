"""What the reading and the embedding thread have in common: taking jobs, and being told about them."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from aipc_app.domain.documents import DocumentStatus
from aipc_app.domain.jobs import Changes, Job, JobKind, JobState
from aipc_app.ingest.announce import Announcer
from aipc_app.ingest.lane import Lane
from aipc_app.ingest.pace import Pace
from aipc_app.store import Store

MOST_ATTEMPTS = 2


class WorkLane(Lane):
    """A lane that does one kind of durable job, one job at a time."""

    def __init__(self, kind: JobKind, store: Store, announcer: Announcer, pace: Pace, name: str = "") -> None:
        super().__init__(f"ingest-{kind.value}{name}", self._next)
        self._kind, self._store, self._announcer, self._pace = kind, store, announcer, pace
        self._lock = threading.Lock()  # from taking a job until it can be cancelled
        self._document_id: int | None = None
        self._cancel = threading.Event()
        self._paused = False
        self._preferred: int | None = None
        self._seconds: dict[int, float] = {}

    def prefer(self, case_id: int) -> None:
        self._preferred = case_id
        self.wake()

    @property
    def paused(self) -> bool:
        return self._paused

    def pause(self, on: bool) -> None:
        self._paused = on
        self.wake()

    def ask_to_stop(self) -> None:
        super().ask_to_stop()
        with self._lock:
            self._cancel.set()

    def cancel(self, document_id: int) -> None:
        """Stop this kind of work on the document, whether it is queued or under way."""
        with self._lock:
            if self._document_id == document_id:
                self._cancel.set()
                return
            jobs = self._store.jobs.of_document(document_id)
            queued = [job for job in jobs if job.kind is self._kind and job.state is JobState.QUEUED]
            with self._store.transaction():
                for job in queued:
                    self._cancelled(job)
        if queued:
            self._announce(document_id)

    def forget(self, document_id: int) -> None:
        """The document is gone; so is what was to be done for it."""
        with self._lock:
            if self._document_id == document_id:
                self._cancel.set()
        self._seconds.pop(document_id, None)

    def seconds_spent(self, document_id: int) -> float:
        """How long this lane worked on the document since the program started."""
        return self._seconds.get(document_id, 0.0)

    def _next(self) -> float | None:
        raise NotImplementedError

    def _cancelled(self, job: Job) -> None:
        """Note that the user wanted no more of it; inside a transaction."""
        raise NotImplementedError

    @contextmanager
    def _taken(self) -> Iterator[Job | None]:
        """The next job, which can be cancelled until the block ends."""
        with self._lock:
            job = (
                None
                if self._paused or self.stopping
                else self._store.jobs.next([self._kind], prefer_case=self._preferred)
            )
            if job is not None:
                self._document_id, self._cancel = job.document_id, threading.Event()
        started = time.monotonic()
        try:
            yield job
        finally:
            with self._lock:
                self._document_id = None
            if job is not None:
                spent = self.seconds_spent(job.document_id) + time.monotonic() - started
                self._seconds[job.document_id] = spent

    def _progress(self, job: Job, fraction: float) -> None:
        self._store.jobs.progress(job.id, fraction)
        self._announcer.progressed()

    def _put_back(self, job: Job, status: DocumentStatus | None = None) -> None:
        """As if it had never been taken."""
        with self._store.transaction():
            self._store.jobs.postpone(job.id)
            if status is not None:
                self._store.documents.set_status(job.document_id, status)

    def _announce(self, document_id: int, *, content: bool = False) -> None:
        """Say that a document is in another state; `content`: its pages are other ones now."""
        self._announcer.changed(
            Changes(
                documents=frozenset(self._store.documents.cases_of(document_id)),
                pages=frozenset({document_id}) if content else frozenset(),
                jobs=True,
            )
        )
