"""What a model is made of: every tensor's class, layer and bytes, and what its KV cache and states take.

By tensor names and shapes alone, so that an architecture needs no entry anywhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from engine.errors import ModelError
from engine.models.gguf_parts import ModelHeader
from engine.models.gguf_reader import TensorEntry
from engine.models.tensor_class import TensorClass, class_of, layer_of

KV_BYTES = {"f16": (2, 1), "f32": (4, 1), "q8_0": (34, 32), "q4_0": (18, 32)}  # bytes of so many values
_MOST_LAYERS, _STATE_VALUE_BYTES, _CELLS_STEP = 4_096, 4, 256
_RECURRENT_MARKS = ("ssm_", "time_mix", "shortconv")


class Tensor(Struct, frozen=True):
    """A tensor as the placement sees it. `layer` is -1 outside the layers; `size` in bytes."""

    name: str
    kind: TensorClass
    layer: int
    size: int
    values: int


class LayerMemory(Struct, frozen=True):
    """What a layer remembers: values in K and in V for one token, and of a recurrent state for one sequence."""

    key_values: int = 0
    value_values: int = 0
    state_values: int = 0


class Layout(Struct, frozen=True):
    """A model, before it is placed. Sizes in bytes.

    `layers` counts all of them, `used_layers` those that are loaded. `active_parameters` are those that a token is
    multiplied with: of the routed experts only as many as the router picks, of the embedding none but its row.
    `feed_forward_length` and `attention_values` are the widest a token's row gets there, in values.
    """

    name: str
    architecture: str
    digest: str
    file_bytes: int
    layers: int
    used_layers: int
    experts: int
    experts_used: int
    train_context_tokens: int
    embedding_length: int
    feed_forward_length: int
    attention_values: int
    vocabulary: int
    parameters: int
    active_parameters: int
    output_is_embedding: bool
    tensors: tuple[Tensor, ...]
    memory: tuple[LayerMemory, ...]

    def kv_bytes_per_token(self, kv_type: str = "f16") -> int:
        """Over all layers; a sliding window's layers count in full, as the engine keeps them whole."""
        return sum(self.kv_layer_bytes(layer, 1, kv_type) for layer in range(len(self.memory)))

    def kv_layer_bytes(self, layer: int, cells: int, kv_type: str) -> int:
        bytes_, of_values = KV_BYTES[kv_type]
        held = self.memory[layer]
        return (held.key_values + held.value_values) * bytes_ // of_values * cells

    def state_layer_bytes(self, layer: int, sequences: int) -> int:
        """Of a recurrent layer's states, f32."""
        return self.memory[layer].state_values * _STATE_VALUE_BYTES * sequences

    @property
    def is_recurrent(self) -> bool:
        """Whether some layer keeps a state, so that a sequence can't be cut at any token."""
        return any(held.state_values for held in self.memory)

    @property
    def expert_share(self) -> float:
        """The part of the routed experts that one token is computed by; 1 for a model without."""
        return self.experts_used / self.experts if self.experts and self.experts_used else 1.0


