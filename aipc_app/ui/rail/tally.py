"""How far a bout of indexing is: 3 of 12."""

from __future__ import annotations

from dataclasses import dataclass

from aipc_app.domain.jobs import JobsGlance


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


def tally(before: Tally, now: JobsGlance) -> Tally:
    """The next tally from the work there is now."""
    if not now.pending:
        return Tally(before.seen, now.pending, now.failed)
    seen = before.seen if before.busy else frozenset()
    return Tally(seen | now.pending, now.pending, now.failed)
