"""A layout as the planner counts it: what must lie together, and how much each layer takes."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable

from msgspec import Struct

from engine.models.layout import Layout, Tensor, cells
from engine.models.tensor_class import TensorClass
from engine.types.plan import PartKind

SEQUENCES = 17  # all requests', 15 for answers side by side, one to copy over
SEQUENCES_OF_RECURRENT = 4  # each holds a whole state, tens to hundreds of MiB

_PARTS = {
    TensorClass.ATTENTION: PartKind.ATTENTION,
    TensorClass.MLA: PartKind.ATTENTION,
    TensorClass.NORM: PartKind.ATTENTION,
    TensorClass.ROUTER: PartKind.ATTENTION,
    TensorClass.RECURRENT: PartKind.RECURRENT,
    TensorClass.SHARED_EXPERTS: PartKind.SHARED_EXPERTS,
    TensorClass.ROUTED_EXPERTS: PartKind.ROUTED_EXPERTS,
    TensorClass.DENSE_FFN: PartKind.DENSE_FFN,
    TensorClass.EMBEDDING: PartKind.EMBEDDING,
    TensorClass.OUTPUT: PartKind.OUTPUT,
}


class ExpertTensor(Struct, frozen=True):
    """The routed experts of one layer in one projection, biases included. `stem` like "ffn_up_exps"; bytes."""

    layer: int
    stem: str
    size: int


class LayerUnit(Struct, frozen=True):
    """One layer. `always` is what every token goes through, by kind; `memory` KV cache and states. Bytes."""

    always: dict[PartKind, int]
    experts: tuple[ExpertTensor, ...]
    memory: int

    @property
    def always_bytes(self) -> int:
        return sum(self.always.values())


class Units(Struct, frozen=True):
    """The whole model. `output` is what the GPU takes for the last step, a copy of a shared embedding included.

    What ends in `_before` are running sums: entry n is of the first n layers. Bytes, and layers with experts.
    """

    layers: tuple[LayerUnit, ...]
    embedding: int
    output: int
    output_in_file: int
    experts: tuple[ExpertTensor, ...]
    expert_bytes: int
    largest_expert: int
    largest_always: int
    always_before: tuple[int, ...]
    memory_before: tuple[int, ...]
    mixtures_before: tuple[int, ...]

    @property
    def always_bytes(self) -> int:
        return self.always_before[-1]

    @property
    def memory(self) -> int:
        return self.memory_before[-1]


def sequences(layout: Layout) -> int:
    """How many sequences a context of this model holds."""
    return SEQUENCES_OF_RECURRENT if layout.is_recurrent else SEQUENCES


def units_of(layout: Layout, context_tokens: int, kv_type: str) -> Units:
    """Count the model with a cache of so many tokens."""
    by_layer: dict[int, list[Tensor]] = defaultdict(list)
    for tensor in layout.tensors:
        if tensor.kind is not TensorClass.UNUSED:
            by_layer[tensor.layer].append(tensor)
    count = cells(context_tokens)
    held = sequences(layout)
    layers = tuple(
        _layer(
            by_layer[layer],
            layout.kv_layer_bytes(layer, count, kv_type) + layout.state_layer_bytes(layer, held),
        )
        for layer in range(layout.used_layers)
    )
    outside = by_layer[-1]
    embedding = sum(t.size for t in outside if t.kind is TensorClass.EMBEDDING)
    output = sum(t.size for t in outside if t.kind is TensorClass.OUTPUT)
    shared = next((t.size for t in outside if t.name == "token_embd.weight"), 0) if layout.output_is_embedding else 0
    experts = tuple(expert for layer in layers for expert in layer.experts)
    return Units(
        layers=layers, embedding=embedding, output=output + shared, output_in_file=output, experts=experts,
        expert_bytes=sum(expert.size for expert in experts),
        largest_expert=max((expert.size for expert in experts), default=0),
        largest_always=max((size for layer in layers for size in layer.always.values()), default=0),
        always_before=_running(layer.always_bytes for layer in layers),
        memory_before=_running(layer.memory for layer in layers),
        mixtures_before=_running(1 if layer.experts else 0 for layer in layers),
    )  # fmt: skip


def _running(values: Iterable[int]) -> tuple[int, ...]:
    return tuple(itertools.accumulate(values, initial=0))


def _layer(tensors: Iterable[Tensor], memory: int) -> LayerUnit:
    always: dict[PartKind, int] = defaultdict(int)
    experts: dict[tuple[int, str], int] = defaultdict(int)
    for tensor in tensors:
        if tensor.kind is TensorClass.ROUTED_EXPERTS:
            experts[tensor.layer, tensor.name.split(".")[2]] += tensor.size
        else:
            always[_PARTS[tensor.kind]] += tensor.size
    found = tuple(ExpertTensor(layer, stem, size) for (layer, stem), size in sorted(experts.items()))
    return LayerUnit(dict(always), found, memory)
