"""The reader process: one request at a time, every problem an answer, nothing of a document in the log."""

from __future__ import annotations

import faulthandler
import gc
import logging
import os
import queue
import sys
import threading
import time
import warnings
from pathlib import Path

from msgspec import structs

from aipc_app.domain.reader_wire import (
    CancelRead,
    FileRead,
    Opened,
    PageRead,
    PageRecognised,
    PictureRead,
    ReaderRequest,
    ReadFailed,
    ReadFile,
    RecognisePage,
    RenderPage,
    WriteDocument,
)
from aipc_app.reader.convert.base import Container, Content, ReadPage, Source
from aipc_app.reader.convert.converters import converter_of
from aipc_app.reader.convert.detect import detect
from aipc_app.reader.failure import FailureKind, ReadingError, failure_of
from aipc_app.reader.limits import limit_recursion, memory_limit
from aipc_app.reader.members import write_members
from engine.errors import ProtocolError
from engine.wire.child import Hello
from engine.wire.framing import PROTOCOL_VERSION, Channel, EndOfStream, claim_pipes

_LOG = logging.getLogger("aipc.reader")
_NICE = 5
_Task = ReadFile | RenderPage | RecognisePage | WriteDocument


def main() -> None:
    """Serve one parent until it closes our input."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy's threads would eat into the memory limit
    source, sink = claim_pipes()
    _quieten()
    limit_recursion()
    channel: Channel[ReaderRequest] = Channel(source, sink, ReaderRequest)
    channel.send(Hello(protocol=PROTOCOL_VERSION, child="reader"))
    _Reader(channel).serve()


class _Reader:
    """Requests come in on one thread and are worked off on the main one: a cancel is heard at once."""

    def __init__(self, channel: Channel[ReaderRequest]) -> None:
        self._channel = channel
        self._inbox: queue.SimpleQueue[_Task] = queue.SimpleQueue()
        self._cancelled: set[int] = set()
        self._told_s = 0.0  # of the page's recognition, told picture by picture

    def serve(self) -> None:
        threading.Thread(target=self._listen, name="requests", daemon=True).start()
        while True:
            request = self._inbox.get()
            try:
                self._answer(request)
            except OSError as error:  # the parent is gone
                _LOG.info("no one to answer: %s", error.strerror)
                os._exit(0)

    def _listen(self) -> None:
        try:
            while True:
                request = self._channel.receive()
                if isinstance(request, CancelRead):
                    self._cancelled.add(request.id)
                else:
                    self._inbox.put(request)
        except (EndOfStream, OSError):
            os._exit(0)
        except ProtocolError as error:
            _LOG.error("%s", error.message)
            os._exit(1)

    def _answer(self, request: _Task) -> None:
        try:
            if isinstance(request, ReadFile):
                self._read(request)
            elif isinstance(request, RecognisePage):
                self._recognise(request)
            elif isinstance(request, WriteDocument):
                self._write(request)
            else:
                self._render(request)
        except BrokenPipeError:
            raise
        except Exception as error:
            failure = failure_of(error)
            self._channel.send(ReadFailed(id=request.id, kind=failure.kind.value, reason=failure.reason))
        finally:
            self._cancelled.discard(request.id)
            gc.collect()

    def _read(self, request: ReadFile) -> None:
        _lower_priority()
        folder = Path(request.work_folder) if request.work_folder is not None else None
        source = Source(
            Path(request.path), request.name, request.password, request.limits, folder,
            lambda seconds, share: self._picture_read(request.id, seconds, share),
        )  # fmt: skip
        with memory_limit(request.limits.memory_bytes):
            format_ = detect(source)
        converter = converter_of(format_)  # what it imports is not the file's doing
        with memory_limit(request.limits.memory_bytes), converter(source) as content:
            done = self._send_pages(request, content)
        self._channel.send(done)

    def _send_pages(self, request: ReadFile, content: Content) -> FileRead:
        if content.count > request.limits.pages:
            raise ReadingError(
                FailureKind.LIMIT,
                f"This file has {content.count} pages; at most {request.limits.pages} are read.",
            )
        self._channel.send(Opened(id=request.id, pages=content.count, has_layout=content.has_layout))
        self._check_cancelled(request.id)
        pages = chars = 0
        began, self._told_s = time.monotonic(), 0.0
        for read in content.pages():
            pages, chars = pages + 1, chars + len(read.page.text)
            if chars > request.limits.text_chars:
                raise ReadingError(FailureKind.LIMIT, "This file holds too much text to be read; split it.")
            self._send_page(request.id, read, time.monotonic() - began)
            began, self._told_s = time.monotonic(), 0.0
        members = self._send_members(request, content) if isinstance(content, Container) else 0
        encoding = getattr(content, "encoding", "")
        return FileRead(id=request.id, pages=pages, title=content.title, encoding=encoding, members=members)

    def _send_members(self, request: ReadFile, content: Container) -> int:
        """Files inside the file, one message each, unless they are only to be counted."""
        if not request.take_members or request.work_folder is None:
            return content.member_count
        count = 0
        for found in write_members(request.id, content, Path(request.work_folder)):
            self._check_cancelled(request.id)
            self._channel.send(found)
            count += 1
        return count

    def _send_page(self, request_id: int, read: ReadPage, seconds: float) -> None:
        self._check_cancelled(request_id)
        page = structs.replace(read.page, problem=read.problem) if read.problem else read.page
        recognised, left = page.confidence is not None, max(0.0, seconds - self._told_s)
        self._channel.send(PageRead(id=request_id, page=page, recognition_s=left if recognised else 0.0))

    def _picture_read(self, request_id: int, seconds: float, share: float) -> None:
        """A sign of life from inside a page."""
        self._check_cancelled(request_id)
        self._told_s += seconds
        self._channel.send(PictureRead(id=request_id, recognition_s=seconds, share=share))

    def _check_cancelled(self, request_id: int) -> None:
        if request_id in self._cancelled:
            raise ReadingError(FailureKind.CANCELLED, "Reading was stopped.")

    def _recognise(self, request: RecognisePage) -> None:
        from aipc_app.reader.recognise import recognise_page

        _lower_priority()
        source = Source(Path(request.path), request.name, request.password, request.limits)
        with memory_limit(request.limits.memory_bytes):
            page = recognise_page(request, source)
        self._channel.send(PageRecognised(id=request.id, page=page))

    def _render(self, request: RenderPage) -> None:
        from aipc_app.reader.render import render_page

        source = Source(Path(request.path), request.name, request.password)
        with memory_limit(source.limits.memory_bytes):
            drawn = render_page(request, source)
        self._channel.send(drawn)

    def _write(self, request: WriteDocument) -> None:
        from aipc_app.reader.export.write import write_document

        self._channel.send(write_document(request))


def _quieten() -> None:
    """Libraries quote what they stumble over; that would be a user's text in the log."""
    form = "%(asctime)s %(levelname)s %(name)s: %(message)s"
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format=form)
    for library in ("pypdf", "pypdfium2", "charset_normalizer", "olefile", "msoffcrypto", "py7zr"):
        logging.getLogger(library).setLevel(logging.CRITICAL + 1)
    warnings.simplefilter("ignore")
    faulthandler.enable(sys.stderr)


def _lower_priority() -> None:
    """Reading must not make the window slow; drawing a page stays at the normal priority."""
    if hasattr(os, "nice") and os.nice(0) < _NICE:
        os.nice(_NICE)
