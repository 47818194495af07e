"""Client of the reader processes: files in one lane or several, page pictures in a lane of their own."""

from __future__ import annotations

import itertools
import logging
import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from aipc_app.domain.documents import Page
from aipc_app.domain.exporting import DocumentPlan, ExportFormat
from aipc_app.domain.reader_wire import (
    CancelRead,
    FileRead,
    MemberFound,
    Opened,
    PageRead,
    PageRecognised,
    PageRendered,
    PictureRead,
    ReaderReply,
    ReadFailed,
    ReadFile,
    ReadLimits,
    RecognisePage,
    RenderPage,
)
from aipc_app.errors import (
    AipcError,
    Cancelled,
    DocumentError,
    DocumentLimit,
    PasswordNeeded,
    UnsupportedFormat,
    WorkerDied,
)
from aipc_app.workers.document_writer import DocumentWriter
from aipc_app.workers.reader_lane import ChildGoneError, Lane

_LOG = logging.getLogger("aipc.workers")
_POLL_S = 0.05  # how soon a cancel is noticed
_CANCEL_GRACE_S = 0.2  # after that the reader is killed
RENDER_SECONDS, RECOGNISE_SECONDS = 60.0, 180.0
_WORKER_BYTES = 6 << 30  # of the PC's memory for each worker: a file may take 2 GiB, the model needs the rest
_WORKED_SHARE, _PATIENCE = 0.5, 2.0  # of a file's time: worked by then it is stuck; waited beyond, whatever it did
_MOST_RECOGNITION_S = 60.0  # of one page, added to its file's time

OnPage = Callable[[PageRead], None]
OnMember = Callable[[MemberFound], None]
OnOpened = Callable[[Opened], None]
OnPicture = Callable[[PictureRead], None]
Final = TypeVar("Final", FileRead, PageRendered, PageRecognised)


