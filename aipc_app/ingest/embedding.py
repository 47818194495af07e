"""The thread that has passages embedded, and keeps the vector index in step with the store."""

from __future__ import annotations

import threading
import time
from collections import deque

from aipc_app.domain.documents import Document, DocumentStatus
from aipc_app.domain.jobs import Job, JobKind
from aipc_app.errors import (
    AipcError,
    Cancelled,
    EncoderUnavailable,
    IndexDamaged,
    StorageError,
    UserMistake,
    WorkerDied,
)
from aipc_app.ingest.announce import Announcer
from aipc_app.ingest.lane import Backoff, log_bug
from aipc_app.ingest.pace import Pace
from aipc_app.ingest.pipeline import EmbedderChanged, embed_document, settled
from aipc_app.ingest.ports import PassageEncoder, collection_of
from aipc_app.ingest.reconcile import queue_embedding, rebuild_vectors
from aipc_app.ingest.working import MOST_ATTEMPTS, WorkLane
from aipc_app.log import INGEST
from aipc_app.store import Store
from aipc_app.workers.encoder_states import Unavailable

ENCODER_PATIENCE_S = 180.0  # an encoder that isn't there for so long is not waited for by `wait`
_STOPPED = "It is found by keyword only, because comparing its meaning was stopped; retry to complete it."
_FAILED = "It is found by keyword only, because the part that compares meanings failed on it; retry to complete it."


class _LetOthersGo(Exception):
    """A document that somebody looks at waits, or the queue is paused: this one goes on later."""


