"""Which prefixes are in the context's KV cache, and under which sequence: a prefix cache without copies.

Pure bookkeeping over `SequenceMemory`. See decisions/0001-sequences-as-prefix-cache.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

import numpy as np
import numpy.typing as npt

Tokens = npt.NDArray[np.int32]


class SequenceMemory(Protocol):
    """What the bookkeeping asks of a context."""

    def copy(self, source: int, target: int, end: int) -> None:
        """Share the first `end` cells (-1: the whole state) of `source` with `target`."""

    def truncate(self, sequence: int, start: int) -> bool:
        """Drop tokens from `start` on; False when the model can't."""

    def drop(self, sequence: int) -> None:
        """Drop the whole sequence."""

    def last_position(self, sequence: int) -> int:
        """Highest position held, -1 for none."""


class Use(Enum):
    ACTIVE = "active"  # being computed now: never evicted
    SUSPENDED = "suspended"  # its request waits: evicted only for want of anything else
    IDLE = "idle"  # kept in case its prefix is asked for again


@dataclass
class _Run:
    """Cells computed in one go by one sequence; others may share a beginning of them."""

    number: int
    held: int


@dataclass(eq=False)
class Lease:
    """One sequence and the tokens whose cells it holds. `alive` is False once it was evicted."""

    sequence: int
    tokens: Tokens
    restored: int
    use: Use = Use.ACTIVE
    alive: bool = True
    last_used: int = 0
    runs: list[_Run] = field(default_factory=list)
    open_run: bool = False

    @property
    def length(self) -> int:
        return len(self.tokens)


