"""Remembering in the whole engine: a real child with a real model, killed and started again."""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.client.process import ProcessEngine
from engine.errors import EngineDied
from engine.types.generation import Generated, GenerateRequest, PrefillProgress, Priority, Remembered, TextDelta
from engine.types.remembering import RememberRequest, StoreSettings
from tests.native.conftest import ROOT, prompt, request_for

WAIT_S = 120.0
DOCUMENT = "The loan contract of 5 March 2021: Zhang lends Li 500,000 yuan at 12 percent a year. " * 9
OTHER = "The rent contract of 1 May 2020: Wang rents the shop to Zhao for 3,000 yuan a month. " * 9
Start = Callable[[], ProcessEngine]


@pytest.fixture
def start(tmp_path: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """A new engine over the same folder, the one before closed."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    engines: list[ProcessEngine] = []

    def start_() -> ProcessEngine:
        for engine in engines:
            engine.close()
        settings = StoreSettings(str(tmp_path / "kv"), 1 << 28, 1 << 30, 0)
        command = [sys.executable, "-m", "engine"]
        engines.append(ProcessEngine(command, tmp_path / "engine.log", settings, back_off_s=(0.0,)))
        engines[-1].load(request_for(tiny_model))
        return engines[-1]

    yield start_
    for engine in engines:
        engine.close()


def ask(question: str = "Who lends?", document: str = DOCUMENT, **options: object) -> GenerateRequest:
    return GenerateRequest(prompt(question, document), **{"max_tokens": 12, "owner": "case:1", **options})  # type: ignore[arg-type]


def answer(engine: ProcessEngine, request: GenerateRequest) -> Generated:
    event = list(engine.generate(request))[-1]
    assert isinstance(event, Generated)
    return event


def blocks(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "kv" / "blocks").glob("*/*"))


def test_it_answers_the_same_after_a_kill_and_after_a_restart(start: Start) -> None:
    engine = start()
    cold = answer(engine, ask())
    engine.flush()
    with pytest.raises(EngineDied):
        for event in engine.generate(ask(max_tokens=200)):
            if isinstance(event, TextDelta):
                assert engine.pid is not None
                os.kill(engine.pid, signal.SIGKILL)
    after_kill = answer(engine, ask())
    after_restart = answer(start(), ask())
    for warm in (after_kill, after_restart):
        assert warm.text == cold.text
        assert warm.timing.restored_tokens > 0.9 * cold.timing.prompt_tokens


def test_what_was_read_is_written_when_the_engine_is_closed(start: Start) -> None:
    first = answer(start(), ask())  # closed by the next line, without a flush
    assert answer(start(), ask()).timing.restored_tokens > 0.9 * first.timing.prompt_tokens


def test_reading_ahead_gives_way_and_the_store_answers_meanwhile(start: Start, tmp_path: Path) -> None:
    engine = start()
    ends: queue.SimpleQueue[tuple[str, object]] = queue.SimpleQueue()
    begun = threading.Event()

    def read_ahead() -> None:
        for event in engine.remember(RememberRequest(prompt("", DOCUMENT), "case:1", Priority.BACKGROUND)):
            begun.set()
            if isinstance(event, Remembered):
                ends.put(("ahead", event))

    thread = threading.Thread(target=read_ahead)
    thread.start()
    assert begun.wait(WAIT_S)
    ends.put(("user", answer(engine, ask("Who rents?", OTHER, owner="case:2", max_tokens=2))))
    known = engine.known(prompt("Who lends?", DOCUMENT))
    assert known.tokens > known.known_tokens >= 0
    (first, _), (second, done) = ends.get(timeout=WAIT_S), ends.get(timeout=WAIT_S)
    thread.join(WAIT_S)
    assert (first, second) == ("user", "ahead") and isinstance(done, Remembered) and done.complete
    assert engine.known(prompt("Who lends?", DOCUMENT)).known_tokens == done.prompt_tokens
    assert answer(engine, ask()).timing.restored_tokens == done.prompt_tokens
    engine.flush()
    assert {share.owner for share in engine.store_status().owners} == {"case:1", "case:2"}


def test_reading_ahead_can_be_stopped_and_goes_on_from_there(start: Start) -> None:
    engine = start()
    reading = engine.remember(RememberRequest(prompt("", DOCUMENT + OTHER), "case:1"))
    last: object = None
    for event in reading:
        last = event
        if isinstance(event, PrefillProgress) and event.done_tokens > 0:
            reading.cancel()
    assert isinstance(last, Remembered) and not last.complete
    done = list(engine.remember(RememberRequest(prompt("", DOCUMENT + OTHER), "case:1")))[-1]
    assert isinstance(done, Remembered) and done.complete and done.restored_tokens > 0


def test_forgetting_deletes_the_bytes_and_pins_survive(start: Start, tmp_path: Path) -> None:
    engine = start()
    answer(engine, ask())
    answer(engine, ask("Who rents?", OTHER, owner="case:2", max_tokens=1))
    engine.pin("case:2", True)
    engine.flush()
    assert engine.forget(["case:1"]) > 0
    assert engine.known(ask().prompt).known_tokens < 32  # the system text belongs to both cases
    assert answer(engine, ask(owner="")).timing.restored_tokens < 32  # nor does the context hold it any more
    engine = start()
    assert engine.known(ask().prompt).known_tokens < 32
    assert [share.owner for share in engine.store_status().owners if share.pinned] == ["case:2"]
    assert engine.forget_all() > 0 and blocks(tmp_path) == []
    assert engine.store_status().owners == ()


def test_without_settings_nothing_is_written(process: ProcessEngine, tiny_model: Path, tmp_path: Path) -> None:
    process.load(request_for(tiny_model))
    first = answer(process, ask())
    process.flush()
    assert not process.store_status().enabled and not (tmp_path / "kv").exists()
    assert answer(process, ask("When?")).timing.restored_tokens > 0.9 * first.timing.prompt_tokens
