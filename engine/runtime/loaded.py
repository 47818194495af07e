"""A model that is ready for requests: weights, context, what its cache holds, its chat template."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import psutil

from engine.errors import ModelError, OutOfMemory
from engine.hardware.inventory import take_inventory
from engine.kv.prefixes import PrefixCache
from engine.models.gguf import ModelSummary, summarize
from engine.native.buffers import is_host
from engine.native.context import Context, Decoded
from engine.native.devices import devices
from engine.native.library import Library
from engine.native.model import LoadCancelled, Model
from engine.placement.planner import plan, shelf_bytes
from engine.runtime.template import ChatTemplate
from engine.runtime.tokens import PromptTokens, plain_tokens, prompt_tokens
from engine.types.model import LoadedModel, LoadPlan, LoadRequest
from engine.types.prompt import Prompt

SEQUENCES = 8
SEQUENCES_OF_RECURRENT = 4  # each holds a whole state, tens to hundreds of MiB
_WEIGHTS_SHARE = 0.95


class Loaded:
    """Owns the native objects; `close` frees them in order. Used by the engine's thread, but for `count`."""

    def __init__(
        self, model: Model, context: Context, summary: ModelSummary, plan_: LoadPlan, shelf_bytes: int, load_s: float
    ) -> None:
        self.model, self.context, self.vocab, self.plan = model, context, model.vocab, plan_
        self.template = ChatTemplate(
            model.chat_template, bos=_mark(model, model.vocab.bos), eos=_mark(model, model.vocab.eos)
        )
        self.prefixes = PrefixCache(
            context, cells=context.cells, divisible=model.divisible, shelf_bytes=shelf_bytes
        )
        self.divisible = model.divisible
        self.prefill_tokens_per_s = 0.0
        self.description = _description(model, context, summary, plan_, load_s)

    def prompt(self, prompt: Prompt, *, think: bool = True) -> PromptTokens:
        """Render and tokenise."""
        return prompt_tokens(self.vocab, self.template.render(prompt, think=think), self.plan.batch_tokens)

    def count(self, texts: Sequence[str]) -> tuple[int, ...]:
        """Tokens of each text as a segment. Any thread."""
        return tuple(len(plain_tokens(self.vocab, text)) for text in texts)

    def close(self) -> None:
        """Free context, then model."""
        self.context.close()
        self.model.close()


def load(library: Library, request: LoadRequest, on_progress: Callable[[float], bool]) -> Loaded:
    """Check the file, place it, load it, run one token through it.

    `on_progress` gets 0..1 and returns False to give up. Raises ModelError, OutOfMemory, LoadCancelled.
    """
    started = time.monotonic()

    def go_on(fraction: float) -> None:
        if not on_progress(fraction):
            raise LoadCancelled

    if not Path(request.path).is_file():
        raise ModelError(f"The model file {Path(request.path).name} isn't there any more; choose another one.")
    summary = summarize(request.path)
    plan_ = plan(summary, take_inventory(devices(library)), request)
    model = Model(
        library, request.path, gpu_layers=plan_.gpu_layers,
        on_progress=lambda fraction: on_progress(fraction * _WEIGHTS_SHARE),
    )  # fmt: skip
    context: Context | None = None
    try:
        if not model.answers:
            raise ModelError("This model can't answer (it is an encoder); choose a chat model.")
        go_on(_WEIGHTS_SHARE)
        context = Context(model, plan_, SEQUENCES if model.divisible else SEQUENCES_OF_RECURRENT)
        go_on((_WEIGHTS_SHARE + 1) / 2)
        if summary.tensor_bytes < psutil.virtual_memory().total:
            _warm_up(context, model)
        shelf = shelf_bytes(take_inventory(()))
        loaded = Loaded(model, context, summary, plan_, shelf, time.monotonic() - started)
        go_on(1.0)
    except BaseException:
        if context is not None:
            context.close()
        model.close()
        raise
    return loaded


def _warm_up(context: Context, model: Model) -> None:
    """Touch all weights once, so that the first question doesn't pay for it."""
    context.batch.clear()
    context.batch.add(0, 0, [max(0, model.vocab.bos)], [0])
    if context.decode() is not Decoded.DONE:
        raise OutOfMemory("The model was loaded, but there is no memory left to compute with it.")
    context.logits(0)
    context.drop(0)


def _mark(model: Model, token: int) -> str:
    return model.vocab.piece(token, special=True).decode("utf-8", "replace") if token >= 0 else ""


def _description(
    model: Model, context: Context, summary: ModelSummary, plan_: LoadPlan, load_s: float
) -> LoadedModel:
    buffers = [*model.buffers, *context.buffers]
    return LoadedModel(
        name=summary.name, path=summary.parts[0], identity=summary.identity, architecture=summary.architecture,
        description=model.description, parameters=model.parameters, file_bytes=summary.file_bytes,
        vram_bytes=sum(size for name, size in buffers if not is_host(name)),
        ram_bytes=sum(size for name, size in buffers if is_host(name)),
        train_context_tokens=model.train_context_tokens, plan=plan_, load_s=load_s,
    )
