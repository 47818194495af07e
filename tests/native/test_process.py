"""The whole engine: a real child with a real model."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from pathlib import Path

import gguf
import pytest

from engine.client.process import ProcessEngine
from engine.errors import EngineBusy, EngineDied, EngineError, ModelError, OutOfMemory
from engine.types.generation import (
    FinishReason,
    Generated,
    GenerateRequest,
    GenerationEvent,
    PrefillProgress,
    Priority,
    ScoreRequest,
    TextDelta,
)
from engine.types.model import DeviceKind, EngineFailed, EngineReady, LoadRequest
from tests.native.conftest import prompt, request_for

WAIT_S = 120.0
DOCUMENT = "The loan contract of 5 March 2021: Zhang lends Li 500,000 yuan at 12 percent a year. " * 8


def ask(question: str = "Who lends?", *, document: str = DOCUMENT, **options: object) -> GenerateRequest:
    return GenerateRequest(prompt(question, document), **{"max_tokens": 16, **options})  # type: ignore[arg-type]


def answer(engine: ProcessEngine, request: GenerateRequest) -> Generated:
    event = list(engine.generate(request))[-1]
    assert isinstance(event, Generated)
    return event


@pytest.fixture
def engine(process: ProcessEngine, tiny_model: Path) -> ProcessEngine:
    process.load(request_for(tiny_model))
    return process


def test_it_loads_with_progress_and_answers(process: ProcessEngine, tiny_model: Path) -> None:
    fractions: list[float] = []
    loaded = process.load(request_for(tiny_model), fractions.append)
    assert process.state == EngineReady(loaded)
    assert len(fractions) > 5 and fractions == sorted(fractions) and fractions[-1] == 1.0
    assert loaded.parameters > 100_000_000 and loaded.architecture == "llama"
    assert loaded.ram_bytes + loaded.vram_bytes > loaded.file_bytes
    reply = answer(process, ask())
    assert reply.text and reply.timing.generated_tokens == 16
    assert process.count_tokens(["Zhang lends", ""])[1] == 0


def test_the_machine_is_described_without_a_model(process: ProcessEngine) -> None:
    seen = process.inspect()
    assert any(device.kind is DeviceKind.CPU and device.memory_total > 0 for device in seen.devices)
    assert seen.versions["llama-cpp-python"] == "0.3.36" and seen.cpu_backend
    assert process.inspect() == seen


def test_kill_9_in_mid_answer_is_engine_died_and_the_next_question_is_answered(engine: ProcessEngine) -> None:
    expected = answer(engine, ask())
    with pytest.raises(EngineDied, match="started again"):
        for event in engine.generate(ask("Tell me all of it.", max_tokens=400)):
            if isinstance(event, TextDelta):
                assert engine.pid is not None
                os.kill(engine.pid, signal.SIGKILL)
    assert isinstance(engine.state, EngineFailed)
    assert answer(engine, ask()).text == expected.text
    assert isinstance(engine.state, EngineReady)


def test_an_abort_inside_llama_cpp_is_engine_died_too(engine: ProcessEngine) -> None:
    with pytest.raises(EngineDied):
        for event in engine.generate(ask(max_tokens=400)):
            if isinstance(event, TextDelta):
                assert engine.pid is not None
                os.kill(engine.pid, signal.SIGABRT)  # what GGML_ASSERT does
    assert answer(engine, ask()).text


def test_cancel_ends_a_prefill_and_an_answer(engine: ProcessEngine) -> None:
    for kind in (PrefillProgress, TextDelta):
        generation = engine.generate(ask(f"Say it {kind.__name__}.", document=DOCUMENT * 3, max_tokens=300))
        events: list[GenerationEvent] = []
        for event in generation:
            events.append(event)
            if isinstance(event, kind):
                generation.cancel()
        last = events[-1]
        assert isinstance(last, Generated) and last.reason is FinishReason.CANCELLED
        assert last.timing.generated_tokens < 300
    assert answer(engine, ask()).reason is FinishReason.LENGTH


def test_a_user_goes_before_a_long_background_request_which_is_finished_after(engine: ProcessEngine) -> None:
    ends: queue.SimpleQueue[tuple[str, Generated]] = queue.SimpleQueue()
    begun = threading.Event()

    def background() -> None:
        request = ask("Slow.", document=DOCUMENT * 3, max_tokens=40, priority=Priority.BACKGROUND)
        for event in engine.generate(request):
            begun.set()
            if isinstance(event, Generated):
                ends.put(("background", event))

    thread = threading.Thread(target=background)
    thread.start()
    assert begun.wait(WAIT_S)
    ends.put(("user", answer(engine, ask(max_tokens=4))))
    first, second = (ends.get(timeout=WAIT_S) for _ in range(2))
    thread.join(WAIT_S)
    assert [name for name, _ in (first, second)] == ["user", "background"]
    assert second[1].text == answer(engine, ask("Slow.", document=DOCUMENT * 3, max_tokens=40)).text


def test_scores_come_over_the_wire(engine: ProcessEngine) -> None:
    request = ScoreRequest(prompt("Who lends?", DOCUMENT), (" Zhang", " Xqz"))
    good, bad = engine.score(request).logprobs
    assert bad < good < 0


def test_a_load_ends_what_runs_and_can_be_given_up(
    engine: ProcessEngine, tiny_model: Path, small_model: Path
) -> None:
    failures: queue.SimpleQueue[EngineError] = queue.SimpleQueue()
    begun = threading.Event()

    def talk() -> None:
        try:
            for _ in engine.generate(ask("Tell me all.", max_tokens=1_000)):
                begun.set()
        except EngineError as error:
            failures.put(error)

    thread = threading.Thread(target=talk)
    thread.start()
    assert begun.wait(WAIT_S)
    with pytest.raises(EngineError, match="stopped"):
        engine.load(LoadRequest(str(small_model)), lambda _: engine.cancel_load())
    assert isinstance(failures.get(timeout=WAIT_S), EngineBusy)
    thread.join(WAIT_S)
    engine.load(request_for(tiny_model))
    assert answer(engine, ask()).text


def test_a_file_cut_short_is_a_model_error_and_the_process_lives(
    process: ProcessEngine, tiny_model: Path, tmp_path: Path
) -> None:
    short = tmp_path / "short.gguf"
    with tiny_model.open("rb") as whole:
        short.write_bytes(whole.read(50_000_000))
    with pytest.raises(ModelError, match=r"50,000,000 of 98,362,\d+ bytes"):
        process.load(LoadRequest(str(short)))
    pid = process.pid
    with pytest.raises(ModelError, match="isn't there"):
        process.load(LoadRequest(str(tmp_path / "none.gguf")))
    process.load(request_for(tiny_model))
    assert process.pid == pid


def test_a_context_that_cannot_fit_is_out_of_memory_before_anything_is_taken(
    process: ProcessEngine, tmp_path: Path
) -> None:
    path = tmp_path / "wide.gguf"
    writer = gguf.GGUFWriter(path, "qwen2")
    writer.add_block_count(1_000)
    writer.add_context_length(10_000_000)
    writer.add_embedding_length(16_384)
    writer.add_head_count(128)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    with pytest.raises(OutOfMemory, match="choose a smaller context"):
        process.load(LoadRequest(str(path), context_tokens=1_000_000))
    assert process.inspect().devices


def test_the_desktops_end_is_the_childs_end(process: ProcessEngine, tiny_model: Path) -> None:
    process.load(request_for(tiny_model))
    generation = iter(process.generate(ask(max_tokens=1_000)))
    next(generation)
    pid = process.pid
    assert pid is not None
    process.close()  # in mid-answer
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_nothing_of_a_document_is_in_the_log(engine: ProcessEngine, tmp_path: Path) -> None:
    answer(engine, ask("Qwertzui?", document="Secretword Kuckuck. " * 20))
    log = (tmp_path / "engine.log").read_text(encoding="utf-8", errors="replace")
    assert "llama.cpp" in log and "Secretword" not in log and "Qwertzui" not in log


def test_the_engine_begins_without_numpy() -> None:
    """What it says to NumPy by the environment is heard only if NumPy comes after it."""
    code = "import sys, aipc_app.__main__, engine.__main__, engine.host.entry; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
