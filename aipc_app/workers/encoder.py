"""Client of the encoder process: vectors of texts, and the index they are looked up in."""

from __future__ import annotations

import itertools
import logging
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from aipc_app.domain.encoder_wire import (
    CancelEncode,
    Embed,
    Embedded,
    EncodeFailed,
    EncoderReply,
    IndexAdd,
    IndexCount,
    IndexDone,
    IndexRemove,
    IndexSearch,
    Neighbours,
    Rerank,
    Reranked,
    TextKind,
)
from aipc_app.errors import AipcError, Cancelled, EncoderUnavailable, IndexDamaged, WorkerDied
from aipc_app.workers.encoder_states import Closed, EncoderState, Idle, Ready, Starting, Unavailable
from engine.errors import ProtocolError
from engine.wire.child import ChildProcess

__all__ = ["Closed", "Encoder", "EncoderState", "Idle", "Ready", "Starting", "Unavailable", "Vectors"]

_LOG = logging.getLogger("aipc.workers")
_HELLO_TIMEOUT_S = 600.0  # a large model from a slow disk, on a busy computer
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.2, 30.0
_MOST_FAILED_STARTS = 5
_POLL_S = 0.05  # how soon a cancel is noticed
_LOG_BYTES = 2_000_000
_DIED = "The part of the program that compares meanings ended unexpectedly; it is being started again."
_NOT_READY = "The part of the program that compares meanings is not ready yet; try again in a moment."

Listener = Callable[[EncoderState], None]
Answer = TypeVar("Answer", Embedded, IndexDone, Neighbours, Reranked)


class Vectors(Struct, frozen=True, kw_only=True):
    """Rows of little-endian float32, each of length 1, made by `embedder`."""

    embedder: str
    dimensions: int
    data: bytes


