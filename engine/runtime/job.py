"""What the scheduler runs: requests that go forward step by step and can be stopped or set aside between steps."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Generator
from typing import TYPE_CHECKING

from engine.errors import EngineError
from engine.types.generation import Priority

if TYPE_CHECKING:
    from engine.runtime.loaded import Loaded


class Stopped(Exception):
    """The request was cancelled."""


class Job(ABC):
    """One request. `steps` yields after each piece of prefill and each token, where it may be suspended."""

    def __init__(self, id_: int, priority: Priority, owner: str = "") -> None:
        """`owner` is who what is read for it is kept for."""
        self.id, self.priority, self.owner = id_, priority, owner
        self.cancelled = False
        self.superseded = ""  # why, when a change of the model ended it
        self.queued_at = time.monotonic()

    @abstractmethod
    def steps(self, loaded: Loaded) -> Generator[None, None, None]:
        """Do the work and report its end. Raises EngineError for this request alone, Stopped when cancelled."""

    @abstractmethod
    def suspend(self) -> None:
        """Another request goes first; `steps` goes on after it."""

    @abstractmethod
    def stopped(self) -> None:
        """Report the end of a request that was cancelled, perhaps before its first step."""

    def cancel_part(self, part: int) -> None:  # noqa: B027 -- most requests have no parts
        """Stop one of the answers that this request asks for, at its next step. Any thread."""

    @abstractmethod
    def fail(self, error: EngineError) -> None:
        """Report the error."""
