"""How far a bout of indexing is: 3 of 12."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aipc_app.domain.jobs import Job, JobState

_PENDING = (JobState.QUEUED, JobState.RUNNING)


@dataclass(frozen=True)
class Tally:
    """Documents of the present bout. A bout begins when work comes in after there was none."""

    seen: frozenset[int] = frozenset()
    pending: frozenset[int] = frozenset()
    failed: int = 0

    @property
    def done(self) -> int:
        return len(self.seen) - len(self.pending)

    @property
    def busy(self) -> bool:
        return bool(self.pending)


def tally(before: Tally, jobs: Sequence[Job]) -> Tally:
    """The next tally from the jobs there are now."""
    pending = frozenset(job.document_id for job in jobs if job.state in _PENDING)
    failed = len({job.document_id for job in jobs if job.state is JobState.FAILED})
    if not pending:
        return Tally(before.seen, pending, failed)
    seen = before.seen if before.busy else frozenset()
    return Tally(seen | pending, pending, failed)
