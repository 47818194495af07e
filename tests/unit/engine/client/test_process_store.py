"""The store as the desktop reaches it, against a scripted child."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.client.process import ProcessEngine
from engine.errors import EngineDied, EngineError, RequestInvalid
from engine.types.generation import PrefillProgress, Remembered
from engine.types.model import EngineFailed, LoadRequest
from engine.types.prompt import Prompt
from engine.types.remembering import RememberRequest, StoreSettings

CHILD = Path(__file__).with_name("child.py")
ROOT = Path(__file__).resolve().parents[4]
NOTHING = Prompt(())
WAIT_S = 20.0


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ProcessEngine]:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    settings = StoreSettings("the folder", 1, 2)
    made = ProcessEngine([sys.executable, str(CHILD)], tmp_path / "engine.log", settings, back_off_s=(0.0,))
    yield made
    made.close()


def test_each_new_child_is_told_once_where_to_keep_what_it_reads(engine: ProcessEngine) -> None:
    assert engine.store_status().problem == "the folder"  # without a model
    engine.load(LoadRequest("good.gguf"))
    assert engine.store_status().problem == "the folder"
    died = threading.Event()
    engine.subscribe(lambda state: died.set() if isinstance(state, EngineFailed) else None)
    assert engine.pid is not None
    os.kill(engine.pid, signal.SIGKILL)
    assert died.wait(WAIT_S)
    assert engine.store_status().problem == "the folder"


def test_forgetting_and_pinning_need_no_model_and_flushing_no_child(engine: ProcessEngine) -> None:
    engine.flush()
    assert engine.pid is None
    assert engine.forget(["case:1", "document:2"]) == 2 and engine.forget_all() == -1
    engine.pin("case:1", True)
    engine.flush()


def test_reading_ahead_and_what_is_known_need_a_model(engine: ProcessEngine) -> None:
    request = RememberRequest(NOTHING, "case:1")
    for call in (lambda: engine.remember(request), lambda: engine.known(NOTHING)):
        with pytest.raises(RequestInvalid):
            call()
    engine.load(LoadRequest("good.gguf"))
    assert list(engine.remember(request)) == [PrefillProgress(1, 3, 0, 0.0), Remembered(3, 0, 3, 3, complete=True)]
    with pytest.raises(EngineError, match="Not known"):
        engine.known(NOTHING)


def test_after_close_nothing_is_started_again(engine: ProcessEngine) -> None:
    engine.close()
    for call in (engine.store_status, engine.forget_all, lambda: engine.forget(["x"])):
        with pytest.raises(EngineDied):
            call()
