"""Model files are judged by their headers before anything is loaded; headers may lie."""

from __future__ import annotations

import struct
import tracemalloc
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import ModelError
from engine.models.gguf import summarize

U32, U64, FLOAT, STRING, ARRAY = 4, 10, 6, 8, 9
F32, Q4_K = 0, 12
QWEN: tuple[tuple[str, int, object], ...] = (
    ("general.architecture", STRING, "qwen2"),
    ("general.name", STRING, "Tiny 千问"),
    ("qwen2.block_count", U32, 2),
    ("qwen2.context_length", U32, 4_096),
    ("qwen2.embedding_length", U32, 256),
    ("qwen2.attention.head_count", U32, 4),
    ("qwen2.attention.head_count_kv", U32, 2),
    ("tokenizer.ggml.tokens", ARRAY, ["a", "b", "<|im_end|>"]),
    ("tokenizer.ggml.token_type", ARRAY, [1, 1, 3]),
)
TENSORS = (("token_embd.weight", (256, 8), F32), ("blk.0.attn_q.weight", (256, 256), Q4_K))
SIZES = {F32: (1, 4), Q4_K: (256, 144)}


def text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def pair(key: str, kind: int, value: object) -> bytes:
    head = text(key) + struct.pack("<I", kind)
    if kind == STRING:
        return head + text(str(value))
    if kind == ARRAY:
        assert isinstance(value, list)
        if isinstance(value[0], str):
            return head + struct.pack("<IQ", STRING, len(value)) + b"".join(map(text, value))
        return head + struct.pack(f"<IQ{len(value)}I", U32, len(value), *value)
    return head + struct.pack({U32: "<I", U64: "<Q", FLOAT: "<f"}[kind], value)


def gguf(
    pairs: Sequence[tuple[str, int, object]] = QWEN, tensors: Sequence[tuple[str, tuple[int, ...], int]] = TENSORS,
    *, version: int = 3, fill: bytes = b"\x07",
) -> bytes:  # fmt: skip
    """A whole model file, written as the specification says."""
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(pairs)) + b"".join(pair(*p) for p in pairs)
    offset, infos = 0, b""
    for name, shape, kind in tensors:
        infos += text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, offset)
        values = 1
        for length in shape:
            values *= length
        block, size = SIZES[kind]
        offset += -(-(values // block * size) // 32) * 32
    head += infos
    return head + b"\0" * (-len(head) % 32) + fill * offset


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.gguf"
    path.write_bytes(gguf())
    return path


def refusal(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    with pytest.raises(ModelError) as caught:
        summarize(path)
    return caught.value.message


def test_the_header_tells_what_the_model_is(model: Path) -> None:
    summary = summarize(model)
    assert (summary.name, summary.architecture, summary.layers) == ("Tiny 千问", "qwen2", 2)
    assert summary.train_context_tokens == 4_096
    assert summary.file_bytes == model.stat().st_size
    assert summary.tensor_bytes == 256 * 8 * 4 + 256 * 144
    assert summary.kv_bytes_per_token == 2 * 2 * (64 + 64) * 2  # layers, KV heads, K and V of a head, f16


def test_heads_given_layer_by_layer_are_added_up(model: Path) -> None:
    pairs = [p for p in QWEN if not p[0].endswith("head_count_kv")]
    model.write_bytes(gguf([*pairs, ("qwen2.attention.head_count_kv", ARRAY, [2, 1])]))
    assert summarize(model).kv_bytes_per_token == 3 * (64 + 64) * 2


def test_a_file_cut_short_says_how_much_is_there(model: Path) -> None:
    whole = gguf()
    message = refusal(model, whole[:-5_000])
    assert f"{len(whole) - 5_000:,} of {len(whole):,} bytes" in message
    assert "cut short" in message and "copy it again" in message


@given(keep=st.floats(0, 1))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_a_file_cut_anywhere_is_refused(model: Path, keep: float) -> None:
    whole = gguf()
    refusal(model, whole[: min(int(len(whole) * keep), len(whole) - 32)])


@given(st.lists(st.tuples(st.integers(0, 600), st.binary(min_size=1, max_size=9)), min_size=1, max_size=4))
@settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=1_000)
def test_a_header_with_lies_is_read_or_refused_but_never_breaks(model: Path, lies: list[tuple[int, bytes]]) -> None:
    data = bytearray(gguf())
    for at, lie in lies:
        data[at : at + len(lie)] = lie
    model.write_bytes(data)
    try:
        summary = summarize(model)
    except ModelError:
        return
    assert summary.file_bytes == len(data)


@pytest.mark.parametrize("count", [1 << 63, 1 << 40, (1 << 64) - 1])
@pytest.mark.parametrize("at", [8, 16, 24])  # tensors, pairs, length of the first key
def test_absurd_counts_are_refused_without_taking_memory(model: Path, at: int, count: int) -> None:
    data = bytearray(gguf())
    data[at : at + 8] = struct.pack("<Q", count)
    tracemalloc.start()
    try:
        message = refusal(model, bytes(data))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert "model.gguf" in message and peak < 4_000_000


def test_an_absurd_array_is_refused(model: Path) -> None:
    broken = b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text("x") + struct.pack("<IIQ", ARRAY, U64, 1 << 60)
    assert "cut short or damaged" in refusal(model, broken)


def test_nested_arrays_and_unknown_types_are_refused(model: Path) -> None:
    head = b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text("x")
    assert "unknown type 9" in refusal(model, head + struct.pack("<IIQ", ARRAY, ARRAY, 1) + bytes(32))
    assert "unknown type 77" in refusal(model, head + struct.pack("<I", 77) + bytes(32))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty or cut short"),
        (b"PK\x03\x04" + bytes(64), "no GGUF model file"),
        (gguf(version=1), "version 1"),
        (gguf(version=0x03000000), "big-endian"),
        (gguf(QWEN[1:]), "doesn't say which kind"),
        (gguf([*QWEN, ("general.alignment", U32, 24)]), "alignment"),
        (gguf(tensors=[("t", (255, 1), F32), ("u", (1, 1), F32)])[:-64], "cut short"),
    ],
)
def test_what_is_wrong_is_said(model: Path, data: bytes, words: str) -> None:
    assert words in refusal(model, data)


