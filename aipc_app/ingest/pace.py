"""How fast documents go through, and how long the rest will take: said only once it is known."""

from __future__ import annotations

import threading
from collections import deque

from aipc_app.domain.jobs import JobKind, PendingWork

_REMEMBERED = 64  # of the latest pieces of work: what comes next is most like them
_LEAST_S = 2.0  # of measured work before anything is said
_LEAST_PIECES = 3
_LEAST_SHARE = 0.02  # of a file, before its own pace counts
_OVERHEAD_BYTES = 20_000  # what the smallest file costs, as if it were so much longer


class Pace:
    """Measured while work is done. May be used from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._done: dict[JobKind, deque[tuple[float, float]]] = {kind: deque(maxlen=_REMEMBERED) for kind in JobKind}
        self._passages: deque[tuple[float, int]] = deque(maxlen=_REMEMBERED)
        self._running: dict[int, tuple[float, float]] = {}  # of a document: its weight, and how long it will take

    def note_read(self, size: int, passages: int, seconds: float) -> None:
        """A file of `size` bytes was read into so many passages."""
        with self._lock:
            self._done[JobKind.READ].append((size + _OVERHEAD_BYTES, seconds))
            self._passages.append((size + _OVERHEAD_BYTES, passages))

    def note_running(self, document_id: int, size: int, share: float, seconds: float) -> None:
        """`share` of a file was read in `seconds`: a long one tells how long it takes before it is done."""
        if share >= _LEAST_SHARE and seconds >= _LEAST_S:
            with self._lock:
                self._running[document_id] = (size + _OVERHEAD_BYTES, seconds * (1 - share) / share)

    def note_ended(self, document_id: int) -> None:
        """It is read, or given up."""
        with self._lock:
            self._running.pop(document_id, None)

    def note_embedded(self, passages: int, seconds: float) -> None:
        with self._lock:
            self._done[JobKind.EMBED].append((passages, seconds))

    def seconds_left(self, pending: PendingWork, *, readers: int = 1, embeds: bool = True) -> float | None:
        """For all that waits; None while too little was measured to say. `embeds`: vectors are being made at all.

        Without them, and of a long file that is read before any were made, of reading alone.
        """
        with self._lock:
            reading = self._speed(JobKind.READ)
            embedding = self._speed(JobKind.EMBED)
            per_byte = _ratio([(weight, float(count)) for weight, count in self._passages])
            running = list(self._running.values())
        weight = pending.read_bytes + pending.read_documents * _OVERHEAD_BYTES
        waiting = max(0.0, weight - sum(known for known, _left in running))
        if waiting and reading is None:
            return None
        to_read = ((waiting / reading if reading else 0.0) + sum(left for _known, left in running)) / readers
        to_read = max(to_read, *(left for _known, left in running), 0.0)
        passages = pending.embed_passages + weight * (per_byte or 0.0)
        if not embeds or not passages:
            return to_read
        if embedding is None:
            return to_read if running else None
        return max(to_read, passages / embedding)

    def _speed(self, kind: JobKind) -> float | None:
        """Weight a second, of one worker."""
        done = self._done[kind]
        seconds = sum(spent for _weight, spent in done)
        if len(done) < _LEAST_PIECES and seconds < _LEAST_S:
            return None
        weight = sum(weight for weight, _spent in done)
        return weight / seconds if seconds > 0 and weight > 0 else None


def _ratio(pairs: list[tuple[float, float]]) -> float | None:
    whole = sum(first for first, _ in pairs)
    return sum(second for _, second in pairs) / whole if whole else None
