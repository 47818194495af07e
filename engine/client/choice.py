"""The engine in use: the process on this computer, or a server of the organisation."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.client.base import Branches, EngineClient, Generation
from engine.client.states import StateBoard
from engine.types.generation import GenerateRequest, ManyRequest, ScoreRequest, Scores
from engine.types.model import EngineState, EngineStopped, Inspection, LoadedModel, LoadRequest
from engine.types.prompt import Prompt
from engine.types.remembering import Known, RememberRequest, StoreStatus


class ChosenEngine(EngineClient):
    """`load` decides by the path: an address of a server, or a file. What is kept on this disk stays with `local`."""

    def __init__(self, local: EngineClient, remote: EngineClient) -> None:
        self._local, self._remote = local, remote
        self._current = local
        self._board = StateBoard()
        self._board.state = local.state
        self._stops = [engine.subscribe(self._teller(engine)) for engine in (local, remote)]

    @property
    def state(self) -> EngineState:
        return self._current.state

    def subscribe(self, listener: Callable[[EngineState], None]) -> Callable[[], None]:
        return self._board.subscribe(listener)

    def load(self, request: LoadRequest, on_progress: Callable[[float], None] | None = None) -> LoadedModel:
        """The other one is let go first: a model's memory is freed, a server no longer asked."""
        wanted = self._remote if is_address(request.path) else self._local
        if wanted is not self._current:
            before, self._current = self._current, wanted
            if not isinstance(before.state, EngineStopped):
                before.unload()
        return wanted.load(request, on_progress)

    def cancel_load(self) -> None:
        self._current.cancel_load()

    def unload(self) -> None:
        self._current.unload()

    def generate(self, request: GenerateRequest) -> Generation:
        return self._current.generate(request)

    def generate_many(self, request: ManyRequest) -> Branches:
        return self._current.generate_many(request)

    def score(self, request: ScoreRequest) -> Scores:
        return self._current.score(request)

    def count_tokens(self, texts: Sequence[str]) -> tuple[int, ...]:
        return self._current.count_tokens(texts)

    def remember(self, request: RememberRequest) -> Generation:
        return self._current.remember(request)

    def known(self, prompt: Prompt) -> Known:
        return self._current.known(prompt)

    def inspect(self) -> Inspection:
        return self._local.inspect()

    def store_status(self) -> StoreStatus:
        return self._local.store_status()

    def pin(self, owner: str, pinned: bool) -> None:
        self._local.pin(owner, pinned)

    def forget(self, owners: Sequence[str]) -> int:
        return self._local.forget(owners)

    def forget_all(self) -> int:
        return self._local.forget_all()

    def flush(self) -> None:
        self._local.flush()

    def close(self) -> None:
        for stop in self._stops:
            stop()
        self._remote.close()
        self._local.close()
        self._board.announce(EngineStopped())

    def _teller(self, engine: EngineClient) -> Callable[[EngineState], None]:
        def tell(state: EngineState) -> None:
            if engine is self._current:
                self._board.announce(state)

        return tell


def is_address(path: str) -> bool:
    """Is this a server's, and no file?"""
    return path.startswith(("http://", "https://"))
