"""The size of llama.cpp's compute buffers: as its dry run measured it, else by an estimate that says it is one.

The estimate was fitted to dry runs of the 30B, 235B and 671B mixtures of experts and of a dense 1.5B model (within 6%
at 512 to 2,048 tokens a step): the widest row a token gets, the attention's mask, the logits of few outputs.
"""

from __future__ import annotations

from engine.models.layout import Layout, cells
from engine.placement.units import Units
from engine.types.plan import ComputeBuffers, ComputeShape, PlanFacts

_OUTPUTS, _FLOAT, _HALF = 16, 4, 2
_SAFETY = 1.1
_BASE_BYTES = 8 << 20
FIRST_ESTIMATE = 512 << 20  # of a CPU's buffers, until they were measured


def compute_of(
    layout: Layout, units: Units, facts: PlanFacts, shape: ComputeShape, ubatch: int, context: int, kv_type: str,
    *, fetched: bool = True, gpu_layers: int = 0,
) -> ComputeBuffers:  # fmt: skip
    """The buffers of this shape; `fetched` and `gpu_layers` as in ComputeBuffers."""
    fetched_or_none = fetched or not leaves_weights(shape)
    for count in (gpu_layers, 0):
        known = _known(facts, shape, ubatch, context, kv_type, fetched=fetched_or_none, gpu_layers=count)
        if known is not None:
            return known
    if shape is ComputeShape.NOTHING:
        return ComputeBuffers(shape, context, ubatch, kv_type, 0, max(FIRST_ESTIMATE, _rows(layout, ubatch, context)))
    on_cpu = _known(facts, ComputeShape.NOTHING, ubatch, context, kv_type)
    rows = on_cpu.cpu_bytes if on_cpu is not None else _rows(layout, ubatch, context)
    gpu = int(rows * _SAFETY) + (_staging(units, shape) if fetched else 0)
    host = ubatch * (layout.embedding_length * 2 * _FLOAT + cells(context) * _HALF) + _BASE_BYTES
    if not fetched:  # the CPU then computes a whole step of the experts as well
        host = max(host, int(rows * _SAFETY))
    return ComputeBuffers(shape, context, ubatch, kv_type, gpu, host, measured=False, fetched=fetched)


def leaves_weights(shape: ComputeShape) -> bool:
    """Whether weights lie in RAM that a GPU computes with, or could."""
    return shape in (ComputeShape.SOME_LAYERS, ComputeShape.WITHOUT_EXPERTS)


def counts_run_dry(facts: PlanFacts, shape: ComputeShape) -> tuple[int, ...]:
    """How many layers were on the GPU in dry runs of their own, and 0 for the shape's."""
    return tuple({0, *(known.gpu_layers for known in facts.compute if known.shape is shape)})


def was_run_dry(facts: PlanFacts, context: int, kv_type: str, some_layers: int = 0) -> bool:
    """Whether a dry run for this context was kept; on a machine without a GPU it tells of the CPU alone.

    `some_layers` of the plan, 0 for one of another shape: with a GPU, just so many must have been run.
    """
    kept = [known for known in facts.compute if (known.context_tokens, known.kv_type) == (context, kv_type)]
    partial = {known.gpu_layers for known in kept if known.shape is ComputeShape.SOME_LAYERS}
    return bool(kept) and (not some_layers or not partial or some_layers in partial)


def _known(
    facts: PlanFacts, shape: ComputeShape, ubatch: int, context: int, kv_type: str, *, fetched: bool = True,
    gpu_layers: int = 0,
) -> ComputeBuffers | None:  # fmt: skip
    wanted = (shape, cells(context), ubatch, kv_type, fetched, gpu_layers)
    for known in facts.compute:
        has = (
            known.shape, cells(known.context_tokens), known.ubatch_tokens, known.kv_type, known.fetched,
            known.gpu_layers,
        )  # fmt: skip
        if has == wanted:
            return known
    return None


def _rows(layout: Layout, ubatch: int, context: int) -> int:
    widest = max(layout.feed_forward_length, layout.attention_values) + 2 * layout.embedding_length
    return (
        ubatch * widest * _FLOAT + ubatch * cells(context) * _HALF + _OUTPUTS * layout.vocabulary * _FLOAT + _BASE_BYTES
    )


def _staging(units: Units, shape: ComputeShape) -> int:
    """Room for the largest tensor that is fetched from RAM for a long prompt."""
    if shape is ComputeShape.EVERYTHING:
        return 0
    return max(units.largest_expert, units.largest_always if shape is ComputeShape.SOME_LAYERS else 0)
