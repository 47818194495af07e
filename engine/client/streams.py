"""Requests that are answered by many replies, as the desktop iterates them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator

from engine.client.base import Branches, Generation
from engine.client.connection import Connection, Mailbox, receive
from engine.types.generation import BranchEvent, Generated, GenerationEvent, Remembered
from engine.wire import messages as wire


class Stream:
    """One such request. Sent by `begin`; else when iteration begins, after `ensure_model`."""

    def __init__(
        self, connection: Connection, ensure_model: Callable[[], None],
        message: Callable[[int], wire.EngineRequest],
    ) -> None:  # fmt: skip
        self._connection, self._ensure_model, self._message = connection, ensure_model, message
        self._lock = threading.Lock()
        self._id: int | None = None
        self._mailbox: Mailbox | None = None
        self._cancels: list[Callable[[int], wire.EngineRequest]] = []

    def begin(self) -> None:
        """Send the request. Raises EngineDied."""
        with self._lock:
            if self._mailbox is None:
                self._id, self._mailbox = self._connection.register()
                for message in (self._message, *self._cancels):
                    self._connection.post(message(self._id))

    def cancel(self, message: Callable[[int], wire.EngineRequest] = wire.Cancel) -> None:
        """Stop it, or what `message` says of it. Any thread."""
        with self._lock:
            self._cancels.append(message)
            if self._id is not None:
                self._connection.post(message(self._id))

    def replies(self) -> Generator[wire.EngineReply, None, None]:
        """The replies as they come. Blocks. Raises what failed."""
        if self._mailbox is None:
            self._ensure_model()
            self.begin()
        assert self._id is not None and self._mailbox is not None
        try:
            while True:
                yield receive(self._mailbox)
        finally:
            self._connection.forget(self._id)

    def lived(self) -> None:
        """It was served to its end."""
        self._connection.lived()


class ProcessGeneration(Generation):
    """A generation, or a remembering, in the child."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def cancel(self) -> None:
        self._stream.cancel()

    def __iter__(self) -> Iterator[GenerationEvent]:
        replies = self._stream.replies()
        try:
            for reply in replies:
                assert isinstance(reply, wire.Event)
                if isinstance(reply.event, Generated | Remembered):
                    self._stream.lived()
                    yield reply.event
                    return
                yield reply.event
        except GeneratorExit:
            self.cancel()  # the iteration was given up
            raise
        finally:
            replies.close()


class ProcessBranches(Branches):
    """Several answers from the child."""

    def __init__(self, stream: Stream, branches: int) -> None:
        self._stream, self._branches = stream, branches

    def cancel(self) -> None:
        self._stream.cancel()

    def cancel_branch(self, branch: int) -> None:
        self._stream.cancel(lambda id_: wire.CancelBranch(id_, branch))

    def __iter__(self) -> Iterator[BranchEvent]:
        replies, left = self._stream.replies(), self._branches
        try:
            while left:
                reply = next(replies)
                assert isinstance(reply, wire.Branch)
                left -= reply.event.ends
                if not left:
                    self._stream.lived()
                yield reply.event
        except GeneratorExit:
            self.cancel()
            raise
        finally:
            replies.close()