class Residents:
    """Leases sequences of one context, sharing the cells of common prefixes. One thread."""

    def __init__(self, memory: SequenceMemory, *, cells: int, sequences: int, divisible: bool) -> None:
        self._memory, self._cells, self._divisible = memory, cells, divisible
        self._free = list(range(sequences - 1, -1, -1))
        self._leases: list[Lease] = []
        self._clock, self._runs = 0, 0

    @property
    def used_cells(self) -> int:
        """Cells that hold something, shared ones counted once."""
        return sum(self._held(self._leases).values())

    def lease(self, tokens: Sequence[int], cuts: Sequence[int], room: int) -> Lease:
        """A sequence that holds the longest known prefix of `tokens` ending at a cut, and room to go on.

        `room` is the number of tokens still to come after `tokens`. At least the last token is left to compute.
        Raises MemoryError when `tokens` and `room` exceed the context.
        """
        wanted = np.asarray(tokens, np.int32)
        if len(wanted) + room > self._cells:
            raise MemoryError(f"{len(wanted)} + {room} tokens are over {self._cells} cells")
        source, shared = self._longest(wanted, cuts)
        lease = Lease(self._sequence(keep=source), wanted[:0], 0)
        if source is not None and shared and self._share(source, lease, shared):
            lease.restored = shared
        self._leases.append(lease)
        self._touch(lease)
        self._make_room(len(wanted) - lease.length + room, lease)
        return lease

    def branch(self, lease: Lease, room: int) -> Lease:
        """Another sequence that shares everything `lease` holds, with room for `room` tokens more."""
        other = Lease(self._sequence(keep=lease), lease.tokens[:0], 0)
        self._memory.copy(lease.sequence, other.sequence, lease.length if self._divisible else -1)
        self._adopt(lease, other, lease.length)
        self._leases.append(other)
        self._make_room(room, other, lease)
        return other

    def extend(self, lease: Lease, tokens: Sequence[int]) -> None:
        """Note that these tokens were computed at the end of the lease."""
        if not lease.open_run:
            self._runs += 1
            lease.runs.append(_Run(self._runs, 0))
            lease.open_run = True
        lease.runs[-1].held += len(tokens)
        lease.tokens = np.concatenate([lease.tokens, np.asarray(tokens, np.int32)])

    def release(self, lease: Lease, keep: int) -> None:
        """The request is done; the first `keep` tokens stay for the next one, if this model can be cut."""
        if not lease.alive:
            return
        if self._divisible and keep < lease.length and not self._cut(lease, keep):
            self.discard(lease)
            return
        lease.use = Use.IDLE
        self._touch(lease)
        if self._divisible:
            for other in self._idle():
                if other is not lease and _common(other.tokens, lease.tokens) == other.length:
                    self.discard(other)

    def suspend(self, lease: Lease) -> None:
        """Its request waits for another; it stays unless its cells are needed."""
        lease.use = Use.SUSPENDED

    def resume(self, lease: Lease) -> bool:
        """Its request goes on; False when it was evicted meanwhile."""
        if lease.alive:
            lease.use = Use.ACTIVE
            self._touch(lease)
        return lease.alive

    def discard(self, lease: Lease) -> None:
        """Forget it and free the cells that no other sequence shares."""
        if lease.alive:
            lease.alive = False
            self._leases.remove(lease)
            self._memory.drop(lease.sequence)
            self._free.append(lease.sequence)

    def clear(self) -> None:
        """Forget everything."""
        for lease in list(self._leases):
            self.discard(lease)

    def _longest(self, wanted: Tokens, cuts: Sequence[int]) -> tuple[Lease | None, int]:
        best: Lease | None = None
        best_shared = 0
        for lease in sorted(self._leases, key=lambda one: one.last_used, reverse=True):
            common = min(_common(lease.tokens, wanted), len(wanted) - 1)
            if self._divisible:
                shared = max((cut for cut in cuts if cut <= common), default=0)
            else:
                shared = common if common == lease.length else 0
            if shared > best_shared:
                best, best_shared = lease, shared
        return best, best_shared

    def _share(self, source: Lease, target: Lease, shared: int) -> bool:
        """Let target hold the first `shared` tokens of source; False, and nothing held, when the model refuses."""
        self._memory.copy(source.sequence, target.sequence, shared if self._divisible else -1)
        if self._memory.last_position(target.sequence) != shared - 1:
            self._memory.drop(target.sequence)
            return False
        self._adopt(source, target, shared)
        return True

    def _adopt(self, source: Lease, target: Lease, shared: int) -> None:
        target.tokens, left = source.tokens[:shared], shared
        for run in source.runs:
            if left <= 0:
                break
            target.runs.append(_Run(run.number, min(run.held, left)))
            left -= run.held

    def _cut(self, lease: Lease, keep: int) -> bool:
        if not self._memory.truncate(lease.sequence, keep):
            return False
        runs, left = lease.runs, keep
        lease.tokens, lease.runs, lease.open_run = lease.tokens[:keep], [], False
        for run in runs:
            if left > 0:
                lease.runs.append(_Run(run.number, min(run.held, left)))
            left -= run.held
        return True

    def _sequence(self, keep: Lease | None) -> int:
        """A free sequence; if there is none, that of the lease that is cheapest to compute again."""
        if not self._free:
            victims = self._evictable(keep) or self._evictable(None)
            self.discard(min(victims, key=lambda lease: (lease.use is not Use.IDLE, self._own_cells(lease))))
        return self._free.pop()

    def _make_room(self, needed: int, *kept: Lease) -> None:
        while self._cells - self.used_cells < needed:
            victims = [lease for lease in self._leases if lease.use is not Use.ACTIVE and lease not in kept]
            if not victims:
                raise MemoryError(f"{needed} cells are needed and nothing is left to evict")
            self.discard(min(victims, key=lambda lease: (lease.use is not Use.IDLE, lease.last_used)))

    def _evictable(self, keep: Lease | None) -> list[Lease]:
        found = [lease for lease in self._leases if lease.use is not Use.ACTIVE and lease is not keep]
        if not found and keep is None:
            raise MemoryError("every sequence is in use")
        return found

    def _idle(self) -> list[Lease]:
        return [lease for lease in self._leases if lease.use is Use.IDLE]

    def _own_cells(self, lease: Lease) -> int:
        others = self._held(other for other in self._leases if other is not lease)
        return sum(max(0, run.held - others.get(run.number, 0)) for run in lease.runs)

    @staticmethod
    def _held(leases: Iterable[Lease]) -> dict[int, int]:
        held: dict[int, int] = {}
        for lease in leases:
            for run in lease.runs:
                held[run.number] = max(held.get(run.number, 0), run.held)
        return held

    def _touch(self, lease: Lease) -> None:
        self._clock += 1
        lease.last_used = self._clock


def _common(one: Tokens, other: Tokens) -> int:
    """Length of the common beginning."""
    least = min(len(one), len(other))
    differs = one[:least] != other[:least]
    return int(differs.argmax()) if differs.any() else least
