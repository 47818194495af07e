"""Documents for others, written in a reader of their own."""

from __future__ import annotations

import itertools
import threading
import time
from contextlib import suppress
from pathlib import Path

from aipc_app.domain.exporting import DocumentPlan, ExportFormat
from aipc_app.domain.reader_wire import DocumentWritten, ReadFailed, WriteDocument
from aipc_app.errors import Cancelled, StorageError, WorkerDied
from aipc_app.workers.reader_lane import ChildGoneError, Lane

_POLL_S = 0.05  # how soon a cancel is noticed
WRITE_SECONDS = 300.0


class DocumentWriter:
    """One document at a time; any thread."""

    def __init__(self, lane: Lane) -> None:
        self._lane, self._turn, self._ids = lane, threading.Lock(), itertools.count(1)

    def write(
        self, plan: DocumentPlan, path: Path, format_: ExportFormat, cancel: threading.Event | None = None
    ) -> None:
        """Blocking. Raises as Reader.write."""
        path = path.absolute()
        draft = path.with_name(f".{path.name}.part")
        request = WriteDocument(next(self._ids), plan, str(path), str(draft), format_)
        with self._turn:
            self._lane.start(cancel)
            self._lane.send(request)
            try:
                self._wait(request, cancel)
            except ChildGoneError as gone:
                raise _death(gone, path) from gone
            finally:
                with suppress(OSError):
                    draft.unlink(missing_ok=True)  # a writer that was ended leaves it

    def close(self) -> None:
        self._lane.close()

    def _wait(self, request: WriteDocument, cancel: threading.Event | None) -> None:
        """Until it is written; a writer that is not waited for any longer is ended, with what it has begun."""
        deadline = time.monotonic() + WRITE_SECONDS
        while True:
            reply = self._lane.receive(_POLL_S)
            if isinstance(reply, ReadFailed) and reply.id == request.id:
                raise StorageError(reply.reason)
            if isinstance(reply, DocumentWritten) and reply.id == request.id:
                return
            if cancel is not None and cancel.is_set():
                self._lane.drop()
                raise Cancelled
            if time.monotonic() > deadline:
                self._lane.drop()
                raise StorageError(
                    f"Writing {Path(request.path).name} took longer than {WRITE_SECONDS:.0f} seconds and was stopped; "
                    "choose another format, or less to write."
                )


def _death(gone: ChildGoneError, path: Path) -> WorkerDied:
    if gone.closing:
        return WorkerDied("Writing was stopped because the program is closing.")
    return WorkerDied(
        f"The part of the program that writes {path.name} ended; try once more, or choose another format."
    )
