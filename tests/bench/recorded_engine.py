"""An engine that remembers what a real one said, so that a change of proof alone is measured without a model again.

Every request is looked up by the model's identity, the request's own bytes and nothing else; what was never asked
goes to the real engine, which is loaded then. Kept as a line of JSON each in `recorded.jsonl` of a folder.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from engine.client.base import Branches, EngineClient, Generation
from engine.types.generation import (
    Generated,
    GenerateRequest,
    GenerationEvent,
    ManyRequest,
    ScoreRequest,
    Scores,
    TextDelta,
    Timing,
)
from engine.types.model import EngineReady, EngineState, Inspection, LoadedModel, LoadRequest
from engine.types.prompt import Prompt
from engine.types.remembering import Known, RememberRequest, StoreStatus


class RecordedEngine(EngineClient):
    """Over a real engine. `missed` counts what had to be asked of it."""

    def __init__(self, real: EngineClient, model: Path, folder: Path) -> None:
        self._real, self._path, self._file = real, model, folder / f"{model.stem}.recorded.jsonl"
        folder.mkdir(parents=True, exist_ok=True)
        lines = self._file.read_text(encoding="utf-8").splitlines() if self._file.is_file() else []
        self._known: dict[str, object] = {row["key"]: row["value"] for row in map(json.loads, lines)}
        self._lock = threading.Lock()
        self.missed = 0
        loaded = self._known.get("model")
        self._model = msgspec.convert(loaded, LoadedModel) if loaded else self._load()

    @property
    def state(self) -> EngineState:
        return EngineReady(self._model)

    def subscribe(self, listener: Callable[[EngineState], None]) -> Callable[[], None]:
        return lambda: None

    def generate(self, request: GenerateRequest) -> Generation:
        key = _key("generate", (request.prompt, request.max_tokens))
        if key not in self._known:
            *_, end = self._need().generate(request)
            assert isinstance(end, Generated)
            self._keep(key, msgspec.to_builtins(end))
        return _Told(msgspec.convert(self._known[key], Generated))

    def score(self, request: ScoreRequest) -> Scores:
        key = _key("score", (request.prompt, request.continuations))
        if key not in self._known:
            self._keep(key, self._need().score(request).logprobs)
        return Scores(msgspec.convert(self._known[key], tuple[float, ...]), Timing())

    def count_tokens(self, texts: Sequence[str]) -> tuple[int, ...]:
        key = _key("count", tuple(texts))
        if key not in self._known:
            self._keep(key, self._need().count_tokens(texts))
        return msgspec.convert(self._known[key], tuple[int, ...])

    def known(self, prompt: Prompt) -> Known:
        return Known(0, 0, (), 0.0)

    def load(self, request: LoadRequest, on_progress: Callable[[float], None] | None = None) -> LoadedModel:
        return self._model

    def close(self) -> None:
        self._real.close()

    def _need(self) -> EngineClient:
        self.missed += 1
        if not isinstance(self._real.state, EngineReady):
            self._load()
        return self._real

    def _load(self) -> LoadedModel:
        model = self._real.load(LoadRequest(str(self._path), context_tokens=16_384))
        self._keep("model", msgspec.to_builtins(model))
        return model

    def _keep(self, key: str, value: object) -> None:
        with self._lock:
            self._known[key] = value
            with self._file.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"key": key, "value": value}, ensure_ascii=False) + "\n")

    # What this bench has no use for.
    def inspect(self) -> Inspection:
        return self._need().inspect()

    def cancel_load(self) -> None: ...

    def unload(self) -> None: ...

    def generate_many(self, request: ManyRequest) -> Branches:
        return self._need().generate_many(request)

    def remember(self, request: RememberRequest) -> Generation:
        return self._need().remember(request)

    def store_status(self) -> StoreStatus:
        return self._need().store_status()

    def pin(self, owner: str, pinned: bool) -> None: ...

    def forget(self, owners: Sequence[str]) -> int:
        return 0

    def forget_all(self) -> int:
        return 0

    def flush(self) -> None: ...


class _Told(Generation):
    """What was said, at once."""

    def __init__(self, end: Generated) -> None:
        self._end = end

    def __iter__(self) -> Iterator[GenerationEvent]:
        yield TextDelta(self._end.text)
        yield self._end

    def cancel(self) -> None: ...


def _key(kind: str, request: object) -> str:
    return f"{kind} {hashlib.sha256(msgspec.json.encode(request)).hexdigest()}"
