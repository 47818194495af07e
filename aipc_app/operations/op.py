"""A user action as a value: what to do, its events, and how to stop it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

Result_co = TypeVar("Result_co", covariant=True)
First = TypeVar("First")
Emit = Callable[[Any], None]


def ignore(_event: Any) -> None:
    """For callers that want the result alone."""


@dataclass(frozen=True)
class Op(Generic[Result_co]):
    """An action that has not started. `run` blocks; never call it on the window's thread.

    Events go to `emit` on the running thread. Setting `cancel` ends it with `Cancelled`, or with what was
    done so far where the action says so. Raises AipcError or EngineError.
    """

    name: str
    work: Callable[[Emit, threading.Event], Result_co]

    def run(self, emit: Emit = ignore, cancel: threading.Event | None = None) -> Result_co:
        return self.work(emit, cancel or threading.Event())


def after(op: Op[First], work: Callable[[First], Result_co]) -> Op[Result_co]:
    """`work` on the result of `op`, on the same thread."""
    return Op(op.name, lambda emit, cancel: work(op.run(emit, cancel)))


def simply(name: str, work: Callable[[], Result_co]) -> Op[Result_co]:
    """An action without events that is over too soon to be stopped."""
    return Op(name, lambda _emit, _cancel: work())
