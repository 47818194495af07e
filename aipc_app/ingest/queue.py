"""Documents on their way in: durable jobs, a thread that reads and one that embeds.

Files are copied, hashed and noted before anything slow, so that whatever dies, what is to be done is known.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Sequence

from aipc_app.domain.documents import Document, DocumentStatus
from aipc_app.domain.jobs import Changes, Indexing, JobKind
from aipc_app.errors import Cancelled, UserMistake
from aipc_app.ingest.announce import Announcer
from aipc_app.ingest.correcting import clean, correct
from aipc_app.ingest.embedding import EmbedLane
from aipc_app.ingest.intake import take_in
from aipc_app.ingest.pace import Pace
from aipc_app.ingest.pipeline import settled
from aipc_app.ingest.ports import FileReader, PassageEncoder
from aipc_app.ingest.reading import ReadLane
from aipc_app.ingest.report import Added, IngestProgress, IngestReport, document_ids, report, with_members
from aipc_app.ingest.sources import Source
from aipc_app.settings.model import Settings
from aipc_app.store import Store

__all__ = ["Added", "IngestQueue"]

_STOP_WITHIN_S = 2.0
_MANY, _LOOKING_SHARE = 200, 5.0
_LOOK_EVERY_S = 0.2  # how soon `wait` sees that it was cancelled


class IngestQueue:
    """Takes files in and works them off. Every method may be called from any thread.

    `on_changes` is called on the threads that make changes and must be quick.
    """

    def __init__(
        self,
        store: Store,
        reader: FileReader,
        encoder: PassageEncoder,
        settings: Callable[[], Settings],
        on_changes: Callable[[Changes], None],
        *,
        readers: int = 1,
    ) -> None:
        """`readers`: how many files are read at once, as many as the reader has workers."""
        self._store = store
        self._announcer, self._pace = Announcer(on_changes), Pace()
        self._embedding = EmbedLane(store, encoder, self._announcer, self._pace)
        read = (store, reader, settings, self._announcer, self._embedding, self._pace)
        self._reading = ReadLane(*read)
        self._readers = (self._reading, *(ReadLane(*read, beside=self._reading) for _ in range(readers - 1)))
        self._lanes = (*self._readers, self._embedding)

    def start(self) -> None:
        """Queue again what a kill left behind, and begin. Raises StorageError."""
        with self._store.transaction():
            self._store.jobs.requeue_running()
            self._store.documents.requeue_reading()
        for lane in self._lanes:
            lane.start()

    def stop(self) -> None:
        """End both threads, within two seconds: what is under way is queued again for the next start."""
        for lane in self._lanes:
            lane.ask_to_stop()
        deadline = time.monotonic() + _STOP_WITHIN_S
        for lane in self._lanes:
            lane.join(max(0.0, deadline - time.monotonic()))

    def add(self, case_id: int, sources: Sequence[Source], password: str | None = None) -> tuple[Added, ...]:
        """Take files into a case; on return each is copied and its work queued. The password is never stored.

        A file that can't be read is told in its `Added` and stops no other. Raises UserMistake for an unknown
        case, StorageError when the home can't be written.
        """
        self._store.cases.get(case_id)
        return tuple(self._add(case_id, source, password) for source in sources)

    def wait(
        self,
        added: Sequence[Added],
        on_progress: Callable[[IngestProgress], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> tuple[IngestReport, ...]:
        """Wait until nothing more happens to these files and those inside them, and report each.

        Where no encoder can be had, documents that can be found by keyword count as done. Raises Cancelled (the
        work goes on), StorageError when the home can't be written any more.
        """
        while True:
            version, looked = self._announcer.version, time.monotonic()
            if cancel is not None and cancel.is_set():
                raise Cancelled
            everything = document_ids(self._store, added)
            ids = frozenset(id_ for id_ in everything if id_ is not None)
            shares = self._shares(ids)
            done = sum(id_ is None or shares.get(id_, 1.0) >= 1.0 for id_ in everything)
            if on_progress is not None:
                unread = len(ids) - len(shares)
                on_progress(IngestProgress(done, len(everything), (sum(shares.values()) + unread) / max(1, len(ids))))
            if done == len(everything) == len(document_ids(self._store, added)):  # none came up meanwhile
                return tuple(self._report(one) for one in with_members(self._store, added))
            self._raise_problem()
            self._announcer.wait_beyond(version, _LOOK_EVERY_S)
            if len(ids) > _MANY:  # looking at thousands takes time that they need themselves
                (cancel or threading.Event()).wait(min(1.0, _LOOKING_SHARE * (time.monotonic() - looked)))

    def cancel(self, document_id: int) -> None:
        """Stop working on a document; what was not finished can be retried."""
        for lane in self._lanes:
            lane.cancel(document_id)

    def retry(self, document_id: int, password: str | None = None) -> None:
        """Do again what failed: reading, or only the vectors when all pages are there. Raises UserMistake."""
        document = self._store.documents.get(document_id)
        if document.status.readable and self._embedding.wanted_alone(document):
            self._embedding.queue(document)
        else:
            self._reading.queue(document, password)
        cases = frozenset(self._store.documents.cases_of(document_id))
        self._announcer.changed(Changes(documents=cases, jobs=True))
        self._wake()

    def correct(self, document_id: int, number: int, text: str | None) -> None:
        """Take the user's text for a page; None: what was read stands again. Search and passages follow at once.

        Raises UserMistake for a document that is being read, and for a page that isn't there.
        """
        document = self._store.documents.get(document_id)
        if not document.status.readable:
            raise UserMistake("This document is not read yet; correct it when it is.")
        changed = correct(self._store, document, number, None if text is None else clean(text))
        self._embedding.remove_vectors(document_id)  # first: it must not meet the new ones
        with self._store.transaction():
            if text is None:
                self._store.corrections.drop(document_id, number)
            else:
                self._store.corrections.save(document_id, changed.read, changed.page.text)
            self._store.documents.save_page(
                document_id, changed.page, gone=changed.gone, passages=changed.passages,
                status=DocumentStatus.SEARCHABLE, reason=None,
            )  # fmt: skip
            self._settle_corrected(document_id)
        cases = frozenset(self._store.documents.cases_of(document_id))
        self._announcer.changed(Changes(documents=cases, pages=frozenset({document_id}), jobs=True))
        self._wake()

    def _settle_corrected(self, document_id: int) -> None:
        document = self._store.documents.get(document_id)
        if document.passages:
            self._store.jobs.add(JobKind.EMBED, document_id)
        else:
            status, reason = settled(self._store, document)
            self._store.documents.set_status(document_id, status, reason=reason)

    def prefer(self, case_id: int) -> None:
        """Documents of this case, which somebody looks at, go first."""
        for lane in self._lanes:
            lane.prefer(case_id)

    def pause(self) -> None:
        """Begin nothing new until `resume`; vectors stop at once, a file that is being read is read to its end."""
        for lane in self._lanes:
            lane.pause(True)

    def resume(self) -> None:
        """Go on after `pause`."""
        for lane in self._lanes:
            lane.pause(False)

    def indexing(self) -> Indexing:
        """Whether it is paused, what waits, and how long that will take."""
        pending = self._store.jobs.pending_work()
        left = self._pace.seconds_left(pending, readers=len(self._readers), embeds=not self._embedding.absent)
        return Indexing(paused=self._reading.paused, pending=pending, seconds_left=left)

    def unlink(self, case_id: int, document_id: int) -> bool:
        """Take a document out of a case, out of its vectors too. True: it was the last case, it is gone for good.

        Raises UserMistake when it isn't in the case.
        """
        last = self._store.documents.unlink(case_id, document_id)
        if last:
            for lane in self._lanes:
                lane.forget(document_id)
        self._embedding.remove_vectors(document_id, case_id)
        self._announcer.changed(Changes(cases=True, documents=frozenset({case_id}), jobs=True))
        return last

    def check_index(self) -> None:
        """The vector index was found damaged: fill it again from what is stored, in the background."""
        self._embedding.check_index()

    def _add(self, case_id: int, source: Source, password: str | None) -> Added:
        try:
            sha256, size = self._store.originals.put(source.path)
        except UserMistake as mistake:
            return Added(source=source, document=None, problem=mistake.message)
        with self._store.transaction():
            taken = take_in(self._store, source.name, sha256, size, (case_id,))
            if taken.to_read:
                self._reading.queue(taken.document, password)
            elif taken.newly_linked:
                self._link_known(case_id, taken.document)
        self._announcer.changed(Changes(cases=taken.newly_linked, documents=frozenset({case_id}), jobs=True))
        self._wake()
        return Added(source=source, document=taken.document, duplicate=not taken.to_read)

    def _link_known(self, case_id: int, document: Document) -> None:
        """A document that is read already is now in this case too, and what is inside it."""
        inside = [member.document_id for _, member in self._store.members.below(document.id)]
        new = [id_ for id_ in inside if id_ is not None and self._store.documents.link(case_id, id_)]
        for one in (document, *map(self._store.documents.get, new)):
            if one.passages:
                self._embedding.queue(one)

    def _wake(self) -> None:
        for lane in self._lanes:
            lane.wake()

    def _shares(self, ids: Collection[int]) -> dict[int, float]:
        """How much of each document's work is done, 1 when nothing more is to come; those gone are left out."""
        shares = {id_: 1.0 if status.settled else 0.0 for id_, status in self._store.documents.statuses(ids).items()}
        stalled = self._embedding.stalled
        for job in self._store.jobs.unfinished():
            if job.document_id in shares and job.kind is JobKind.READ:
                shares[job.document_id] = 0.5 * job.progress
            elif job.document_id in shares:
                shares[job.document_id] = 1.0 if stalled else 0.5 + 0.5 * min(job.progress, 0.99)
        return shares

    def _report(self, added: Added) -> IngestReport:
        document = added.document
        seconds = 0.0 if document is None or added.duplicate else self._seconds(document)
        return report(self._store, added, seconds)

    def _seconds(self, document: Document) -> float:
        return sum(lane.seconds_spent(document.id) for lane in self._lanes)

    def _raise_problem(self) -> None:
        for lane in self._lanes:
            if lane.problem is not None:
                raise lane.problem
