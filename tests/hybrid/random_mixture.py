"""A file in the shape of a large mixture of experts with random weights: what it says means nothing, its speed does.

Shapes are those that the models' makers publish (config.json). Blocks are laid out as ggml-quants.h has them, with
scales that keep every weight small; one piece of random blocks is written again and again.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import gguf
import numpy as np
from gguf import GGMLQuantizationType as Quant

ALIGNMENT = 32
_PIECE_BLOCKS = 1 << 16
_SPREAD = 0.02  # of a weight, about


@dataclass(frozen=True)
class Shape:
    """Qwen3's mixture: every layer has experts. `ff` is the width of one of them."""

    layers: int
    width: int
    heads: int
    kv_heads: int
    head: int
    experts: int
    used: int
    ff: int
    vocabulary: int


SHAPES = {
    "30b-a3b": Shape(48, 2_048, 32, 4, 128, 128, 8, 768, 151_936),
    "235b-a22b": Shape(94, 4_096, 64, 4, 128, 128, 8, 1_536, 151_936),
    "tiny": Shape(4, 256, 4, 2, 64, 16, 2, 256, 1_024),
}


def write(path: Path, shape: Shape) -> int:
    """Write the file in 4 and 6 bits, as the usual Q4_K_M; returns its bytes."""
    writer = gguf.GGUFWriter(path, "qwen3moe")
    _head(writer, shape)
    for name, rows, kind in _tensors(shape):
        stored = rows if kind is Quant.F32 else gguf.quants.quant_shape_to_byte_shape(rows, kind)
        dtype = np.dtype(np.float32) if kind is Quant.F32 else np.dtype(np.uint8)
        writer.add_tensor_info(name, stored, dtype, _bytes(rows, kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    writer.close()
    pieces = {Quant.Q4_K: _q4_k(), Quant.Q6_K: _q6_k(), Quant.F32: _f32()}
    with path.open("ab") as file:
        _pad(file)
        for name, rows, kind in _tensors(shape):
            piece = np.ones(_PIECE_BLOCKS, np.float32).tobytes() if "norm" in name else pieces[kind]
            _repeat(file, piece, _bytes(rows, kind))
            _pad(file)
        return file.tell()


def _head(writer: gguf.GGUFWriter, shape: Shape) -> None:
    writer.add_context_length(40_960)
    writer.add_embedding_length(shape.width)
    writer.add_block_count(shape.layers)
    writer.add_feed_forward_length(shape.ff)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.kv_heads)
    writer.add_key_length(shape.head)
    writer.add_value_length(shape.head)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_freq_base(1e6)
    writer.add_expert_count(shape.experts)
    writer.add_expert_used_count(shape.used)
    writer.add_expert_feed_forward_length(shape.ff)
    writer.add_vocab_size(shape.vocabulary)
    writer.add_tokenizer_model("no_vocab")


def _tensors(shape: Shape) -> list[tuple[str, tuple[int, ...], Quant]]:
    width, query, key = shape.width, shape.heads * shape.head, shape.kv_heads * shape.head
    found: list[tuple[str, tuple[int, ...], Quant]] = [
        ("token_embd.weight", (shape.vocabulary, width), Quant.Q4_K),
        ("output_norm.weight", (width,), Quant.F32),
        ("output.weight", (shape.vocabulary, width), Quant.Q6_K),
    ]
    layer: tuple[tuple[str, tuple[int, ...], Quant], ...] = (
        ("attn_norm", (width,), Quant.F32), ("ffn_norm", (width,), Quant.F32),
        ("attn_q_norm", (shape.head,), Quant.F32), ("attn_k_norm", (shape.head,), Quant.F32),
        ("attn_q", (query, width), Quant.Q4_K), ("attn_k", (key, width), Quant.Q4_K),
        ("attn_v", (key, width), Quant.Q6_K), ("attn_output", (width, query), Quant.Q4_K),
        ("ffn_gate_inp", (shape.experts, width), Quant.F32),
        ("ffn_gate_exps", (shape.experts, shape.ff, width), Quant.Q4_K),
        ("ffn_up_exps", (shape.experts, shape.ff, width), Quant.Q4_K),
        ("ffn_down_exps", (shape.experts, width, shape.ff), Quant.Q6_K),
    )  # fmt: skip
    return found + [(f"blk.{i}.{name}.weight", rows, kind) for i in range(shape.layers) for name, rows, kind in layer]


def _bytes(rows: tuple[int, ...], kind: Quant) -> int:
    block, size = gguf.GGML_QUANT_SIZES[kind]
    return int(np.prod(rows, dtype=np.int64)) // block * size


def _q4_k() -> bytes:
    """block_q4_K: d, dmin (f16), 12 bytes of 6-bit scales and minima, 128 bytes of quants."""
    blocks = np.random.default_rng(7).integers(0, 256, (_PIECE_BLOCKS, 144), np.uint8)
    scale = _SPREAD / (32 * 4.6)
    blocks[:, :4] = np.frombuffer(np.array([scale, 7.5 * scale], np.float16).tobytes(), np.uint8)
    return blocks.tobytes()


def _q6_k() -> bytes:
    """block_q6_K: 128 + 64 bytes of quants, 16 scales (int8), d (f16)."""
    blocks = np.random.default_rng(8).integers(0, 256, (_PIECE_BLOCKS, 210), np.uint8)
    blocks[:, 208:] = np.frombuffer(np.array([_SPREAD / (64 * 18)], np.float16).tobytes(), np.uint8)
    return blocks.tobytes()


def _f32() -> bytes:
    return np.random.default_rng(9).normal(0, _SPREAD, _PIECE_BLOCKS).astype(np.float32).tobytes()


def _repeat(file: BinaryIO, piece: bytes, size: int) -> None:
    for _ in range(size // len(piece)):
        file.write(piece)
    file.write(piece[: size % len(piece)])


def _pad(file: BinaryIO) -> None:
    file.write(bytes(-file.tell() % ALIGNMENT))
