"""The interface of an engine: a child process, a remote server and the fake one all look like this."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence

from engine.types.generation import GenerateRequest, GenerationEvent, ScoreRequest, Scores
from engine.types.model import EngineState, Inspection, LoadedModel, LoadRequest


class Generation(ABC):
    """One generation in progress. Iterate it once, from any one thread; the last event is `Generated`.

    Iteration raises `EngineDied` when the child ends, or another `EngineError` for this request alone.
    """

    @abstractmethod
    def __iter__(self) -> Iterator[GenerationEvent]: ...

    @abstractmethod
    def cancel(self) -> None:
        """Stop within one piece of prefill or one token; returns at once, from any thread."""


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
    def score(self, request: ScoreRequest) -> Scores:
        """Log-probability of each continuation. Blocks."""

    @abstractmethod
    def count_tokens(self, texts: Sequence[str]) -> tuple[int, ...]:
        """Tokens of each text as a segment of a prompt. Blocks briefly."""

    @abstractmethod
    def close(self) -> None:
        """End the process and free everything; further calls raise EngineDied."""
