"""A connection to the engine's process: starts it on need, pairs replies with requests, notices its death."""

from __future__ import annotations

import itertools
import queue
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from engine.errors import EngineDied, EngineError, ProtocolError
from engine.wire import messages as wire
from engine.wire.child import ChildProcess

DIED = "The engine stopped unexpectedly. It is started again with the same model at the next question."
CLOSED = "The engine has been closed."

Mailbox = queue.SimpleQueue[wire.EngineReply | EngineError]


class Connection:
    """At most one child at a time. `on_death` is called from a thread of its own after each unexpected end.

    `first` is what each child is told right after its greeting.

    All methods may be called from any thread, but `ensure` by one thread at a time.
    """

    def __init__(
        self, command: Sequence[str], log_path: Path, back_off_s: Sequence[float], on_death: Callable[[], None],
        first: Sequence[wire.EngineRequest] = (),
    ) -> None:  # fmt: skip
        self._command, self._log_path, self._back_off_s = list(command), log_path, tuple(back_off_s)
        self._on_death, self._first = on_death, tuple(first)
        self._lock = threading.Condition()
        self._ids = itertools.count(1)
        self._child: ChildProcess[wire.EngineReply] | None = None
        self._newborn: ChildProcess[wire.EngineReply] | None = None  # started, its hand-shake still to come
        self._mailboxes: dict[int, Mailbox] = {}
        self._deaths, self._not_before = 0, 0.0
        self._closed = False

    @property
    def pid(self) -> int | None:
        child = self._child
        return child.pid if child is not None else None

    @property
    def wait_s(self) -> float:
        """Seconds until a new child may be started."""
        return max(0.0, self._not_before - time.monotonic())

    def ensure(self) -> None:
        """Have a child, waiting out the back-off. Raises EngineDied when closed or when it can't be started."""
        with self._lock:
            self.refuse_if_closed()
            if self._child is not None:
                return
            self._lock.wait_for(lambda: self._closed, timeout=self.wait_s)
            self.refuse_if_closed()
        child, problem = self._start()
        with self._lock:
            self._newborn = None
            if not problem and child.alive and not self._closed:
                self._child = child
                return
        child.close()
        self.refuse_if_closed()
        self._note_death()
        raise EngineDied(problem or DIED)

    def register(self) -> tuple[int, Mailbox]:
        """An id and a mailbox for one request. Raises EngineDied when there is no child to ask."""
        with self._lock:
            self.refuse_if_closed()
            if self._child is None:
                raise EngineDied(DIED)
            id_, mailbox = next(self._ids), Mailbox()
            self._mailboxes[id_] = mailbox
            return id_, mailbox

    def forget(self, id_: int) -> None:
        """No more replies to this request are wanted."""
        with self._lock:
            self._mailboxes.pop(id_, None)

    def post(self, message: wire.EngineRequest) -> None:
        """Send; when the child is gone, its death reaches the mailboxes by itself."""
        child = self._child
        if child is not None:
            child.send(message)

    def ask(self, message: Callable[[int], wire.EngineRequest]) -> wire.EngineReply:
        """One request with one reply. Blocks. Raises what failed."""
        id_, mailbox = self.register()
        try:
            self.post(message(id_))
            return receive(mailbox)
        finally:
            self.forget(id_)

    def lived(self) -> None:
        """A request was served to its end: the next death starts the back-off anew."""
        self._deaths = 0

    def refuse_if_closed(self) -> None:
        """Raises EngineDied after `close`."""
        if self._closed:
            raise EngineDied(CLOSED)

    def close(self) -> None:
        """End the child; what is in flight raises EngineDied."""
        with self._lock:
            self._closed = True
            child, self._child = self._child or self._newborn, None
            mailboxes = self._take_mailboxes()
            self._lock.notify_all()
        if child is not None:
            child.close()
        for mailbox in mailboxes:
            mailbox.put(EngineDied(CLOSED))

    def _start(self) -> tuple[ChildProcess[wire.EngineReply], str]:
        """A new child, and why it is of no use ("" when it is)."""
        holder: list[ChildProcess[wire.EngineReply]] = []
        try:
            child: ChildProcess[wire.EngineReply] = ChildProcess(
                self._command, accepts=wire.EngineReply, log_path=self._log_path, on_message=self._deliver,
                on_exit=lambda _: self._on_exit(holder),
            )
        except OSError as error:
            self._note_death()
            raise EngineDied(f"The engine can't be started ({error.strerror}); install the program again.") from error
        holder.append(child)
        with self._lock:
            self._newborn = child
        try:
            child.wait_ready()
        except ProtocolError as error:
            return child, error.message
        for message in self._first:
            child.send(message)
        return child, ""

    def _deliver(self, message: wire.EngineReply) -> None:
        id_ = getattr(message, "id", None)
        with self._lock:
            mailbox = self._mailboxes.get(id_) if id_ is not None else None
        if mailbox is not None:
            mailbox.put(message)

    def _on_exit(self, holder: Sequence[ChildProcess[wire.EngineReply]]) -> None:
        with self._lock:
            if not holder or self._child is not holder[0]:
                return  # it never became ours, or we closed it
            self._child = None
            mailboxes = self._take_mailboxes()
        self._note_death()
        self._on_death()
        for mailbox in mailboxes:
            mailbox.put(EngineDied(DIED))

    def _note_death(self) -> None:
        with self._lock:
            delay = self._back_off_s[min(self._deaths, len(self._back_off_s) - 1)]
            self._deaths += 1
            self._not_before = time.monotonic() + delay

    def _take_mailboxes(self) -> list[Mailbox]:
        mailboxes, self._mailboxes = list(self._mailboxes.values()), {}
        return mailboxes


def receive(mailbox: Mailbox) -> wire.EngineReply:
    """The next reply to a request. Blocks. Raises what failed."""
    reply = mailbox.get()
    if isinstance(reply, EngineError):
        raise reply
    if isinstance(reply, wire.Failed):
        raise wire.error_of(reply)
    return reply
