"""Reads requests and answers them. The reading thread never computes, so a cancel is seen at once."""

from __future__ import annotations

import os
import queue
import threading
import traceback
from typing import NoReturn

from engine.errors import EngineError, ProtocolError
from engine.host.store_desk import StoreDesk
from engine.native.devices import inspection
from engine.native.library import Library
from engine.runtime.generate import GenerateJob
from engine.runtime.loaded import Loaded, load
from engine.runtime.many import ManyJob
from engine.runtime.remember import RememberJob
from engine.runtime.scheduler import Scheduler
from engine.runtime.score import ScoreJob
from engine.types.generation import BranchEvent, GenerationEvent, Scores
from engine.wire import messages as wire
from engine.wire.framing import Channel, EndOfStream

_CHANGED = "Another model is being loaded; ask again when it is ready."
_LEAST_PROGRESS = 0.01


class Host:
    """One engine process's loop."""

    def __init__(self, channel: Channel[wire.EngineRequest], library: Library) -> None:
        self._channel, self._library = channel, library
        self._scheduler = Scheduler()
        self._desk = StoreDesk(self._scheduler, self._send)
        self._give_up_load = threading.Event()
        self._counting: queue.SimpleQueue[wire.CountTokens] = queue.SimpleQueue()

    def run(self) -> NoReturn:
        """Serve until the desktop closes its end; then write what waits to be written and exit, whatever is being
        computed."""
        self._scheduler.start()
        threading.Thread(target=self._count, name="tokens", daemon=True).start()
        code = 0
        try:
            while True:
                self._receive(self._channel.receive())
        except (EndOfStream, OSError):
            pass
        except ProtocolError:
            traceback.print_exc()
            code = 1
        self._desk.close()
        os._exit(code)

    def _receive(self, message: wire.EngineRequest) -> None:
        match message:
            case wire.Inspect():
                self._send(wire.Inspected(message.id, inspection(self._library)))
            case wire.Load():
                self._give_up_load.set()  # a load before this one is of no use any more
                give_up = self._give_up_load = threading.Event()
                self._scheduler.change_model(
                    lambda: self._load(message, give_up), _CHANGED, lambda loaded: self._tell(message.id, loaded)
                )
            case wire.CancelLoad():
                self._give_up_load.set()
            case wire.Unload():
                self._scheduler.change_model(lambda: self._unload(message), "The model was closed.")
            case wire.CountTokens():
                self._counting.put(message)
            case wire.Cancel():
                self._scheduler.cancel(message.id)
            case wire.CancelBranch():
                self._scheduler.cancel_part(message.id, message.branch)
            case _:
                self._receive_job(message)

    def _receive_job(self, message: wire.EngineRequest) -> None:
        match message:
            case wire.Generate():
                self._generate(message)
            case wire.GenerateMany():
                self._generate_many(message)
            case wire.Score():
                self._score(message)
            case wire.Remember():
                self._remember(message)
            case wire.Configure():
                self._desk.open(message.store)
            case wire.AskKnown() | wire.AskStore() | wire.Pin() | wire.Forget() | wire.Flush():
                self._desk.ask(message)

    def _generate(self, message: wire.Generate) -> None:
        id_ = message.id

        def emit(event: GenerationEvent) -> None:
            self._send(wire.Event(id_, event))

        self._scheduler.submit(GenerateJob(id_, message.request, emit, lambda error: self._fail(id_, error)))

    def _generate_many(self, message: wire.GenerateMany) -> None:
        id_ = message.id

        def emit(event: BranchEvent) -> None:
            self._send(wire.Branch(id_, event))

        self._scheduler.submit(ManyJob(id_, message.request, emit, lambda error: self._fail(id_, error)))

    def _remember(self, message: wire.Remember) -> None:
        id_ = message.id

        def emit(event: GenerationEvent) -> None:
            self._send(wire.Event(id_, event))

        self._scheduler.submit(RememberJob(id_, message.request, emit, lambda error: self._fail(id_, error)))

    def _score(self, message: wire.Score) -> None:
        id_ = message.id

        def report(scores: Scores) -> None:
            self._send(wire.Scored(id_, scores))

        self._scheduler.submit(ScoreJob(id_, message.request, report, lambda error: self._fail(id_, error)))

    def _load(self, message: wire.Load, give_up: threading.Event) -> Loaded | None:
        told = 0.0

        def progress(fraction: float) -> bool:
            nonlocal told
            if fraction - told >= _LEAST_PROGRESS or fraction >= 1.0:
                told = fraction
                self._send(wire.LoadProgress(message.id, fraction))
            return not give_up.is_set()

        try:
            loaded = load(self._library, message.request, progress, self._desk.store)
        except EngineError as error:
            self._fail(message.id, error)
            return None
        return loaded

    def _tell(self, id_: int, loaded: Loaded | None) -> None:
        """It is there, and can be asked from now on."""
        if loaded is not None:
            self._send(wire.Loaded(id_, loaded.description))

    def _unload(self, message: wire.Unload) -> None:
        self._send(wire.Unloaded(message.id))

    def _count(self) -> None:
        while True:
            message = self._counting.get()
            try:
                self._send(wire.Counted(message.id, self._scheduler.count_tokens(message.texts)))
            except EngineError as error:
                self._fail(message.id, error)

    def _fail(self, id_: int, error: EngineError) -> None:
        self._send(wire.failed(id_, error))

    def _send(self, reply: wire.EngineReply) -> None:
        try:
            self._channel.send(reply)
        except (OSError, ValueError):
            os._exit(0)  # the desktop is gone; so is the reason for this process
