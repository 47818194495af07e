"""Whether a loaded model's cache can be kept as blocks, and what makes it its own."""

from __future__ import annotations

import os
import platform

from engine.errors import EngineError
from engine.kv.content import content_name
from engine.kv.keys import Fingerprint
from engine.kv.layout import BadState, StateLayout, probe
from engine.kv.model_blocks import ModelBlocks
from engine.kv.store import BlockStore
from engine.models.gguf import ModelSummary
from engine.native.context import Context, Decoded
from engine.native.library import Library
from engine.native.model import Model
from engine.types.model import LoadPlan

ROTATION_VARIABLE = "LLAMA_ATTN_ROT_DISABLE"
NOT_KEPT = (
    "What this model reads can't be kept on the disk, because its memory can't be taken apart; "
    "documents are read anew after each start."
)
_PROBED_CELLS = 3


def model_blocks(
    library: Library, model: Model, context: Context, summary: ModelSummary, plan: LoadPlan, store: BlockStore
) -> ModelBlocks | None:
    """None for a model whose states are not plain attention caches that can be cut anywhere; the store then says so.

    Call it with an empty context.
    """
    layout = _probe(context, model) if model.divisible and not model.window else None
    if layout is None:
        store.note_model(NOT_KEPT)
        return None
    store.note_model("")
    try:
        fingerprint = _fingerprint(library, model, context, summary, plan, store, layout).digest()
    except OSError as error:
        raise EngineError(f"The model file can't be read ({error.strerror}); check the disk.") from error
    store.keep_in_ram(fingerprint)
    return ModelBlocks(store, context, layout, fingerprint)


def _probe(context: Context, model: Model) -> StateLayout | None:
    """How this model's states look, from a few cells."""
    context.batch.clear()
    context.batch.add(0, 0, [max(0, model.vocab.bos)] * _PROBED_CELLS)
    try:
        if context.decode() is not Decoded.DONE:
            return None
        state = context.save_range(0, _PROBED_CELLS)
        layout = probe(state, _PROBED_CELLS)
        if layout is not None:
            layout.normalise(state)
            layout.check(state, 0, _PROBED_CELLS)
        return layout
    except BadState:
        return None
    finally:
        context.drop(0)


def _fingerprint(
    library: Library, model: Model, context: Context, summary: ModelSummary, plan: LoadPlan, store: BlockStore,
    layout: StateLayout,
) -> Fingerprint:  # fmt: skip
    return Fingerprint(
        content=content_name(summary.parts, summary.identity, store.content_file),
        build=" ".join(library.versions[name] for name in ("llama-cpp-python", "llama.cpp", "ggml")),
        kv_type=plan.kv_type, flash_attention=True, rope=context.rope,
        rotation=os.environ.get(ROTATION_VARIABLE, ""), lora=(),
        backend=(
            platform.machine(), library.cpu_backend, plan.host_buffer.value,
            *((plan.device, "kv on gpu" if plan.kv_on_gpu else "kv in ram") if plan.gpu_layers else ()),
        ),
        context_class=_context_class(model, context, summary), layout=layout.name,
    )  # fmt: skip


def _context_class(model: Model, context: Context, summary: ModelSummary) -> str:
    """Some models take other rope factors once the context is longer than they were trained for at first."""
    original = model.metadata(f"{summary.architecture}.rope.scaling.original_context_length")
    if original is None or not original.isdigit():
        return ""
    return "long" if context.cells > int(original) else "short"
