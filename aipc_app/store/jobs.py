"""Durable work: a row before anything slow, so that a kill leaves behind what is to be done."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence

from aipc_app.domain.jobs import Job, JobKind, JobsGlance, JobState, PendingWork
from aipc_app.errors import UserMistake
from aipc_app.store.database import Database

_SELECT = (
    "SELECT j.id, j.kind, j.document_id, d.name, j.state, j.attempts, j.reason"
    " FROM jobs j JOIN documents d ON d.id = j.document_id"
)
_UNFINISHED = "('queued', 'running')"
_ENDED_BADLY = "('failed', 'cancelled')"
_KEPT_FINISHED = 200
_Row = tuple[int, str, int, str, str, int, str | None]


class Jobs:
    """May be used from any thread. Raises StorageError for the disk.

    Progress lives in memory only: a job that a kill interrupts starts again.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._progress: dict[int, float] = {}

    def add(self, kind: JobKind, document_id: int) -> Job:
        """Queue work for a document; the job that is queued already, if there is one.

        Earlier work of this kind that failed or was cancelled is forgotten.
        """
        with self._database.write() as connection:
            connection.execute(
                f"DELETE FROM jobs WHERE kind = ? AND document_id = ? AND state IN {_ENDED_BADLY}",
                (kind.value, document_id),
            )
            connection.execute(
                "INSERT OR IGNORE INTO jobs (kind, document_id, state, changed) VALUES (?, ?, 'queued', ?)",
                (kind.value, document_id, time.time()),
            )
            row = connection.execute(
                f"{_SELECT} WHERE j.kind = ? AND j.document_id = ? AND j.state = 'queued'",
                (kind.value, document_id),
            ).fetchone()
            return self._job(row)

    def next(self, kinds: Sequence[JobKind], *, prefer_case: int | None = None) -> Job | None:
        """Take the oldest queued job of these kinds, those of `prefer_case` first, and mark it running."""
        marks = ", ".join("?" for _ in kinds)
        with self._database.write() as connection:
            row = connection.execute(
                f"{_SELECT} WHERE j.state = 'queued' AND j.kind IN ({marks}) ORDER BY NOT EXISTS ("
                "SELECT 1 FROM case_documents c WHERE c.document_id = j.document_id AND c.case_id IS ?),"
                " j.id LIMIT 1",
                (*(kind.value for kind in kinds), prefer_case),
            ).fetchone()
            if row is None:
                return None
            connection.execute(
                "UPDATE jobs SET state = 'running', attempts = attempts + 1, changed = ? WHERE id = ?",
                (time.time(), row[0]),
            )
            return self.get(row[0])

    def get(self, job_id: int) -> Job:
        """Raises UserMistake when there is none."""
        with self._database.read() as connection:
            row = connection.execute(f"{_SELECT} WHERE j.id = ?", (job_id,)).fetchone()
        if row is None:
            raise UserMistake(f"There is no job number {job_id}.")
        return self._job(row)

    def progress(self, job_id: int, fraction: float) -> None:
        """Note how far a running job is, from 0 to 1."""
        self._progress[job_id] = fraction

    def finish(self, job_id: int) -> None:
        """It is done."""
        with self._database.write() as connection:
            self._end(connection, job_id, JobState.DONE, None)
            connection.execute(
                "DELETE FROM jobs WHERE state = 'done' AND id <= (SELECT MAX(id) FROM jobs) - ?",
                (_KEPT_FINISHED,),
            )

    def fail(self, job_id: int, reason: str, retry: bool) -> None:
        """It failed; `retry` puts it back in the queue, its attempts kept."""
        with self._database.write() as connection:
            if retry and self._requeue(connection, "id = ?", (job_id,)):
                connection.execute("UPDATE jobs SET reason = ? WHERE id = ?", (reason, job_id))
            else:
                self._end(connection, job_id, JobState.FAILED, reason)

    def postpone(self, job_id: int) -> None:
        """Put a running job back as if it had never been taken."""
        with self._database.write() as connection:
            if self._requeue(connection, "id = ?", (job_id,)):
                connection.execute("UPDATE jobs SET attempts = MAX(attempts - 1, 0) WHERE id = ?", (job_id,))

    def cancel(self, job_id: int) -> None:
        """The user doesn't want it; one that is running has to be told as well."""
        with self._database.write() as connection:
            self._end(connection, job_id, JobState.CANCELLED, None)

    def list(self) -> tuple[Job, ...]:
        """Every job that is kept: all unfinished and failed ones, and the latest finished. Oldest first."""
        with self._database.read() as connection:
            return tuple(self._job(row) for row in connection.execute(f"{_SELECT} ORDER BY j.id").fetchall())

    def foremost(self, most: int) -> tuple[Job, ...]:
        """What runs, then what failed, then what waits, oldest first: at most so many."""
        with self._database.read() as connection:
            rows = connection.execute(
                f"{_SELECT} WHERE j.state IN ('running', 'failed', 'queued')"
                " ORDER BY j.state = 'queued', j.state = 'failed', j.id LIMIT ?",
                (most,),
            ).fetchall()
            return tuple(self._job(row) for row in rows)

    def glance(self) -> JobsGlance:
        """As much as a line needs, without a value for each of thousands of jobs."""
        with self._database.read() as connection:
            pending = connection.execute(f"SELECT DISTINCT document_id FROM jobs WHERE state IN {_UNFINISHED}")
            ids = frozenset(id_ for (id_,) in pending)
            failed = connection.execute("SELECT COUNT(DISTINCT document_id) FROM jobs WHERE state = 'failed'")
            return JobsGlance(pending=ids, failed=int(failed.fetchone()[0]))

    def of_document(self, document_id: int) -> tuple[Job, ...]:
        """A document's jobs that are queued or running."""
        with self._database.read() as connection:
            rows = connection.execute(
                f"{_SELECT} WHERE j.document_id = ? AND j.state IN {_UNFINISHED} ORDER BY j.id",
                (document_id,),
            )
            return tuple(self._job(row) for row in rows)

    def unfinished(self) -> tuple[Job, ...]:
        """Every job that is queued or running."""
        with self._database.read() as connection:
            rows = connection.execute(f"{_SELECT} WHERE j.state IN {_UNFINISHED} ORDER BY j.id").fetchall()
            return tuple(self._job(row) for row in rows)

    def any_unfinished(self, kind: JobKind) -> bool:
        """Is there a job of this kind that is queued or running?"""
        with self._database.read() as connection:
            row = connection.execute(
                f"SELECT 1 FROM jobs WHERE kind = ? AND state IN {_UNFINISHED} LIMIT 1", (kind.value,)
            ).fetchone()
            return row is not None

    def running(self) -> tuple[Job, ...]:
        """The few that are being worked on."""
        with self._database.read() as connection:
            rows = connection.execute(f"{_SELECT} WHERE j.state = 'running' ORDER BY j.id").fetchall()
            return tuple(self._job(row) for row in rows)

    def waiting(self, kind: JobKind, case_id: int) -> bool:
        """Is a job of this kind queued for a document of the case?"""
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT 1 FROM jobs j JOIN case_documents c ON c.document_id = j.document_id"
                " WHERE j.state = 'queued' AND j.kind = ? AND c.case_id = ? LIMIT 1",
                (kind.value, case_id),
            ).fetchone()
            return row is not None

    def ended_badly(self, kind: JobKind) -> frozenset[int]:
        """Documents whose latest work of this kind failed or was cancelled."""
        with self._database.read() as connection:
            rows = connection.execute(
                f"SELECT document_id FROM jobs WHERE kind = ? AND state IN {_ENDED_BADLY}", (kind.value,)
            )
            return frozenset(id_ for (id_,) in rows)

    def requeue_running(self) -> int:
        """At start: put back what a kill left running. Returns how many."""
        with self._database.write() as connection:
            return self._requeue(connection, "state = 'running'", ())

    def pending(self) -> int:
        """How many jobs are queued or running."""
        with self._database.read() as connection:
            row = connection.execute(f"SELECT COUNT(*) FROM jobs WHERE state IN {_UNFINISHED}").fetchone()
            return int(row[0])

    def pending_work(self) -> PendingWork:
        """How much is queued or running."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT j.kind, COUNT(*), COALESCE(SUM(d.size), 0), COALESCE(SUM(d.passages), 0) FROM jobs j"
                f" JOIN documents d ON d.id = j.document_id WHERE j.state IN {_UNFINISHED} GROUP BY j.kind"
            )
            found = {kind: (count, size, passages) for kind, count, size, passages in rows}
        read, embed = found.get(JobKind.READ.value, (0, 0, 0)), found.get(JobKind.EMBED.value, (0, 0, 0))
        return PendingWork(
            read_documents=read[0], read_bytes=read[1], embed_documents=embed[0], embed_passages=embed[2]
        )

    def _requeue(self, connection: sqlite3.Connection, condition: str, values: tuple[int, ...]) -> int:
        """Put running jobs back; where the same work was queued again meanwhile, that one stands for both."""
        connection.execute(
            f"DELETE FROM jobs WHERE state = 'running' AND {condition} AND EXISTS (SELECT 1"
            " FROM jobs q WHERE q.kind = jobs.kind AND q.document_id = jobs.document_id AND q.state = 'queued')",
            values,
        )
        cursor = connection.execute(f"UPDATE jobs SET state = 'queued' WHERE state = 'running' AND {condition}", values)
        for value in values:
            self._progress.pop(value, None)
        return cursor.rowcount

    def _end(self, connection: sqlite3.Connection, job_id: int, state: JobState, reason: str | None) -> None:
        connection.execute(
            f"UPDATE jobs SET state = ?, reason = ?, changed = ? WHERE id = ? AND state IN {_UNFINISHED}",
            (state.value, reason, time.time(), job_id),
        )
        self._progress.pop(job_id, None)

    def _job(self, row: _Row) -> Job:
        id_, kind, document_id, document, state, attempts, reason = row
        progress = 1.0 if state == JobState.DONE.value else self._progress.get(id_, 0.0)
        return Job(
            id=id_,
            kind=JobKind(kind),
            document_id=document_id,
            document=document,
            state=JobState(state),
            attempts=attempts,
            progress=progress,
            reason=reason,
        )
