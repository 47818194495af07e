"""Whatever a header says, it is read or refused with a sentence; it never takes the program down or much memory."""

from __future__ import annotations

import struct
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import EngineError, ModelError
from engine.models.gguf_parts import read_model_header
from engine.models.layout import Layout, layout_of
from engine.placement.planner import place
from engine.types.machine import Inventory
from engine.types.plan import PlanWishes

GIB = 1 << 30
LONG_S = 600
NAMES = (
    "token_embd.weight", "output.weight", "blk.0.attn_q.weight", "blk.0.attn_k.weight", "blk.0.attn_qkv.weight",
    "blk.0.ffn_up_exps.weight", "blk.0.ffn_down_exps.weight", "blk.0.attn_kv_a_mqa.weight", "blk.0.ssm_in.weight",
    "blk.0.attn_k_b.weight", "blk.0.attn_v_b.weight", "blk.1.ffn_up.3.weight", "blk.4095.x", "blk.99999.attn_q.weight",
    "", "blk..weight", "\x00", "blk.0.ffn_gate_exps.weight",
)  # fmt: skip
KEYS = (
    "block_count", "context_length", "embedding_length", "attention.head_count", "attention.head_count_kv",
    "expert_count", "expert_used_count", "nextn_predict_layers", "attention.key_length", "attention.shared_kv_layers",
    "ssm.state_size", "ssm.inner_size", "ssm.conv_kernel", "feed_forward_length", "kda.head_dim",
)  # fmt: skip
NUMBERS = st.one_of(
    st.integers(0, 8), st.sampled_from([0, 1, 2, 60, 128, 4_096, (1 << 31) - 1, (1 << 63), (1 << 64) - 1]),
)  # fmt: skip


def text(value: str) -> bytes:
    data = value.encode("utf-8", "surrogatepass")
    return struct.pack("<Q", len(data)) + data


@st.composite
def headers(draw: st.DrawFn) -> bytes:
    """A header that looks like one, with numbers that needn't be true, and some bytes then changed."""
    pairs = [text("general.architecture") + struct.pack("<I", 8) + text("new")]
    for key in draw(st.lists(st.sampled_from(KEYS), unique=True, max_size=12)):
        kind = draw(st.sampled_from(["u32", "u64", "f64", "array", "text"]))
        pairs.append(text(f"new.{key}") + _value(draw, kind))
    tensors = []
    for name in draw(st.lists(st.sampled_from(NAMES), max_size=10)):
        shape = draw(st.lists(NUMBERS, max_size=5))
        kind, offset = draw(st.integers(0, 45)), draw(NUMBERS)
        tensors.append(text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, offset))
    counts = (draw(st.sampled_from([len(tensors), 0, 1 << 60])), draw(st.sampled_from([len(pairs)] * 4 + [1 << 60])))
    data = bytearray(b"GGUF" + struct.pack("<IQQ", 3, *counts) + b"".join(pairs) + b"".join(tensors))
    data += bytes(draw(st.integers(0, 4_096)))
    for at, lie in draw(st.lists(st.tuples(st.integers(0, 400), st.binary(min_size=1, max_size=8)), max_size=2)):
        data[at : at + len(lie)] = lie
    return bytes(data)


def _value(draw: st.DrawFn, kind: str) -> bytes:
    number = draw(NUMBERS)
    match kind:
        case "u32":
            return struct.pack("<II", 4, number & 0xFFFFFFFF)
        case "u64":
            return struct.pack("<IQ", 10, number)
        case "f64":
            return struct.pack("<Id", 12, draw(st.floats()))
        case "array":
            items = draw(st.lists(st.integers(0, 1 << 31), max_size=5))
            return struct.pack(f"<IIQ{len(items)}I", 9, 4, draw(st.sampled_from([len(items), 1 << 60])), *items)
    return struct.pack("<I", 8) + text(draw(st.text(max_size=8)))


def examined(path: Path, data: bytes) -> Layout | None:
    """The layout, planned for a few machines; None when the header was refused."""
    path.write_bytes(data)
    try:
        found = layout_of(read_model_header(path))
    except ModelError as error:
        assert error.message.endswith(".")
        return None
    for vram in (0, 8 * GIB):
        try:
            made = place(found, Inventory((), 4, 64 * GIB, 32 * GIB), PlanWishes(vram_bytes=vram, ram_bytes=16 * GIB))
        except EngineError:
            continue
        assert made.predicted.vram_bytes <= vram and made.predicted.ram_bytes <= 16 * GIB
    return found


@given(headers())
@settings(max_examples=600, suppress_health_check=list(HealthCheck), deadline=None)
def test_any_header_is_planned_or_refused(tmp_path: Path, data: bytes) -> None:
    examined(tmp_path / "model.gguf", data)


@pytest.mark.long
@pytest.mark.timeout(2 * LONG_S)
def test_ten_minutes_of_headers(tmp_path: Path) -> None:
    """Runs batches with fresh seeds until the time is over; says how many were read and how many refused."""
    seen: dict[bool, int] = {True: 0, False: 0}

    @given(headers())
    @settings(max_examples=2_000, suppress_health_check=list(HealthCheck), deadline=None, database=None)
    def batch(data: bytes) -> None:
        seen[examined(tmp_path / "model.gguf", data) is not None] += 1

    started = time.monotonic()
    while time.monotonic() - started < LONG_S:
        batch()
    print(f"{seen[True]:,} headers read, {seen[False]:,} refused")
    assert seen[True] > 1_000 and seen[False] > 1_000
