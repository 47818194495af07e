"""The tiny real model, in this process and in a child."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.client.process import ProcessEngine
from engine.errors import EngineError
from engine.native.library import Library, open_library
from engine.runtime.generate import GenerateJob
from engine.runtime.loaded import Loaded, load
from engine.runtime.score import ScoreJob
from engine.types.generation import Generated, GenerateRequest, GenerationEvent, ScoreRequest, Scores
from engine.types.model import LoadRequest
from engine.types.prompt import ChatMessage, Prompt, Role, Segment, SegmentKind

ROOT = Path(__file__).resolve().parents[2]
CONTEXT_TOKENS = 1_536


def request_for(path: Path) -> LoadRequest:
    """One thread: beside other tests on few cores, threads would mostly wait for each other."""
    return LoadRequest(str(path), context_tokens=CONTEXT_TOKENS, threads=1)


@pytest.fixture(scope="session")
def library() -> Library:
    return open_library()


@pytest.fixture(scope="session")
def shared_model(library: Library, tiny_model: Path) -> Iterator[Loaded]:
    loaded = load(library, request_for(tiny_model), lambda _: True)
    yield loaded
    loaded.close()


@pytest.fixture
def model(shared_model: Loaded) -> Loaded:
    """The loaded model with nothing in its cache."""
    shared_model.prefixes.clear()
    return shared_model


@pytest.fixture
def process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ProcessEngine]:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    engine = ProcessEngine([sys.executable, "-m", "engine"], tmp_path / "engine.log", back_off_s=(0.0,))
    yield engine
    engine.close()


def prompt(question: str, *documents: str, answer_start: str = "") -> Prompt:
    segments = [Segment(SegmentKind.DOCUMENTS, text) for text in documents]
    system = ChatMessage(Role.SYSTEM, (Segment(SegmentKind.SYSTEM, "Answer from the documents."),))
    user = ChatMessage(Role.USER, (*segments, Segment(SegmentKind.QUESTION, question)))
    return Prompt((system, user), answer_start)


Watch = Callable[[GenerateJob, GenerationEvent], None]


def run(model: Loaded, request: GenerateRequest, watch: Watch | None = None) -> Generated:
    """Generate in this process, step by step; `watch` sees each event and may cancel the job."""
    events: list[GenerationEvent] = []

    def emit(event: GenerationEvent) -> None:
        events.append(event)
        if watch is not None:
            watch(job, event)

    job = GenerateJob(1, request, emit, _raise)
    for _ in job.steps(model):
        pass
    last = events[-1]
    assert isinstance(last, Generated)
    return last


def score(model: Loaded, request: ScoreRequest) -> Scores:
    """Score in this process."""
    found: list[Scores] = []
    for _ in ScoreJob(1, request, found.append, _raise).steps(model):
        pass
    return found[0]


def _raise(error: EngineError) -> None:
    raise error
