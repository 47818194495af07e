"""What a tensor is for, told by its name alone.

The names are those of llama.cpp's src/llama-arch.cpp, which every architecture it knows is written with; a name that
isn't known is taken for part of its layer's attention, which is where the bytes of a new kind of layer belong.
"""

from __future__ import annotations

import re
from enum import StrEnum


class TensorClass(StrEnum):
    ATTENTION = "attention"
    MLA = "mla"  # attention over one compressed K (DeepSeek's multi-head latent attention)
    RECURRENT = "recurrent"
    SHARED_EXPERTS = "shared_experts"
    ROUTED_EXPERTS = "routed_experts"
    DENSE_FFN = "dense_ffn"
    ROUTER = "router"
    NORM = "norm"
    EMBEDDING = "embedding"
    OUTPUT = "output"
    UNUSED = "unused"  # layers that predict further tokens (MTP); not loaded


_LAYER = re.compile(r"^(?:enc\.|dec\.)?blk\.(\d{1,6})\.(.+)$")
# A norm of the whole row comes after what has "norm" within a longer word that isn't one (attn_q_a_norm is a norm).
_RULES: tuple[tuple[TensorClass, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        (TensorClass.ROUTED_EXPERTS, r"^ffn_(?:up|down|gate|gate_up)_(?:ch)?exps\b"),
        (TensorClass.ROUTED_EXPERTS, r"^ffn_(?:up|down|gate)\.\d+\."),
        (TensorClass.SHARED_EXPERTS, r"^ffn_(?:gate_inp|up|down|gate)_shexp\b"),
        (TensorClass.ROUTER, r"^(?:ffn_gate_inp|exp_probs_b|ffn_gate_tid2eid|ffn_routed_|ffn_latent_)"),
        (TensorClass.RECURRENT, r"^(?:ssm_|time_mix|channel_mix|shortconv)"),
        (TensorClass.NORM, r"norm"),
        (TensorClass.MLA, r"^attn_(?:q_a|q_b|kv_a_mqa|kv_a|kv_b|k_b|v_b)\b"),
        (TensorClass.DENSE_FFN, r"^ffn_"),
        (TensorClass.ATTENTION, r""),
    )
)
_EMBEDDINGS = ("token_embd.", "position_embd.", "token_types.", "per_layer_token_embd.")


def layer_of(name: str) -> int:
    """The layer a tensor belongs to, -1 for none."""
    found = _LAYER.match(name)
    return int(found[1]) if found else -1


def class_of(name: str) -> TensorClass:
    """The class by name; a layer that only predicts further tokens is told by the number of layers, not here."""
    found = _LAYER.match(name)
    if found is None:
        return TensorClass.EMBEDDING if name.startswith(_EMBEDDINGS) else TensorClass.OUTPUT
    return next(kind for kind, pattern in _RULES if pattern.search(found[2]))