def cells(context_tokens: int) -> int:
    """Cells that llama.cpp gives a context of so many tokens."""
    return -(-context_tokens // _CELLS_STEP) * _CELLS_STEP


def layout_of(header: ModelHeader) -> Layout:
    """Raises ModelError when the table and the numbers beside it can't both be true."""
    layers = header.number("block_count")
    if layers > _MOST_LAYERS:
        raise ModelError(f"The model file {header.name} is damaged (it has {layers:,} layers); copy it again.")
    used = max(0, layers - header.number("nextn_predict_layers"))
    tensors = tuple(_tensor(entry, used, layers, header) for entry in header.tensors)
    by_layer = _shapes(header.tensors)
    experts = max(header.number("expert_count"), 0)
    share = min(header.number("expert_used_count"), experts)
    tied = not any(tensor.name == "output.weight" for tensor in tensors)
    vocabulary = next((e.shape[-1] for e in header.tensors if e.name == "token_embd.weight" and e.shape), 0)
    return Layout(
        name=header.name,
        architecture=header.architecture,
        digest=header.digest,
        file_bytes=header.file_bytes,
        layers=layers,
        used_layers=used,
        experts=experts,
        experts_used=share,
        train_context_tokens=header.number("context_length"),
        embedding_length=header.number("embedding_length"),
        feed_forward_length=_feed_forward(header, share),
        attention_values=_attention_values(header),
        vocabulary=vocabulary,
        parameters=sum(tensor.values for tensor in tensors),
        active_parameters=_active(tensors, experts, share, tied),
        output_is_embedding=tied,
        tensors=tensors,
        memory=tuple(_memory(header, by_layer[layer], layer) for layer in range(used)),
    )


def _tensor(entry: TensorEntry, used: int, layers: int, header: ModelHeader) -> Tensor:
    layer = layer_of(entry.name)
    if layer >= max(layers, 1):
        raise ModelError(
            f"The model file {header.name} is damaged (it has a layer {layer} of {layers}); copy it again."
        )
    kind = TensorClass.UNUSED if layer >= used and layers else class_of(entry.name)
    return Tensor(entry.name, kind, layer, entry.size, entry.values)


def _shapes(entries: Iterable[TensorEntry]) -> Mapping[int, dict[str, tuple[int, ...]]]:
    found: dict[int, dict[str, tuple[int, ...]]] = defaultdict(dict)
    for entry in entries:
        layer = layer_of(entry.name)
        if layer >= 0:
            found[layer][entry.name.split(".", 2)[2]] = entry.shape
    return found


def _active(tensors: Sequence[Tensor], experts: int, used: int, tied: bool) -> int:
    total = 0
    for tensor in tensors:
        if tensor.kind is TensorClass.UNUSED or (tensor.kind is TensorClass.EMBEDDING and not tied):
            continue
        routed = tensor.kind is TensorClass.ROUTED_EXPERTS and experts
        total += tensor.values * used // experts if routed else tensor.values
    return total


def _feed_forward(header: ModelHeader, experts_used: int) -> int:
    """Values between up and down, gate included, and of each expert's result."""
    embedding = header.number("embedding_length")
    routed = experts_used * 2 * (header.number("expert_feed_forward_length") + embedding)
    return max(3 * header.number("feed_forward_length") + 2 * embedding, routed)


def _attention_values(header: ModelHeader) -> int:
    """Values of Q, of the result and of one copy, over all heads."""
    heads = header.number("attention.head_count")
    width = header.number("attention.key_length", header.number("embedding_length") // max(heads, 1))
    return 3 * heads * width


def _memory(header: ModelHeader, shapes: Mapping[str, tuple[int, ...]], layer: int) -> LayerMemory:
    recurrent = any(name.startswith(_RECURRENT_MARKS) for name in shapes)
    state = _state_values(header) if recurrent else 0
    if not _has_kv(header, shapes, layer, recurrent=recurrent):
        return LayerMemory(state_values=state)
    key, value = _kv_values(header, shapes, layer)
    indexer = _rows(shapes, "indexer.attn_k.weight")  # a sparse attention's own, smaller K
    return LayerMemory(key + indexer, value, state)


def _has_kv(header: ModelHeader, shapes: Mapping[str, tuple[int, ...]], layer: int, *, recurrent: bool) -> bool:
    shared = header.number("attention.shared_kv_layers")
    if shared and layer >= header.number("block_count") - shared:
        return False
    heads = header.value("attention.head_count_kv")
    if isinstance(heads, tuple):
        return layer < len(heads) and bool(heads[layer])
    if not recurrent:
        return header.number("attention.head_count") > 0
    linear = any(name.startswith(("ssm_conv1d_q", "ssm_ba", "ssm_beta", "ssm_alpha")) for name in shapes)
    return not linear and ("attn_k.weight" in shapes or "attn_kv_a_mqa.weight" in shapes)


def _kv_values(header: ModelHeader, shapes: Mapping[str, tuple[int, ...]], layer: int) -> tuple[int, int]:
    """Values of K and of V for one token: from the shapes of their projections, else from the metadata."""
    if header.number("attention.key_length_mla") or ("attn_k_b.weight" in shapes and "attn_v_b.weight" in shapes):
        latent = _rows(shapes, "attn_kv_a_mqa.weight")
        return latent or header.number("attention.key_length"), 0
    if "attn_kv_b.weight" in shapes:  # an older file: its latent is unfolded before it is stored
        heads = header.per_layer("attention.head_count", layer)
        return heads * header.number("attention.key_length"), heads * header.number("attention.value_length")
    key, value = _rows(shapes, "attn_k.weight"), _rows(shapes, "attn_v.weight")
    if key:
        return key, value or key
    heads = max(1, header.per_layer("attention.head_count", layer, 1))
    width = header.number("embedding_length") // heads
    kv_heads = header.per_layer("attention.head_count_kv", layer, heads)
    return (
        kv_heads * header.number("attention.key_length", width),
        kv_heads * header.number("attention.value_length", width),
    )


def _rows(shapes: Mapping[str, tuple[int, ...]], name: str) -> int:
    shape = shapes.get(name, ())
    return shape[1] if len(shape) > 1 else 0


def _state_values(header: ModelHeader) -> int:
    """f32 values of one recurrent layer's state for one sequence (llama.cpp: n_embd_r, n_embd_s)."""
    embedding, heads = header.number("embedding_length"), header.number("attention.head_count")
    convolution = header.number("ssm.conv_kernel")
    if head := header.number("wkv.head_size"):
        return embedding * header.number("token_shift_count", 2) + embedding * head
    if cached := header.number("shortconv.l_cache"):
        return embedding * (cached - 1)
    if head := header.number("kda.head_dim"):
        return 3 * max(convolution - 1, 0) * heads * head + head * head * heads
    inner, state = header.number("ssm.inner_size"), header.number("ssm.state_size")
    return max(convolution - 1, 0) * (inner + 2 * header.number("ssm.group_count") * state) + state * inner
