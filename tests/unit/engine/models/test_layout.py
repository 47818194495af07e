"""What a model is made of is told by names and shapes; no architecture is on a list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import pytest

from engine.errors import ModelError
from engine.models.gguf_parts import ModelHeader
from engine.models.gguf_reader import TensorEntry, Value
from engine.models.layout import Layout, layout_of
from engine.models.tensor_class import TensorClass, class_of, layer_of

WIDTH, HEADS = 64, 4
Shapes = Mapping[str, tuple[int, ...]]


def layout(layers: Sequence[Shapes], outside: Shapes | None = None, **numbers: Value) -> Layout:
    """A model of these layers; keys of `numbers` with __ for a dot."""
    shapes = {"token_embd.weight": (WIDTH, 100), **(outside or {})}
    shapes |= {f"blk.{i}.{name}": shape for i, layer in enumerate(layers) for name, shape in layer.items()}
    entries = tuple(TensorEntry(name, shape, values(shape), 0, 2 * values(shape)) for name, shape in shapes.items())
    told: dict[str, Value] = {
        "block_count": len(layers), "embedding_length": WIDTH, "attention.head_count": HEADS, "context_length": 4_096
    }  # fmt: skip
    told |= {name.replace("__", "."): value for name, value in numbers.items()}
    metadata: dict[str, Value] = {"general.architecture": "new", **{f"new.{key}": told[key] for key in told}}
    return layout_of(ModelHeader("model", metadata, entries, ("m.gguf",), 1, "digest"))


def values(shape: Sequence[int]) -> int:
    count = 1
    for length in shape:
        count *= length
    return count


def grouped(kv: int = 32) -> dict[str, tuple[int, ...]]:
    return {
        "attn_norm.weight": (WIDTH,), "attn_q.weight": (WIDTH, WIDTH), "attn_k.weight": (WIDTH, kv),
        "attn_v.weight": (WIDTH, kv), "attn_output.weight": (WIDTH, WIDTH),
    }  # fmt: skip


def mixture(experts: int = 8, inner: int = 32) -> dict[str, tuple[int, ...]]:
    return {
        "ffn_gate_inp.weight": (WIDTH, experts), "ffn_gate_exps.weight": (WIDTH, inner, experts),
        "ffn_up_exps.weight": (WIDTH, inner, experts), "ffn_down_exps.weight": (inner, WIDTH, experts),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("token_embd.weight", TensorClass.EMBEDDING),
        ("per_layer_token_embd.weight", TensorClass.EMBEDDING),
        ("output.weight", TensorClass.OUTPUT),
        ("output_norm.weight", TensorClass.OUTPUT),
        ("blk.3.attn_q.weight", TensorClass.ATTENTION),
        ("blk.3.attn_qkv.bias", TensorClass.ATTENTION),
        ("blk.3.attn_sinks.weight", TensorClass.ATTENTION),
        ("blk.3.attn_q_a.weight", TensorClass.MLA),
        ("blk.3.attn_kv_a_mqa.weight", TensorClass.MLA),
        ("blk.3.attn_k_b.weight", TensorClass.MLA),
        ("blk.3.attn_q_a_norm.weight", TensorClass.NORM),
        ("blk.3.post_attention_norm.weight", TensorClass.NORM),
        ("blk.3.ffn_gate_inp.weight", TensorClass.ROUTER),
        ("blk.3.exp_probs_b.bias", TensorClass.ROUTER),
        ("blk.3.ffn_gate_inp_shexp.weight", TensorClass.SHARED_EXPERTS),
        ("blk.3.ffn_down_shexp.weight", TensorClass.SHARED_EXPERTS),
        ("blk.3.ffn_gate_up_exps.weight", TensorClass.ROUTED_EXPERTS),
        ("blk.3.ffn_down_chexps.weight", TensorClass.ROUTED_EXPERTS),
        ("blk.3.ffn_up_exps.bias", TensorClass.ROUTED_EXPERTS),
        ("blk.3.ffn_up.7.weight", TensorClass.ROUTED_EXPERTS),
        ("blk.3.ffn_up.weight", TensorClass.DENSE_FFN),
        ("blk.3.ssm_conv1d.weight", TensorClass.RECURRENT),
        ("blk.3.time_mix_key.weight", TensorClass.RECURRENT),
        ("blk.3.shortconv.in_proj.weight", TensorClass.RECURRENT),
        ("blk.3.something_new.weight", TensorClass.ATTENTION),
    ],
)
def test_a_name_tells_the_class(name: str, kind: TensorClass) -> None:
    assert class_of(name) is kind


def test_layers_are_told_by_name() -> None:
    assert (layer_of("blk.12.ffn_up.weight"), layer_of("output.weight"), layer_of("blk.x.ffn_up")) == (12, -1, -1)


def test_grouped_attention_keeps_k_and_v_of_its_heads() -> None:
    assert layout([grouped(32), grouped(16)]).kv_bytes_per_token() == 2 * (32 + 32) + 2 * (16 + 16)
    assert layout([grouped(32)]).kv_bytes_per_token("q8_0") == 64 * 34 // 32


def test_latent_attention_keeps_one_compressed_k() -> None:
    latent = {"attn_kv_a_mqa.weight": (WIDTH, 40), "attn_k_b.weight": (8, 32, 4), "attn_v_b.weight": (32, 8, 4)}
    assert layout([latent, latent], attention__kv_lora_rank=32).kv_bytes_per_token() == 2 * 2 * 40


def test_an_older_file_of_latent_attention_stores_it_unfolded() -> None:
    old = {"attn_kv_a_mqa.weight": (WIDTH, 40), "attn_kv_b.weight": (32, 64)}
    numbers = {"attention__key_length": 24, "attention__value_length": 16}
    assert layout([old], **numbers).kv_bytes_per_token() == 2 * HEADS * (24 + 16)


def test_a_hybrid_keeps_a_cache_in_some_layers_and_a_state_in_others() -> None:
    linear = {"attn_qkv.weight": (WIDTH, 128), "ssm_ba.weight": (WIDTH, 8), "ssm_conv1d.weight": (4, 128)}
    found = layout(
        [linear, grouped(32)], ssm__conv_kernel=4, ssm__inner_size=64, ssm__state_size=16, ssm__group_count=2
    )
    assert [(m.key_values, m.state_values > 0) for m in found.memory] == [(0, True), (32, False)]
    assert found.memory[0].state_values == 3 * (64 + 2 * 2 * 16) + 16 * 64
    assert found.is_recurrent and found.state_layer_bytes(0, 4) == 4 * 4 * found.memory[0].state_values


def test_layers_with_no_heads_for_keys_have_no_cache() -> None:
    recurrent = {"ssm_in.weight": (WIDTH, 128)}
    found = layout([recurrent, grouped(32)], attention__head_count_kv=(0, 2), ssm__inner_size=8, ssm__state_size=8)
    assert found.kv_layer_bytes(0, 1, "f16") == 0 and found.kv_layer_bytes(1, 1, "f16") == 128


def test_layers_that_share_a_cache_count_once() -> None:
    assert layout([grouped(32)] * 4, attention__shared_kv_layers=2).kv_bytes_per_token() == 2 * 2 * 64


def test_a_sparse_attentions_own_keys_count() -> None:
    indexed = {**grouped(32), "indexer.attn_k.weight": (WIDTH, 8)}
    assert layout([indexed]).kv_bytes_per_token() == 2 * (32 + 32 + 8)


def test_active_parameters_are_those_a_token_is_multiplied_with() -> None:
    found = layout([{**grouped(), **mixture()}], {"output.weight": (WIDTH, 100)}, expert_count=8, expert_used_count=2)
    always = WIDTH + 2 * WIDTH * WIDTH + 2 * WIDTH * 32 + WIDTH * 8 + WIDTH * 100
    assert found.active_parameters == always + 3 * WIDTH * 32 * 8 * 2 // 8
    assert found.parameters == always + 3 * WIDTH * 32 * 8 + WIDTH * 100
    assert not found.output_is_embedding


def test_a_shared_embedding_is_active_as_the_output() -> None:
    found = layout([grouped()])
    assert found.output_is_embedding and found.active_parameters == found.parameters


def test_layers_that_predict_further_tokens_are_not_used() -> None:
    found = layout([grouped(), grouped()], nextn_predict_layers=1)
    assert (found.layers, found.used_layers, len(found.memory)) == (2, 1, 1)
    kinds = Counter(tensor.kind for tensor in found.tensors)
    assert kinds[TensorClass.UNUSED] == 5


@pytest.mark.parametrize(
    ("numbers", "words"),
    [({"block_count": 100_000}, "100,000 layers"), ({"block_count": 1}, "a layer 1 of 1")],
)
def test_numbers_that_contradict_the_table_are_refused(numbers: dict[str, int], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        layout([grouped(), grouped()], **numbers)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -3, 1 << 62, "many", None, (), True])
def test_a_number_that_is_none_counts_as_missing(value: Value) -> None:
    found = layout([grouped()], expert_count=value, attention__key_length=value, nextn_predict_layers=None)
    assert found.experts in (0, 1) and found.kv_bytes_per_token() == 128
