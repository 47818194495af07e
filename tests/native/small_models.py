"""Small models of each kind of cache, with random weights; every byte is a token."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import gguf
import numpy as np

WIDTH, HEADS, HEAD, FEED_FORWARD = 32, 2, 16, 64
CONTEXT_TOKENS, WINDOW = 2_048, 64


def byte_letters() -> list[str]:
    """GPT-2's letters for the 256 bytes."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = iter(range(256, 512))
    return [chr(byte) if byte in plain else chr(next(others)) for byte in range(256)]


class Weights:
    """Random tensors that are the same each time."""

    def __init__(self, spread: float = 0.3) -> None:
        self._random, self._spread = np.random.default_rng(7), spread

    def __call__(self, *shape: int) -> np.ndarray:
        return self._random.normal(0, self._spread, shape).astype(np.float32)


def ones(*shape: int) -> np.ndarray:
    return np.ones(shape, np.float32)


def begin(path: Path, architecture: str, layers: int) -> gguf.GGUFWriter:
    """A writer with what all of them have: sizes and the vocabulary."""
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_context_length(CONTEXT_TOKENS)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(layers)
    writer.add_layer_norm_rms_eps(1e-5)
    tokens = [*byte_letters(), "ab", "<|im_start|>", "<|im_end|>"]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(tokens)
    writer.add_token_types([1] * 257 + [3, 3])
    writer.add_token_merges(["a b"])
    writer.add_eos_token_id(258)
    writer.add_bos_token_id(257)
    writer.add_add_bos_token(False)
    return writer


def end(writer: gguf.GGUFWriter, weights: Weights, norm: str, layers: Sequence[Mapping[str, np.ndarray]]) -> None:
    """Write the tensors: embedding, last norm, and each layer's."""
    writer.add_tensor("token_embd.weight", weights(259, WIDTH))
    writer.add_tensor(f"{norm}.weight", ones(WIDTH))
    for i, layer in enumerate(layers):
        for name, tensor in layer.items():
            writer.add_tensor(f"blk.{i}.{name}", tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _feed_forward(weights: Weights) -> dict[str, np.ndarray]:
    return {
        "ffn_norm.weight": ones(WIDTH),
        "ffn_gate.weight": weights(FEED_FORWARD, WIDTH),
        "ffn_up.weight": weights(FEED_FORWARD, WIDTH),
        "ffn_down.weight": weights(WIDTH, FEED_FORWARD),
    }


def _attention(weights: Weights) -> dict[str, np.ndarray]:
    return {
        "attn_norm.weight": ones(WIDTH),
        "attn_q.weight": weights(HEADS * HEAD, WIDTH),
        "attn_k.weight": weights(HEADS * HEAD, WIDTH),
        "attn_v.weight": weights(HEADS * HEAD, WIDTH),
        "attn_output.weight": weights(WIDTH, HEADS * HEAD),
        "attn_q_norm.weight": ones(HEAD),
        "attn_k_norm.weight": ones(HEAD),
    }


def write_sliding(path: Path) -> None:
    """Gemma 3's shape: every second layer sees only the last WINDOW tokens."""
    weights, layers = Weights(), 4
    writer = begin(path, "gemma3", layers)
    writer.add_feed_forward_length(FEED_FORWARD)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_key_length(HEAD)
    writer.add_value_length(HEAD)
    writer.add_sliding_window(WINDOW)
    writer.add_sliding_window_pattern(2)
    norms = {"post_attention_norm.weight": ones(WIDTH), "post_ffw_norm.weight": ones(WIDTH)}
    end(writer, weights, "output_norm", [_attention(weights) | _feed_forward(weights) | norms for _ in range(layers)])


def write_hybrid(path: Path, window: int = 0) -> None:
    """LFM2's shape: short convolutions and attention by turns; with `window`, the attention slides."""
    weights, kinds = Weights(), (0, HEADS, 0, HEADS)
    writer = begin(path, "lfm2", len(kinds))
    writer.add_feed_forward_length(FEED_FORWARD)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(kinds)
    writer.add_shortconv_l_cache(3)
    if window:
        writer.add_sliding_window(window)
    layers = []
    for heads in kinds:
        convolution = {
            "attn_norm.weight": ones(WIDTH),
            "shortconv.conv.weight": weights(WIDTH, 3),
            "shortconv.in_proj.weight": weights(3 * WIDTH, WIDTH),
            "shortconv.out_proj.weight": weights(WIDTH, WIDTH),
        }
        layers.append(_feed_forward(weights) | (_attention(weights) if heads else convolution))
    end(writer, weights, "token_embd_norm", layers)


def write_hybrid_sliding(path: Path) -> None:
    """LFM2's shape with a sliding window."""
    write_hybrid(path, WINDOW)


def write_recurrent(path: Path) -> None:
    """Mamba's shape."""
    inner, state, rank, kernel, layers = 64, 8, 4, 4, 2
    weights = Weights()
    writer = begin(path, "mamba", layers)
    writer.add_feed_forward_length(0)
    writer.add_head_count(0)
    writer.add_ssm_conv_kernel(kernel)
    writer.add_ssm_inner_size(inner)
    writer.add_ssm_state_size(state)
    writer.add_ssm_time_step_rank(rank)
    end(writer, weights, "output_norm", [
        {
            "attn_norm.weight": ones(WIDTH),
            "ssm_in.weight": weights(2 * inner, WIDTH),
            "ssm_conv1d.weight": weights(inner, kernel),
            "ssm_conv1d.bias": weights(inner),
            "ssm_x.weight": weights(rank + 2 * state, inner),
            "ssm_dt.weight": weights(inner, rank),
            "ssm_dt.bias": weights(inner),
            "ssm_a": -np.abs(weights(inner, state)),
            "ssm_d": weights(inner),
            "ssm_out.weight": weights(WIDTH, inner),
        }
        for _ in range(layers)
    ])  # fmt: skip