class Encoder:
    """One encoder process, kept alive. Every method may be called from any thread.

    Calls block until answered. They raise WorkerDied when the process ends or isn't ready, EncoderUnavailable
    when it never will be, IndexDamaged when the index was lost, Cancelled, and AipcError for the rest.
    """

    def __init__(self, command: Sequence[str], log_dir: Path) -> None:
        """`command` carries the backend, the model folder and the vectors folder as arguments."""
        self._command, self._log_path = list(command), log_dir / "encoder.log"
        self._ids = itertools.count(1)
        self._state: EncoderState = Idle()
        self._changed = threading.Condition()
        self._listeners: list[Listener] = []
        self._child: ChildProcess[EncoderReply] | None = None
        self._waiting: dict[int, Future[EncoderReply]] = {}
        self._supervisor: threading.Thread | None = None
        self._was_useful = False

    @property
    def state(self) -> EncoderState:
        """Where it stands. Never blocks for long."""
        with self._changed:
            return self._state

    @property
    def ready(self) -> bool:
        """Calls can be made now."""
        return isinstance(self.state, Ready)

    @property
    def embedder(self) -> str | None:
        """Identity of the running embedder; None while there is none."""
        state = self.state
        return state.embedder if isinstance(state, Ready) else None

    def start(self) -> None:
        """Begin to start in the background. Does nothing when that was done, or can't help."""
        with self._changed:
            if not isinstance(self._state, Idle):
                return
            self._state = Starting()
            self._supervisor = threading.Thread(target=self._supervise, name="encoder", daemon=True)
            self._supervisor.start()
        self._tell()

    def wait_ready(self, timeout_s: float = _HELLO_TIMEOUT_S) -> str:
        """Start if needed and wait; the embedder's identity. Raises EncoderUnavailable, or WorkerDied in time."""
        self.start()
        with self._changed:
            self._changed.wait_for(lambda: not isinstance(self._state, Starting), timeout_s)
            state = self._state
        if isinstance(state, Ready):
            return state.embedder
        raise _not_ready(state)

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with each new state, and again when the index was lost; returns how to stop that.

        It is called from the encoder's threads and must return quickly.
        """
        with self._changed:
            self._listeners.append(listener)

        def stop() -> None:
            with self._changed:
                if listener in self._listeners:
                    self._listeners.remove(listener)

        return stop

    def embed(
        self,
        texts: Sequence[str],
        kind: TextKind,
        *,
        cancel: threading.Event | None = None,
        timeout_s: float | None = None,
    ) -> Vectors:
        """One row for each text, in order. Questions go before passages that are waiting."""
        request = Embed(next(self._ids), tuple(_encodable(text) for text in texts), kind)
        reply = self._ask(request, Embedded, cancel, timeout_s)
        return Vectors(embedder=reply.embedder, dimensions=reply.dimensions, data=reply.vectors)

    def index_add(
        self, collection: str, passage_ids: Sequence[int], document_ids: Sequence[int], vectors: bytes
    ) -> None:
        """Put vectors in, replacing those of the same passages; durable on return."""
        request = IndexAdd(next(self._ids), collection, tuple(passage_ids), tuple(document_ids), vectors)
        self._ask(request, IndexDone)

    def index_remove(self, collection: str, document_id: int | None) -> None:
        """Take out a document, or the whole collection for None; durable on return."""
        self._ask(IndexRemove(next(self._ids), collection, document_id), IndexDone)

    def index_search(
        self,
        collection: str,
        vector: bytes,
        limit: int,
        document_ids: Sequence[int] | None = None,
        *,
        timeout_s: float | None = None,
    ) -> tuple[tuple[int, float], ...]:
        """(passage id, cosine similarity), best first."""
        chosen = None if document_ids is None else tuple(document_ids)
        reply = self._ask(IndexSearch(next(self._ids), collection, vector, limit, chosen), Neighbours, None, timeout_s)
        return tuple(zip(reply.passage_ids, reply.similarities, strict=True))

    def index_count(self, collection: str) -> int:
        """How many vectors a collection holds."""
        return self._ask(IndexCount(next(self._ids), collection), IndexDone).count

    def rerank(self, query: str, texts: Sequence[str], *, cancel: threading.Event | None = None) -> tuple[float, ...]:
        """How well each text answers the query by the user's cross-encoder, larger is better. Takes seconds.

        Waits for the encoder to be ready. Raises AipcError with a sentence where there is no such model, or it
        can't be loaded.
        """
        self.wait_ready()
        request = Rerank(next(self._ids), _encodable(query), tuple(_encodable(text) for text in texts))
        return self._ask(request, Reranked, cancel).scores

    def close(self) -> None:
        """End the process and the threads; what waits for an answer gets WorkerDied."""
        with self._changed:
            self._state = Closed()
            child, supervisor = self._child, self._supervisor
            self._changed.notify_all()
        if child is not None:
            child.close()
        if supervisor is not None and supervisor is not threading.current_thread():
            supervisor.join()

    # -- asking --

    def _ask(
        self,
        request: Embed | IndexAdd | IndexRemove | IndexSearch | IndexCount | Rerank,
        answer: type[Answer],
        cancel: threading.Event | None = None,
        timeout_s: float | None = None,
    ) -> Answer:
        future: Future[EncoderReply] = Future()
        with self._changed:
            if not isinstance(self._state, Ready) or self._child is None:
                raise _not_ready(self._state)
            child = self._child
            self._waiting[request.id] = future
        try:
            if not child.send(request):
                raise WorkerDied(_DIED)
            reply = self._await(future, request.id, child, cancel, timeout_s)
        finally:
            with self._changed:
                self._waiting.pop(request.id, None)
        if isinstance(reply, EncodeFailed):
            raise self._error(reply)
        if not isinstance(reply, answer):
            raise ProtocolError(f"{type(request).__name__} was answered with {type(reply).__name__}.")
        return reply

    def _await(
        self,
        future: Future[EncoderReply],
        request_id: int,
        child: ChildProcess[EncoderReply],
        cancel: threading.Event | None,
        timeout_s: float | None,
    ) -> EncoderReply:
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while True:
            left = None if deadline is None else deadline - time.monotonic()
            wait_s = left if cancel is None else min(_POLL_S, _POLL_S if left is None else left)
            try:
                return future.result(wait_s)
            except FutureTimeout:
                if cancel is not None and cancel.is_set():
                    child.send(CancelEncode(request_id))
                    raise Cancelled from None
                if deadline is not None and time.monotonic() >= deadline:
                    child.send(CancelEncode(request_id))
                    raise AipcError("Search by meaning took too long; try again in a moment.") from None

    def _error(self, failed: EncodeFailed) -> AipcError:
        match failed.kind:
            case "cancelled":
                return Cancelled()
            case "damaged_index":
                self._tell()
                return IndexDamaged(failed.reason)
            case _:
                return AipcError(failed.reason)

    # -- the process --

    def _supervise(self) -> None:
        """Start a process, wait until it is gone, start the next one, later each time nothing came of it."""
        failed_starts, pause_s = 0, _FIRST_PAUSE_S
        while True:
            gone = threading.Event()
            self._was_useful = False
            greeted = self._start_child(gone)
            if greeted:
                gone.wait()
                failed_starts = 0
            else:
                failed_starts += 1
            pause_s = _FIRST_PAUSE_S if self._was_useful else min(pause_s * 2, _LONGEST_PAUSE_S)
            if not self._goes_on(failed_starts, pause_s):
                return

    def _goes_on(self, failed_starts: int, pause_s: float) -> bool:
        """Say that the process is gone and wait before the next; False when there is to be none."""
        if failed_starts >= _MOST_FAILED_STARTS:
            self._become(Unavailable(reason=_never_starts(self._log_path)))
        else:
            self._become(Starting())
        with self._changed:
            return not self._changed.wait_for(lambda: not isinstance(self._state, Starting), pause_s)

    def _start_child(self, gone: threading.Event) -> bool:
        """Whether a process came to say Hello without a problem; the state tells the rest."""
        _shorten(self._log_path)

        def on_exit(status: int) -> None:
            self._on_exit(status)
            gone.set()

        try:
            with self._changed:
                if isinstance(self._state, Closed):
                    return False
                child: ChildProcess[EncoderReply] = ChildProcess(
                    self._command, accepts=EncoderReply, log_path=self._log_path,
                    on_message=self._on_message, on_exit=on_exit,
                )  # fmt: skip
                self._child = child
        except OSError as error:
            _LOG.warning("the encoder can't be started: %s", error.strerror)
            return False
        try:
            hello = child.wait_ready(_HELLO_TIMEOUT_S)
        except ProtocolError as error:
            self._not_started(child, error)
            gone.wait()
            child.close()
            return False
        self._become(Ready(embedder=hello.facts["embedder"], dimensions=int(hello.facts["dimensions"])))
        return True

    def _not_started(self, child: ChildProcess[EncoderReply], error: ProtocolError) -> None:
        """A child that said why it can't will say so again: no other is started. One that just died may not."""
        if child.hello is not None:
            _LOG.warning("search by meaning is not available: %s", error.message)
            self._become(Unavailable(reason=error.message))
            child.kill()

    def _on_message(self, message: EncoderReply) -> None:
        self._was_useful = True
        with self._changed:
            future = self._waiting.pop(getattr(message, "id", 0), None)
        if future is not None:
            future.set_result(message)

    def _on_exit(self, status: int) -> None:
        with self._changed:
            waiting, self._waiting = self._waiting, {}
            closing = not isinstance(self._state, Ready | Starting)
        if not closing:
            _LOG.warning("the encoder ended with status %d, %d requests waited", status, len(waiting))
            self._become(Starting())
        for future in waiting.values():
            future.set_exception(WorkerDied(_DIED))

    def _become(self, state: EncoderState) -> None:
        with self._changed:
            if isinstance(self._state, Unavailable | Closed) or state == self._state:
                return
            self._state = state
            self._changed.notify_all()
        self._tell()

    def _tell(self) -> None:
        with self._changed:
            state, listeners = self._state, list(self._listeners)
        for listener in listeners:
            listener(state)


def _not_ready(state: EncoderState) -> AipcError:
    if isinstance(state, Unavailable):
        return EncoderUnavailable(state.reason)
    if isinstance(state, Closed):
        return WorkerDied("The part of the program that compares meanings was closed.")
    return WorkerDied(_NOT_READY)


def _never_starts(log_path: Path) -> str:
    return (
        "The part of the program that compares meanings ends as soon as it is started; search goes on by keyword. "
        f"The file {log_path} says more."
    )


def _encodable(text: str) -> str:
    """Half of a surrogate pair can't cross the wire."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _shorten(log_path: Path) -> None:
    """Begin a new log when the old one has grown; one old one is kept."""
    try:
        if log_path.stat().st_size > _LOG_BYTES:
            log_path.replace(log_path.with_suffix(".log.1"))
    except OSError:
        pass  # there is none yet, or it is kept as it is