def test_a_shape_that_cannot_be_is_refused(model: Path) -> None:
    right, wrong = (struct.pack("<IQI", 1, length, Q4_K) for length in (256, 255))
    assert "shape is impossible" in refusal(model, gguf(tensors=[("t", (256,), Q4_K)]).replace(right, wrong))


def test_a_missing_file_is_a_model_error(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="can't be read"):
        summarize(tmp_path / "none.gguf")


def test_the_identity_is_the_contents_not_the_place(model: Path, tmp_path: Path) -> None:
    copy = tmp_path / "elsewhere.gguf"
    copy.write_bytes(model.read_bytes())
    assert summarize(copy).identity == summarize(model).identity


def test_another_header_or_other_weights_are_another_model(model: Path) -> None:
    identities = {summarize(model).identity}
    for data in (gguf(fill=b"\x08"), gguf([*QWEN, ("x", U32, 1)]), gguf([*QWEN, ("x", U32, 2)])):
        model.write_bytes(data)
        identities.add(summarize(model).identity)
    assert len(identities) == 4


def split_model(folder: Path) -> list[Path]:
    paths = [folder / f"big-{i:05d}-of-00002.gguf" for i in (1, 2)]
    marks = [("split.count", U32, 2), ("split.no", U32, 0)]
    paths[0].write_bytes(gguf([*QWEN, *marks]))
    paths[1].write_bytes(gguf([QWEN[0], ("split.no", U32, 1)]))
    return paths


def test_a_split_model_is_taken_together(tmp_path: Path) -> None:
    paths = split_model(tmp_path)
    summary = summarize(paths[0])
    assert summary.parts == tuple(map(str, paths))
    assert summary.tensor_bytes == 2 * (256 * 8 * 4 + 256 * 144)


def test_a_missing_or_wrong_part_is_named(tmp_path: Path) -> None:
    paths = split_model(tmp_path)
    with pytest.raises(ModelError, match="part 2 of 2; open part 1"):
        summarize(paths[1])
    paths[1].unlink()
    with pytest.raises(ModelError, match=r"big-00002-of-00002\.gguf of the model is missing"):
        summarize(paths[0])
    renamed = paths[0].rename(tmp_path / "renamed.gguf")
    with pytest.raises(ModelError, match="2 parts"):
        summarize(renamed)
