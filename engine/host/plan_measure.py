"""Loads a model by a plan, runs a few tokens, reports. Its process ends afterwards, and the memory with it."""

from __future__ import annotations

import statistics
import time

from engine.errors import EngineError
from engine.native.buffers import is_host
from engine.native.context import Context, Decoded
from engine.native.library import Library
from engine.native.model import Model
from engine.wire.plan_messages import MeasurePlan, PlanRan

_SEQUENCES = 1


def measure(library: Library, task: MeasurePlan) -> PlanRan:
    """Raises ModelError, OutOfMemory or EngineError."""
    started = time.monotonic()
    model = Model(library, task.path, task.load, on_progress=lambda _: True)
    context = Context(model, task.load, _SEQUENCES)
    loaded = time.monotonic() - started
    buffers = (*model.buffers, *context.buffers)
    vocabulary = model.vocab.size or 1
    first = _seconds(context, [0], 0)  # touches every weight; on a GPU it also builds the kernels
    length = min(task.prefill_tokens, task.load.batch_tokens, task.load.context_tokens // 2)
    prefill = length / _seconds(context, [i % vocabulary for i in range(length)], 1) if length else 0.0
    steps = [_seconds(context, [i % vocabulary], 1 + length + i) for i in range(task.decode_tokens)]
    return PlanRan(
        vram_bytes=sum(size for name, size in buffers if not is_host(name)),
        ram_bytes=sum(size for name, size in buffers if is_host(name)),
        buffers=buffers, load_s=loaded, prefill_tokens_per_s=prefill,
        decode_tokens_per_s=1 / statistics.median(steps) if steps else 0.0, first_token_s=first,
    )  # fmt: skip


def _seconds(context: Context, tokens: list[int], position: int) -> float:
    context.batch.clear()
    context.batch.add(0, position, tokens, [len(tokens) - 1])
    started = time.monotonic()
    if context.decode() is not Decoded.DONE:
        raise EngineError("The model could not compute a few tokens; there may be too little memory.")
    context.logits(0 if len(tokens) == 1 else len(tokens) - 1)
    return max(time.monotonic() - started, 1e-9)