class EmbedLane(WorkLane):
    """Embeds one document after the other. Without an encoder everything stays queued until there is one."""

    def __init__(self, store: Store, encoder: PassageEncoder, announcer: Announcer, pace: Pace) -> None:
        super().__init__(JobKind.EMBED, store, announcer, pace)
        self._encoder = encoder
        self._backoff_encoder, self._backoff_index = Backoff(), Backoff()
        self._unavailable = False
        self._missed_since: float | None = None
        self._ask_again_at = 0.0
        self._removals: deque[tuple[int, int]] = deque()
        self._given_up: set[tuple[str, int]] = set()  # not queued again by itself: it may kill every encoder
        self._index_in_doubt = threading.Event()
        self._index_in_doubt.set()
        encoder.subscribe(self._encoder_changed)

    @property
    def absent(self) -> bool:
        """There is work and no encoder, for now or for good: nobody can say how long vectors will take."""
        return self._unavailable or self._missed_since is not None

    @property
    def stalled(self) -> bool:
        """There will be no encoder on this computer, or there was none for a long time while there was work."""
        if self._unavailable:
            return True
        since = self._missed_since
        return since is not None and time.monotonic() - since > ENCODER_PATIENCE_S

    def queue(self, document: Document) -> None:
        """Have a document's passages embedded, and put into the index of every case; the caller wakes the lane."""
        self._store.jobs.add(JobKind.EMBED, document.id)

    def wanted_alone(self, document: Document) -> bool:
        """Nothing but vectors is missing of it."""
        _, page_gaps = settled(self._store, document)
        return page_gaps is None and document.status is not DocumentStatus.INDEXED

    def remove_vectors(self, document_id: int, case_id: int | None = None) -> None:
        """Take a document out of the index of a case, or of all its cases, as soon as there is an encoder.

        What is lost of this by a kill shows at the next start, when the counts differ.
        """
        cases = self._store.documents.cases_of(document_id) if case_id is None else (case_id,)
        self._removals.extend((one, document_id) for one in cases)
        self.wake()

    def check_index(self) -> None:
        self._index_in_doubt.set()
        self.wake()

    def _encoder_changed(self, state: object = None) -> None:
        """It came, went, or lost its index: look before anything else is put in. On the encoder's thread."""
        self._unavailable = isinstance(state, Unavailable)
        self.check_index()

    def _next(self) -> float | None:
        if self._paused:
            return None
        embedder = self._encoder.embedder if self._encoder.ready else None
        if embedder is None:
            return self._without_encoder()
        self._missed_since, self._ask_again_at = None, 0.0
        self._backoff_encoder.reset()
        try:
            self._put_index_in_order(embedder)
        except AipcError as error:
            return self._index_failed(error)
        self._backoff_index.reset()
        with self._taken() as job:
            if job is None:
                return None
            self._run_job(job, embedder)
        return 0.0

    def _without_encoder(self) -> float | None:
        """Ask for one if there is work, and look again later and later; its coming wakes us."""
        if not self._removals and not self._store.jobs.any_unfinished(self._kind):
            self._missed_since = None
            return None
        if self._missed_since is None:
            self._missed_since = time.monotonic()
        if (pause := self._ask_again_at - time.monotonic()) > 0:
            return pause
        self._encoder.start()
        if self._encoder.ready:
            return 0.0
        pause = self._backoff_encoder.next_pause_s()
        self._ask_again_at = time.monotonic() + pause
        return pause

    def _put_index_in_order(self, embedder: str) -> None:
        while self._removals:
            case_id, document_id = self._removals[0]
            self._encoder.index_remove(collection_of(case_id), document_id)
            self._removals.popleft()
        if self._index_in_doubt.is_set():
            self._index_in_doubt.clear()
            try:
                given_up = frozenset(id_ for name, id_ in self._given_up if name == embedder)
                queue_embedding(self._store, embedder, but=given_up)
                rebuild_vectors(self._store, self._encoder, embedder)
            except BaseException:
                self._index_in_doubt.set()
                raise

    def _index_failed(self, error: AipcError) -> float:
        if isinstance(error, StorageError):
            raise error
        INGEST.warning("the vector index could not be put in order: %s", type(error).__name__)
        return self._backoff_index.next_pause_s()

    def _run_job(self, job: Job, embedder: str) -> None:
        try:
            self._attempt(job, embedder)
        except UserMistake:
            pass  # it was removed meanwhile; its job went with it
        self._announce(job.document_id)

    def _attempt(self, job: Job, embedder: str) -> None:
        started, missing = time.monotonic(), len(self._store.vectors.missing(embedder, job.document_id))
        try:
            embed_document(
                self._encoder,
                self._store,
                job.document_id,
                embedder,
                on_fraction=lambda fraction: self._progress(job, fraction),
                check=lambda: self._check(job),
                cancel=self._cancel,
            )
            self._finish(job, embedder)
            self._pace.note_embedded(missing, time.monotonic() - started)
        except StorageError:
            self._put_back(job)
            raise
        except (_LetOthersGo, EmbedderChanged, EncoderUnavailable):
            self._put_back(job)
        except Cancelled:
            self._stopped(job)
        except (WorkerDied, IndexDamaged):
            self._index_in_doubt.set()
            self._again_or_never(job, embedder)
        except UserMistake:
            raise
        except Exception as error:
            log_bug(error)
            self._index_in_doubt.set()
            self._again_or_never(job, embedder)

    def _check(self, job: Job) -> None:
        """Between batches: is this still what should be done?"""
        if self._cancel.is_set():
            raise Cancelled
        preferred = self._preferred
        if self._paused:
            raise _LetOthersGo
        if preferred is None or preferred in self._store.documents.cases_of(job.document_id):
            return
        if self._store.jobs.waiting(JobKind.EMBED, preferred):
            raise _LetOthersGo

    def _finish(self, job: Job, embedder: str) -> None:
        with self._store.transaction():
            document = self._store.documents.get(job.document_id)
            status, reason = settled(self._store, document)
            if document.status.readable:
                self._store.documents.set_status(document.id, status, reason=reason)
            self._store.vectors.drop_others(embedder, document.id)
            self._store.jobs.finish(job.id)

    def _stopped(self, job: Job) -> None:
        if self.stopping:
            self._put_back(job)
            return
        with self._store.transaction():
            self._cancelled(job)

    def _again_or_never(self, job: Job, embedder: str) -> None:
        if self.stopping:
            self._put_back(job)
        elif job.attempts < MOST_ATTEMPTS:
            self._store.jobs.fail(job.id, _FAILED, retry=True)
        else:
            self._given_up.add((embedder, job.document_id))
            with self._store.transaction():
                self._store.jobs.fail(job.id, _FAILED, retry=False)
                self._keyword_only(job.document_id, _FAILED)

    def _cancelled(self, job: Job) -> None:
        self._store.jobs.cancel(job.id)
        self._keyword_only(job.document_id, _STOPPED)

    def _keyword_only(self, document_id: int, reason: str) -> None:
        """Settle a document whose vectors will not come by themselves."""
        document = self._store.documents.get(document_id)
        if document.status is DocumentStatus.SEARCHABLE:
            _, page_gaps = settled(self._store, document)
            self._store.documents.set_status(
                document_id, DocumentStatus.INDEXED_WITH_GAPS, reason=" ".join(filter(None, (page_gaps, reason))),
                retryable=True,
            )  # fmt: skip
