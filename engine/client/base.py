"""The interface of an engine: a child process, a remote server and the fake one all look like this."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence

from engine.types.generation import (
    BranchEvent,
    GenerateRequest,
    GenerationEvent,
    ManyRequest,
    ScoreRequest,
    Scores,
)  # fmt: skip
from engine.types.model import EngineState, Inspection, LoadedModel, LoadRequest
from engine.types.prompt import Prompt
from engine.types.remembering import Known, RememberRequest, StoreStatus


class Generation(ABC):
    """One generation in progress. Iterate it once, from any one thread; the last event is `Generated`
    (`Remembered` when it came from `remember`).

    Iteration raises `EngineDied` when the child ends, or another `EngineError` for this request alone.
    """

    @abstractmethod
    def __iter__(self) -> Iterator[GenerationEvent]: ...

    @abstractmethod
    def cancel(self) -> None:
        """Stop within one piece of prefill or one token; returns at once, from any thread."""


class Branches(ABC):
    """Several answers in progress. Iterate once, from any one thread, until each branch has ended.

    Iteration raises `EngineDied` when the child ends, or another `EngineError` for all that have not ended.
    """

    @abstractmethod
    def __iter__(self) -> Iterator[BranchEvent]: ...

    @abstractmethod
    def cancel(self) -> None:
        """Stop them all within one step; returns at once, from any thread."""

    @abstractmethod
    def cancel_branch(self, branch: int) -> None:
        """Stop one of them within one step, its end still comes; returns at once, from any thread."""


class EngineClient(ABC):
    """All methods may be called from any thread; the blocking ones never from the window's."""

    @property
    @abstractmethod
    def state(self) -> EngineState:
        """The current state; never blocks."""

    @abstractmethod
    def subscribe(self, listener: Callable[[EngineState], None]) -> Callable[[], None]:
        """Call `listener` on each state change, from an engine thread. Returns how to stop it."""

    @abstractmethod
    def inspect(self) -> Inspection:
        """Devices and versions; starts the process if need be. Blocks."""

    @abstractmethod
    def load(self, request: LoadRequest, on_progress: Callable[[float], None] | None = None) -> LoadedModel:
        """Load a model in place of the present one. Blocks. Raises ModelError, OutOfMemory, EngineDied."""

    @abstractmethod
    def cancel_load(self) -> None:
        """Give up a load in progress; `load` then raises EngineError."""

    @abstractmethod
    def unload(self) -> None:
        """Free the model; the process stays."""

    @abstractmethod
    def generate(self, request: GenerateRequest) -> Generation:
        """Start a generation. Raises EngineDied or RequestInvalid at once when no model is loaded."""

    @abstractmethod
    def generate_many(self, request: ManyRequest) -> Branches:
        """Start several answers whose prompts share their beginning. Raises as `generate` does."""

    @abstractmethod
    def score(self, request: ScoreRequest) -> Scores:
        """Log-probability of each continuation. Blocks."""

    @abstractmethod
    def count_tokens(self, texts: Sequence[str]) -> tuple[int, ...]:
        """Tokens of each text as a segment of a prompt. Blocks briefly."""

    @abstractmethod
    def remember(self, request: RememberRequest) -> Generation:
        """Read a prompt's prefix and keep it: PrefillProgress …, then `Remembered`. Raises as `generate` does."""

    @abstractmethod
    def known(self, prompt: Prompt) -> Known:
        """How much of the prompt is remembered. Computes nothing on the model; blocks briefly. Needs a model."""

    @abstractmethod
    def store_status(self) -> StoreStatus:
        """What is kept, for whom. Starts the process if need be, needs no model. Blocks briefly."""

    @abstractmethod
    def pin(self, owner: str, pinned: bool) -> None:
        """What is kept for a pinned owner is not evicted to make room for others."""

    @abstractmethod
    def forget(self, owners: Sequence[str]) -> int:
        """Delete what is kept for these owners ("case:3") alone, and what holds text of these sources ("document:7"),
        whoever keeps it, with all that was read after it. Returns the bytes freed on disk; they are gone then."""

    @abstractmethod
    def forget_all(self) -> int:
        """Delete everything that is kept; bytes freed on disk."""

    @abstractmethod
    def flush(self) -> None:
        """Return when what was read is on disk, or the disk refused it (`store_status().problem` says so)."""

    @abstractmethod
    def close(self) -> None:
        """End the process and free everything; further calls raise EngineDied."""
