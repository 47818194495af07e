"""The engine in a child process: started on first need, watched, started again after a death."""

from __future__ import annotations

import itertools
import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from engine.client.base import EngineClient, Generation
from engine.errors import EngineBusy, EngineDied, EngineError, ProtocolError, RequestInvalid
from engine.types.generation import Generated, GenerateRequest, GenerationEvent, ScoreRequest, Scores
from engine.types.model import (
    EngineFailed,
    EngineLoading,
    EngineReady,
    EngineState,
    EngineStopped,
    Inspection,
    LoadedModel,
    LoadRequest,
)  # fmt: skip
from engine.wire import messages as wire
from engine.wire.child import ChildProcess

BACK_OFF_S = (0.0, 1.0, 2.0, 5.0, 10.0)
_DIED = "The engine stopped unexpectedly. It is started again with the same model at the next question."
_CLOSED = "The engine has been closed."

Mailbox = queue.SimpleQueue[wire.EngineReply | EngineError]


class ProcessEngine(EngineClient):
    """An engine in a child process of its own.

    When the child dies, everything in flight raises EngineDied and the state is EngineFailed. The next call starts
    a new child, after a back-off that grows with deaths in a row; a call that needs a model then loads the last
    model that loaded well, with the same request, before it is served. A model that killed the child while loading
    is not tried again by itself.
    """

    def __init__(self, command: Sequence[str], log_path: Path, *, back_off_s: Sequence[float] = BACK_OFF_S) -> None:
        self._command, self._log_path, self._back_off_s = list(command), log_path, tuple(back_off_s)
        self._lock = threading.Condition()
        self._starting = threading.Lock()  # one thread starts a child or loads a model at a time
        self._ids = itertools.count(1)
        self._child: ChildProcess[wire.EngineReply] | None = None
        self._mailboxes: dict[int, Mailbox] = {}
        self._state: EngineState = EngineStopped()
        self._listeners: list[Callable[[EngineState], None]] = []
        self._last_good: LoadRequest | None = None
        self._has_model, self._closed = False, False
        self._deaths, self._not_before = 0, 0.0

    @property
    def state(self) -> EngineState:
        return self._state

    @property
    def pid(self) -> int | None:
        """Process id of the child, if there is one."""
        child = self._child
        return child.pid if child is not None else None

    def subscribe(self, listener: Callable[[EngineState], None]) -> Callable[[], None]:
        with self._lock:
            self._listeners.append(listener)

        def stop() -> None:
            with self._lock:
                if listener in self._listeners:
                    self._listeners.remove(listener)

        return stop

    def inspect(self) -> Inspection:
        with self._starting:
            self._ensure_child()
        reply = self._ask(lambda id_: wire.Inspect(id_))
        assert isinstance(reply, wire.Inspected)
        return reply.inspection

    def load(self, request: LoadRequest, on_progress: Callable[[float], None] | None = None) -> LoadedModel:
        if not self._starting.acquire(blocking=False):
            raise EngineBusy("Another model is being loaded; wait for it or stop it.")
        try:
            return self._load(request, on_progress)
        finally:
            self._starting.release()

    def cancel_load(self) -> None:
        if isinstance(self._state, EngineLoading):
            self._post(wire.CancelLoad())

    def unload(self) -> None:
        with self._starting:
            self._last_good, self._has_model = None, False
            if self._child is None:
                return
            self._ask(lambda id_: wire.Unload(id_))
        self._set_state(EngineStopped())

    def generate(self, request: GenerateRequest) -> Generation:
        with self._lock:
            self._refuse_if_closed()
            if self._last_good is None:
                raise RequestInvalid("No model is loaded; choose one on the models page first.")
        generation = _ProcessGeneration(self, request)
        if self._has_model:
            generation.begin()
        return generation

    def score(self, request: ScoreRequest) -> Scores:
        self._ensure_model()
        reply = self._ask(lambda id_: wire.Score(id_, request))
        assert isinstance(reply, wire.Scored)
        self._lived()
        return reply.scores

    def count_tokens(self, texts: Sequence[str]) -> tuple[int, ...]:
        self._ensure_model()
        reply = self._ask(lambda id_: wire.CountTokens(id_, tuple(texts)))
        assert isinstance(reply, wire.Counted)
        return reply.counts

    def close(self) -> None:
        with self._lock:
            self._closed = True
            child, self._child = self._child, None
            mailboxes = self._take_mailboxes()
            self._lock.notify_all()
        if child is not None:
            child.close()
        for mailbox in mailboxes:
            mailbox.put(EngineDied(_CLOSED))
        self._set_state(EngineStopped())

    # -- for _ProcessGeneration ------------------------------------------------------------------

    def _open(self, request: GenerateRequest) -> tuple[int, Mailbox]:
        id_, mailbox = self._register()
        self._post(wire.Generate(id_, request))
        return id_, mailbox

    def _post(self, message: wire.EngineRequest) -> None:
        child = self._child
        if child is not None:
            child.send(message)

    def _forget(self, id_: int) -> None:
        with self._lock:
            self._mailboxes.pop(id_, None)

    def _lived(self) -> None:
        """A request was served to its end: the next death starts the back-off anew."""
        self._deaths = 0

    def _ensure_model(self) -> None:
        """Have a child with a model; after a death start it and load the last good model again. Blocks."""
        if self._has_model:
            return
        with self._starting:
            if self._has_model:
                return
            request = self._last_good
            if request is None:
                raise RequestInvalid("No model is loaded; choose one on the models page first.")
            self._load(request, None)

    # -- child and mailboxes ---------------------------------------------------------------------

    def _load(self, request: LoadRequest, on_progress: Callable[[float], None] | None) -> LoadedModel:
        """Holds `_starting`."""
        self._has_model = False
        self._set_state(EngineLoading(request.path, 0.0))
        self._last_good, before = None, self._last_good
        try:
            self._ensure_child()
            self._set_state(EngineLoading(request.path, 0.0))
            model = self._load_replies(request, on_progress)
        except EngineError as error:
            if before == request and not isinstance(error, EngineDied):
                self._last_good = before
            self._set_state(EngineFailed(error.message, self._wait_s()))
            raise
        with self._lock:
            self._last_good, self._has_model = request, self._child is not None
        self._set_state(EngineReady(model))
        return model

    def _load_replies(self, request: LoadRequest, on_progress: Callable[[float], None] | None) -> LoadedModel:
        id_, mailbox = self._register()
        self._post(wire.Load(id_, request))
        try:
            while True:
                match self._receive(mailbox):
                    case wire.LoadProgress(fraction=fraction):
                        self._set_state(EngineLoading(request.path, fraction))
                        if on_progress is not None:
                            on_progress(fraction)
                    case wire.Loaded(model=model):
                        return model
        finally:
            self._forget(id_)

    def _ensure_child(self) -> None:
        """Holds `_starting`. Raises EngineDied when closed or when the child can't be started."""
        with self._lock:
            self._refuse_if_closed()
            if self._child is not None:
                return
            self._lock.wait_for(lambda: self._closed, timeout=self._wait_s())
            self._refuse_if_closed()
        try:
            child = self._start()
            child.wait_ready()
        except (ProtocolError, OSError) as error:
            self._note_death()
            message = error.message if isinstance(error, EngineError) else f"The engine can't be started ({error})."
            raise EngineDied(message) from error
        with self._lock:
            if child.alive and not self._closed:
                self._child = child
                return
        child.close()
        raise EngineDied(_CLOSED if self._closed else _DIED)

    def _start(self) -> ChildProcess[wire.EngineReply]:
        holder: list[ChildProcess[wire.EngineReply]] = []
        child: ChildProcess[wire.EngineReply] = ChildProcess(
            self._command, accepts=wire.EngineReply, log_path=self._log_path, on_message=self._deliver,
            on_exit=lambda _: self._on_exit(holder),
        )
        holder.append(child)
        return child

    def _deliver(self, message: wire.EngineReply) -> None:
        id_ = getattr(message, "id", None)
        with self._lock:
            mailbox = self._mailboxes.get(id_) if id_ is not None else None
        if mailbox is not None:
            mailbox.put(message)

    def _on_exit(self, holder: list[ChildProcess[wire.EngineReply]]) -> None:
        with self._lock:
            if not holder or self._child is not holder[0]:
                return  # it never became ours (its start failed), or we closed it
            self._child, self._has_model = None, False
            mailboxes = self._take_mailboxes()
        self._note_death()
        for mailbox in mailboxes:
            mailbox.put(EngineDied(_DIED))
        self._set_state(EngineFailed(_DIED, self._wait_s()))

    def _note_death(self) -> None:
        with self._lock:
            delay = self._back_off_s[min(self._deaths, len(self._back_off_s) - 1)]
            self._deaths += 1
            self._not_before = time.monotonic() + delay

    def _wait_s(self) -> float:
        return max(0.0, self._not_before - time.monotonic())

    def _take_mailboxes(self) -> list[Mailbox]:
        mailboxes, self._mailboxes = list(self._mailboxes.values()), {}
        return mailboxes

    def _register(self) -> tuple[int, Mailbox]:
        """A mailbox for one request. Raises EngineDied when there is no child to ask."""
        with self._lock:
            self._refuse_if_closed()
            if self._child is None:
                raise EngineDied(_DIED)
            id_, mailbox = next(self._ids), Mailbox()
            self._mailboxes[id_] = mailbox
            return id_, mailbox

    def _ask(self, message: Callable[[int], wire.EngineRequest]) -> wire.EngineReply:
        id_, mailbox = self._register()
        try:
            self._post(message(id_))
            return self._receive(mailbox)
        finally:
            self._forget(id_)

    @staticmethod
    def _receive(mailbox: Mailbox) -> wire.EngineReply:
        """The next reply. Raises what failed."""
        reply = mailbox.get()
        if isinstance(reply, EngineError):
            raise reply
        if isinstance(reply, wire.Failed):
            raise wire.error_of(reply)
        return reply

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise EngineDied(_CLOSED)

    def _set_state(self, state: EngineState) -> None:
        with self._lock:
            self._state = EngineStopped() if self._closed else state
            listeners, told = list(self._listeners), self._state
        for listener in listeners:
            listener(told)


