"""The engine in a child process: started on first need, watched, started again after a death."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from engine.client.base import Branches, EngineClient, Generation
from engine.client.connection import DIED, Connection, receive
from engine.client.states import StateBoard
from engine.client.streams import ProcessBranches, ProcessGeneration, Stream
from engine.errors import EngineBusy, EngineDied, EngineError, RequestInvalid
from engine.types.generation import GenerateRequest, ManyRequest, ScoreRequest, Scores
from engine.types.model import (
    EngineFailed,
    EngineLoading,
    EngineReady,
    EngineState,
    EngineStopped,
    Inspection,
    LoadedModel,
    LoadRequest,
)
from engine.types.prompt import Prompt
from engine.types.remembering import Known, RememberRequest, StoreSettings, StoreStatus
from engine.wire import messages as wire

BACK_OFF_S = (0.0, 1.0, 2.0, 5.0, 10.0)
_DIED_LOADING = "The engine stopped while it loaded this model; the file may be damaged or too large for this computer."
_NO_MODEL = "No model is loaded; choose one on the models page first."


class ProcessEngine(EngineClient):
    """An engine in a child process of its own.

    When the child dies, everything in flight raises EngineDied and the state is EngineFailed. The next call starts
    a new child, after a back-off that grows with deaths in a row; a call that needs a model then loads the last
    model that loaded well, with the same request, before it is served. A model that killed the child while loading
    is not tried again by itself. What is asked while a model is being loaded waits for it.

    `store` says where a child keeps what it read; each child is told after its greeting. None: only in its RAM.
    """

    def __init__(
        self, command: Sequence[str], log_path: Path, store: StoreSettings | None = None, *,
        back_off_s: Sequence[float] = BACK_OFF_S,
    ) -> None:  # fmt: skip
        first = [wire.Configure(store)] if store is not None else []
        self._connection = Connection(command, log_path, back_off_s, self._on_death, first)
        self._loading = threading.Lock()  # one thread starts a child or loads a model at a time
        self._board = StateBoard()
        self._last_good: LoadRequest | None = None
        self._has_model = False

    @property
    def state(self) -> EngineState:
        return self._board.state

    @property
    def pid(self) -> int | None:
        """Process id of the child, if there is one."""
        return self._connection.pid

    def subscribe(self, listener: Callable[[EngineState], None]) -> Callable[[], None]:
        return self._board.subscribe(listener)

    def inspect(self) -> Inspection:
        self._ensure_child()
        reply = self._connection.ask(lambda id_: wire.Inspect(id_))
        assert isinstance(reply, wire.Inspected)
        return reply.inspection

    def load(self, request: LoadRequest, on_progress: Callable[[float], None] | None = None) -> LoadedModel:
        if not self._loading.acquire(blocking=False):
            raise EngineBusy("Another model is being loaded; wait for it or stop it.")
        try:
            return self._load(request, on_progress)
        finally:
            self._loading.release()

    def cancel_load(self) -> None:
        if isinstance(self._board.state, EngineLoading):
            self._connection.post(wire.CancelLoad())

    def unload(self) -> None:
        with self._loading:
            self._last_good, self._has_model = None, False
            if self.pid is None:
                return
            self._connection.ask(lambda id_: wire.Unload(id_))
        self._board.announce(EngineStopped())

    def generate(self, request: GenerateRequest) -> Generation:
        return ProcessGeneration(self._begin(lambda id_: wire.Generate(id_, request)))

    def generate_many(self, request: ManyRequest) -> Branches:
        request.check()
        return ProcessBranches(self._begin(lambda id_: wire.GenerateMany(id_, request)), len(request.prompts))

    def score(self, request: ScoreRequest) -> Scores:
        self._ensure_model()
        reply = self._connection.ask(lambda id_: wire.Score(id_, request))
        assert isinstance(reply, wire.Scored)
        self._connection.lived()
        return reply.scores

    def count_tokens(self, texts: Sequence[str]) -> tuple[int, ...]:
        self._ensure_model()
        reply = self._connection.ask(lambda id_: wire.CountTokens(id_, tuple(texts)))
        assert isinstance(reply, wire.Counted)
        return reply.counts

    def remember(self, request: RememberRequest) -> Generation:
        return ProcessGeneration(self._begin(lambda id_: wire.Remember(id_, request)))

    def known(self, prompt: Prompt) -> Known:
        self._ensure_model()
        reply = self._connection.ask(lambda id_: wire.AskKnown(id_, prompt))
        assert isinstance(reply, wire.KnownOf)
        return reply.known

    def store_status(self) -> StoreStatus:
        self._ensure_child()
        reply = self._connection.ask(lambda id_: wire.AskStore(id_))
        assert isinstance(reply, wire.StoreIs)
        return reply.status

    def pin(self, owner: str, pinned: bool) -> None:
        self._ensure_child()
        self._connection.ask(lambda id_: wire.Pin(id_, owner, pinned))

    def forget(self, owners: Sequence[str]) -> int:
        return self._forget(tuple(owners))

    def forget_all(self) -> int:
        return self._forget(None)

    def flush(self) -> None:
        if self.pid is not None:  # else nothing waits to be written
            self._connection.ask(lambda id_: wire.Flush(id_))

    def close(self) -> None:
        self._board.over = True
        self._connection.close()
        self._board.announce(EngineStopped())

    def _begin(self, message: Callable[[int], wire.EngineRequest]) -> Stream:
        """Send at once when a model is there; else when iteration begins, after the restart."""
        self._connection.refuse_if_closed()
        if self._last_good is None and not isinstance(self._board.state, EngineLoading):
            raise RequestInvalid(_NO_MODEL)
        stream = Stream(self._connection, self._ensure_model, message)
        if self._has_model:
            stream.begin()
        return stream

    def _forget(self, owners: tuple[str, ...] | None) -> int:
        self._ensure_child()
        reply = self._connection.ask(lambda id_: wire.Forget(id_, owners))
        assert isinstance(reply, wire.Forgotten)
        return reply.bytes

    def _ensure_child(self) -> None:
        """Have a child, with or without a model. Blocks."""
        if self.pid is None:
            with self._loading:
                self._connection.ensure()

    def _ensure_model(self) -> None:
        """Have a child with a model; after a death start it and load the last good model again. Blocks."""
        if self._has_model:
            return
        with self._loading:
            self._connection.refuse_if_closed()
            if self._has_model:
                return
            request = self._last_good
            if request is None:
                raise RequestInvalid(_NO_MODEL)
            self._load(request, None)

    def _load(self, request: LoadRequest, on_progress: Callable[[float], None] | None) -> LoadedModel:
        """Holds `_loading`."""
        self._has_model = False
        self._board.announce(EngineLoading(request.path, 0.0))
        before, self._last_good = self._last_good, None
        try:
            self._connection.ensure()
            model = self._load_replies(request, on_progress)
        except EngineError as error:
            if before == request and not isinstance(error, EngineDied):
                self._last_good = before
            told = EngineDied(_DIED_LOADING) if error.message == DIED else error
            self._board.announce(EngineFailed(told.message, self._connection.wait_s))
            raise told from error
        self._last_good, self._has_model = request, True
        self._board.announce(EngineReady(model))
        if self.pid is None:  # it died right after it had loaded, and was told so before the lines above
            self._on_death()
        return model

    def _load_replies(self, request: LoadRequest, on_progress: Callable[[float], None] | None) -> LoadedModel:
        id_, mailbox = self._connection.register()
        self._connection.post(wire.Load(id_, request))
        try:
            while True:
                match receive(mailbox):
                    case wire.LoadProgress(fraction=fraction):
                        self._board.announce(EngineLoading(request.path, fraction))
                        if on_progress is not None:
                            on_progress(fraction)
                    case wire.Loaded(model=model):
                        return model
        finally:
            self._connection.forget(id_)

    def _on_death(self) -> None:
        self._has_model = False
        self._board.announce(EngineFailed(DIED, self._connection.wait_s))
