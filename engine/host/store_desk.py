"""Answers what the desktop asks about the store, on threads of its own: nothing computed is waited for."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor

from engine.errors import EngineError
from engine.kv.store import BlockStore
from engine.runtime.job import Job
from engine.runtime.loaded import Loaded
from engine.runtime.scheduler import Scheduler
from engine.types.generation import Priority
from engine.types.remembering import StoreSettings, StoreStatus
from engine.wire import messages as wire

CLOSING_S = 2.0  # for what waits to be written, once the desktop is gone
_THREADS = 3
_OF_NO_REQUEST = -1
_NO_STORE = StoreStatus(
    enabled=False, ram_bytes=0, ram_quota=0, disk_bytes=0, disk_quota=0, blocks=0, owners=()
)  # fmt: skip

AboutStore = wire.AskKnown | wire.AskStore | wire.Pin | wire.Forget | wire.Flush


class StoreDesk:
    """The store, if the desktop wants one, and its clerks."""

    def __init__(self, scheduler: Scheduler, send: Callable[[wire.EngineReply], None]) -> None:
        self._scheduler, self._send = scheduler, send
        self._clerks = ThreadPoolExecutor(_THREADS, "store")
        self.store: BlockStore | None = None

    def open(self, settings: StoreSettings) -> None:
        """Begin to look at what is on disk. Called once, before anything else is asked."""
        self.store = BlockStore(settings)
        self.store.start()

    def ask(self, message: AboutStore) -> None:
        """Answer in due time. Any thread."""
        self._clerks.submit(self._answer, message)

    def close(self) -> None:
        """Let what waits be written."""
        if self.store is not None:
            self.store.close(CLOSING_S)

    def _answer(self, message: AboutStore) -> None:
        try:
            self._send(self._reply(message))
        except EngineError as error:
            self._send(wire.failed(message.id, error))
        except Exception:  # ours to mend: this question fails, the engine goes on
            traceback.print_exc()
            mistake = EngineError("The engine made a mistake; ask again. Its log has the details.")
            self._send(wire.failed(message.id, mistake))

    def _reply(self, message: AboutStore) -> wire.EngineReply:
        store = self.store
        match message:
            case wire.AskKnown():
                return wire.KnownOf(message.id, self._scheduler.known(message.prompt))
            case wire.AskStore():
                return wire.StoreIs(message.id, store.status() if store is not None else _NO_STORE)
            case wire.Forget():
                return wire.Forgotten(message.id, self._forget(message.owners))
            case wire.Pin() if store is not None:
                store.pin(message.owner, message.pinned)
            case wire.Flush() if store is not None:
                store.flush()
        return wire.Done(message.id)

    def _forget(self, owners: tuple[str, ...] | None) -> int:
        """Out of the store before the reply; out of the context as soon as it is nobody's turn."""
        freed = 0
        if self.store is not None:
            freed = self.store.forget_all() if owners is None else self.store.forget(owners)
        self._scheduler.submit(_Wipe())
        return freed


class _Wipe(Job):
    """Empties the context and the shelf."""

    def __init__(self) -> None:
        super().__init__(_OF_NO_REQUEST, Priority.USER)

    def steps(self, loaded: Loaded) -> Generator[None, None, None]:
        loaded.prefixes.forget()
        return
        yield

    def suspend(self) -> None: ...

    def stopped(self) -> None: ...

    def fail(self, error: EngineError) -> None:
        """There was no model, or another one came: then the context is gone as well."""