def worker_count(cores: int, memory_bytes: int) -> int:
    """How many files are worth reading at once: half the cores, four at most, and memory for each."""
    return max(1, min(4, cores // 2, memory_bytes // _WORKER_BYTES))


class Reader:
    """Reads files and draws pages in child processes. Every method may be called from any thread.

    Children start when first needed; one that dies takes only its own file with it.
    """

    def __init__(self, command: Sequence[str], log_dir: Path, workers: int = 1) -> None:
        self._ids = itertools.count(1)
        self._files: queue.SimpleQueue[Lane] = queue.SimpleQueue()
        self._lanes = [Lane(command, log_dir / f"reader{i or ''}.log") for i in range(workers)]
        for lane in self._lanes:
            self._files.put(lane)
        self._pictures = Lane(command, log_dir / "reader-pages.log")
        self._writer = DocumentWriter(Lane(command, log_dir / "reader-exports.log"))
        self._picture_turn = threading.Lock()
        self._crashed: set[Path] = set()
        self._opened_with: dict[Path, str] = {}  # in this process only: pages can be drawn until the program ends

    def read(
        self,
        path: Path,
        name: str,
        *,
        password: str | None = None,
        limits: ReadLimits | None = None,
        on_page: OnPage,
        on_opened: OnOpened | None = None,
        cancel: threading.Event | None = None,
        work_folder: Path | None = None,
        on_member: OnMember | None = None,
        on_picture: OnPicture | None = None,
    ) -> FileRead:
        """Read a whole file, blocking; `on_page` is called in page order on the calling thread.

        With `on_member`, files inside it are written into `work_folder`, which the caller clears; it is told of
        each after the pages. Without, they are only counted. `on_picture`: after each picture recognised in a page.

        Raises PasswordNeeded, UnsupportedFormat, DocumentLimit, another DocumentError, Cancelled, or WorkerDied
        when no reader can be started.
        """
        limits = limits or ReadLimits()
        request = ReadFile(
            next(self._ids), str(path), name, password, limits, None if work_folder is None else str(work_folder),
            on_member is not None,
        )  # fmt: skip
        with self._file_lane(cancel) as lane:
            work = _Work(lane, request, limits.seconds, cancel, self._crashed)
            done = work.run(FileRead, on_page, on_opened, on_member, on_picture)
        if password is not None:
            self._opened_with[path] = password
        return done

    def render(self, path: Path, name: str, page: int, scale: float, password: str | None = None) -> PageRendered:
        """Draw one page (from 1) at `scale` pixels per point, blocking. Raises like `read`.

        A file that was read with a password since the program started is drawn with it; it is kept nowhere else.
        """
        password = password or self._opened_with.get(path)
        request = RenderPage(next(self._ids), str(path), name, page, scale, password)
        with self._picture_turn:
            return _Work(self._pictures, request, RENDER_SECONDS, None, self._crashed).run(PageRendered)

    def recognise(self, path: Path, name: str, page: int, cancel: threading.Event | None = None) -> Page:
        """Read one page (from 1) from its picture, whatever text the file has for it, blocking. Raises like `read`."""
        limits = ReadLimits(seconds=RECOGNISE_SECONDS)
        request = RecognisePage(next(self._ids), str(path), name, page, self._opened_with.get(path), limits)
        with self._file_lane(cancel) as lane:
            return _Work(lane, request, limits.seconds, cancel, self._crashed).run(PageRecognised).page

    def write(
        self, plan: DocumentPlan, path: Path, format_: ExportFormat, cancel: threading.Event | None = None
    ) -> None:
        """Write a document to `path`, blocking; in a lane of its own, so that no page waits for it.

        Raises StorageError when it can't be written (the file that was there stays), Cancelled or WorkerDied.
        """
        self._writer.write(plan, path, format_, cancel)

    def close(self) -> None:
        """End the children, whatever they are doing; what is being read fails with WorkerDied."""
        for lane in (*self._lanes, self._pictures):
            lane.close()
        self._writer.close()

    @contextmanager
    def _file_lane(self, cancel: threading.Event | None) -> Iterator[Lane]:
        while True:
            try:
                lane = self._files.get(timeout=_POLL_S)
                break
            except queue.Empty:
                if cancel is not None and cancel.is_set():
                    raise Cancelled from None
        try:
            yield lane
        finally:
            self._files.put(lane)


class _Work:
    """One request in one lane, from sending it to its last reply."""

    def __init__(
        self,
        lane: Lane,
        request: ReadFile | RenderPage | RecognisePage,
        seconds: float,
        cancel: threading.Event | None,
        crashed: set[Path],
    ) -> None:
        self._lane, self._request, self._cancel, self._crashed = lane, request, cancel, crashed
        self._seconds = seconds
        self._deadline = self._cancel_deadline = float("inf")
        self._worked_before = 0.0

    def run(
        self,
        final: type[Final],
        on_page: OnPage | None = None,
        on_opened: OnOpened | None = None,
        on_member: OnMember | None = None,
        on_picture: OnPicture | None = None,
    ) -> Final:
        if self._is_cancelled():
            raise Cancelled
        self._lane.start(self._cancel)
        self._deadline, self._worked_before = time.monotonic() + self._seconds, self._lane.cpu_seconds()
        finished = False
        try:
            self._lane.send(self._request)
            reply = self._last_reply(on_page, on_opened, on_member, on_picture)
            finished = True
        except ChildGoneError as gone:
            finished = True
            raise self._death(gone) from gone
        finally:
            if not finished:
                self._lane.drop()  # it still works on what nobody wants
        if isinstance(reply, ReadFailed):
            raise _error(reply)
        assert isinstance(reply, final)
        return reply

    def _last_reply(
        self,
        on_page: OnPage | None,
        on_opened: OnOpened | None,
        on_member: OnMember | None,
        on_picture: OnPicture | None,
    ) -> ReaderReply:
        while True:
            reply = self._lane.receive(_POLL_S)
            if reply is None or getattr(reply, "id", None) != self._request.id:
                self._check_time()
            elif isinstance(reply, PageRead | PictureRead):
                self._deadline += min(reply.recognition_s, _MOST_RECOGNITION_S)
                told = on_page if isinstance(reply, PageRead) else on_picture
                if told is not None and self._cancel_deadline == float("inf"):
                    told(reply)  # type: ignore[arg-type]
                self._check_time()
            elif isinstance(reply, MemberFound):
                if on_member is not None:
                    on_member(reply)
                self._check_time()
            elif isinstance(reply, Opened):
                if on_opened is not None:
                    on_opened(reply)
            else:
                return reply

    def _check_time(self) -> None:
        """Time over or cancelled and not heard: the lane's child is dropped."""
        now = time.monotonic()
        if self._is_over(now):
            raise DocumentLimit(
                f"Reading this took longer than {self._seconds:.0f} seconds and was stopped; "
                "split the file or raise the limit."
            )
        if now >= self._cancel_deadline:
            raise Cancelled
        if self._is_cancelled() and self._cancel_deadline == float("inf"):
            self._cancel_deadline = now + _CANCEL_GRACE_S
            self._lane.send(CancelRead(self._request.id))

    def _is_over(self, now: float) -> bool:
        """A reader that other programs leave little of this PC is slow, not stuck."""
        if now < self._deadline:
            return False
        worked = self._lane.cpu_seconds() - self._worked_before
        return worked >= _WORKED_SHARE * self._seconds or now >= self._deadline + _PATIENCE * self._seconds

    def _is_cancelled(self) -> bool:
        return self._cancel is not None and self._cancel.is_set()

    def _death(self, gone: ChildGoneError) -> AipcError:
        """Whose fault an ended child is: ours (closing), the limit's, or the file's."""
        if gone.closing:
            return WorkerDied("Reading was stopped because the program is closing.")
        if self._is_cancelled():
            return Cancelled()
        if gone.over_memory:
            return DocumentLimit(
                "Reading this file takes more memory than one file may use; split it or raise the limit."
            )
        path = Path(self._request.path)
        again = path in self._crashed
        self._crashed.add(path)
        _LOG.warning("a reader ended with status %d while it worked", gone.status)
        what_next = " again; leave it out or save it anew" if again else "; try once more"
        return DocumentError(f"Reading this file made the reader crash{what_next}.", retryable=not again)


def _error(failed: ReadFailed) -> AipcError:
    match failed.kind:
        case "password":
            return PasswordNeeded(failed.reason)
        case "unsupported":
            return UnsupportedFormat(failed.reason)
        case "limit":
            return DocumentLimit(failed.reason)
        case "cancelled":
            return Cancelled()
        case _:
            return DocumentError(failed.reason)