class _ProcessGeneration(Generation):
    """Sent at once when the engine is ready; else when iteration begins, after the restart."""

    def __init__(self, engine: ProcessEngine, request: GenerateRequest) -> None:
        self._engine, self._request = engine, request
        self._lock = threading.Lock()
        self._id: int | None = None
        self._mailbox: Mailbox | None = None
        self._cancelled = False

    def begin(self) -> None:
        """Send the request. Raises EngineDied."""
        with self._lock:
            if self._mailbox is None:
                self._id, self._mailbox = self._engine._open(self._request)
                if self._cancelled:
                    self._engine._post(wire.Cancel(self._id))

    def cancel(self) -> None:
        with self._lock:
            self._cancelled = True
            if self._id is not None:
                self._engine._post(wire.Cancel(self._id))

    def __iter__(self) -> Iterator[GenerationEvent]:
        if self._mailbox is None:
            self._engine._ensure_model()
            self.begin()
        assert self._id is not None and self._mailbox is not None
        ended = False
        try:
            while not ended:
                try:
                    reply = self._engine._receive(self._mailbox)
                except EngineError:
                    ended = True
                    raise
                assert isinstance(reply, wire.Event)
                if isinstance(reply.event, Generated):
                    ended = True
                    self._engine._lived()
                yield reply.event
        finally:
            if not ended:
                self.cancel()  # the iteration was given up
            self._engine._forget(self._id)
