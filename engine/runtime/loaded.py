"""A model that is ready for requests: weights, context, what its cache holds, its chat template."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from engine.errors import ModelError, OutOfMemory
from engine.hardware.inventory import take_inventory
from engine.kv.keys import Chain, block_ends
from engine.kv.model_blocks import ModelBlocks
from engine.kv.prefixes import PrefixCache
from engine.kv.store import BlockStore
from engine.models.gguf import ModelSummary, summarize
from engine.native.buffers import is_host
from engine.native.context import Context, Decoded
from engine.native.library import Library
from engine.native.model import LoadCancelled, Model
from engine.placement.planner import shelf_bytes
from engine.placement.units import SEQUENCES, SEQUENCES_OF_RECURRENT
from engine.runtime.placing import Placing, compared
from engine.runtime.remembering import model_blocks
from engine.runtime.speculate import DecodeCosts
from engine.runtime.template import ChatTemplate
from engine.runtime.tokens import PromptTokens, plain_tokens, prompt_tokens
from engine.types.model import LoadedModel, LoadPlan, LoadRequest
from engine.types.prompt import Prompt
from engine.types.remembering import Known, KnownSegment

SHELF_BESIDE_BLOCKS = 4  # one part in so many of the RAM for states, when prompts are kept as blocks
_WEIGHTS_SHARE = 0.95


class Loaded:
    """Owns the native objects; `close` frees them in order. Used by the engine's thread, but for `count`."""

    def __init__(
        self, model: Model, context: Context, summary: ModelSummary, plan_: LoadPlan, shelf_bytes: int, load_s: float,
        blocks: ModelBlocks | None = None,
    ) -> None:  # fmt: skip
        self.model, self.context, self.vocab, self.plan = model, context, model.vocab, plan_
        self.template = ChatTemplate(
            model.chat_template, bos=_mark(model, model.vocab.bos), eos=_mark(model, model.vocab.eos)
        )
        # llama.cpp leaves what a window has passed out of a copy: it can't be cut, and is laid out otherwise.
        sliding = model.divisible and model.window > 0
        self.prefixes = PrefixCache(
            context, cells=context.cells, divisible=model.divisible, shelf_bytes=0 if sliding else shelf_bytes,
            blocks=blocks,
        )  # fmt: skip
        self.copies = not sliding
        self.blocks = blocks
        self.divisible = model.divisible
        self.prefill_tokens_per_s = 0.0
        self.costs = DecodeCosts()
        self.description = _description(model, context, summary, plan_, load_s)

    def prompt(self, prompt: Prompt, *, think: bool = True) -> PromptTokens:
        """Render and tokenise."""
        return prompt_tokens(self.vocab, self.template.render(prompt, think=think), self.plan.batch_tokens)

    def chain(self, prompt: PromptTokens, owner: str) -> Chain | None:
        """The prompt's blocks by name; None for a model that has none. Any thread."""
        if self.blocks is None:
            return None
        ends = block_ends(prompt.lasting)
        starts = [0, *ends]
        sources = [
            frozenset(
                span.segment.source for span in prompt.spans
                if span.segment.source and span.start < end and span.end > start
            )
            for start, end in zip(starts, ends, strict=False)
        ]  # fmt: skip
        return self.blocks.chain(prompt.tokens, ends, sources, owner)

    def known(self, prompt: Prompt) -> Known:
        """How much of a prompt could be restored now. Any thread."""
        read = self.prompt(prompt)
        chain = self.chain(read, "")
        reach = self.blocks.reach(chain) if self.blocks is not None and chain is not None else 0
        spans = {id(span.segment): span for span in read.spans}
        segments = [segment for message in prompt.messages for segment in message.segments]
        told = []
        for segment in segments:
            span = spans.get(id(segment))
            start, end = (span.start, span.end) if span is not None else (0, 0)
            told.append(KnownSegment(segment.source, segment.kind, end - start, max(0, min(end, reach) - start)))
        return Known(len(read.tokens), reach, tuple(told), self.prefill_tokens_per_s)

    def count(self, texts: Sequence[str]) -> tuple[int, ...]:
        """Tokens of each text as a segment. Any thread."""
        return tuple(len(plain_tokens(self.vocab, text)) for text in texts)

    def close(self) -> None:
        """Free context, then model."""
        self.context.close()
        self.model.close()


def load(
    library: Library, request: LoadRequest, on_progress: Callable[[float], bool], store: BlockStore | None = None
) -> Loaded:
    """Check the file, place it, load it, run one token through it.

    `on_progress` gets 0..1 and returns False to give up. `store` keeps what is read; without
    one, only RAM does. Raises ModelError, OutOfMemory, LoadCancelled.
    """
    started = time.monotonic()

    def go_on(fraction: float) -> None:
        if not on_progress(fraction):
            raise LoadCancelled

    if not Path(request.path).is_file():
        raise ModelError(f"The model file {Path(request.path).name} isn't there any more; choose another one.")
    summary = summarize(request.path)
    placing = Placing(library, summary, request)
    model, context = placing.open(
        lambda fraction: on_progress(fraction * _WEIGHTS_SHARE),
        lambda model: SEQUENCES if model.divisible else SEQUENCES_OF_RECURRENT,
    )
    try:
        go_on((_WEIGHTS_SHARE + 1) / 2)
        if placing.is_in_memory():
            _warm_up(context, model)
        decode = placing.measure(model, context)
        shelf = shelf_bytes(take_inventory(()))
        blocks = model_blocks(library, model, context, summary, placing.load, store or _store_in_ram(shelf))
        loaded = Loaded(
            model, context, summary, placing.load, shelf if blocks is None else shelf // SHELF_BESIDE_BLOCKS,
            time.monotonic() - started, blocks,
        )  # fmt: skip
        loaded.description = compared(loaded.description, placing.placed, decode, model.buffers)
        go_on(1.0)
    except BaseException:
        context.close()
        model.close()
        raise
    return loaded


def _store_in_ram(shelf: int) -> BlockStore:
    store = BlockStore(None, ram_bytes=shelf - shelf // SHELF_BESIDE_BLOCKS)
    store.start()
    return store


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
