"""A load by its plan: place, open, place once more when memory ran out after all, and keep what was learned."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from engine.errors import EngineError, ModelError, OutOfMemory
from engine.hardware.facts import FactsStore, machine_name
from engine.hardware.inventory import take_inventory
from engine.models.gguf import ModelSummary
from engine.native.buffers import is_host, is_mapped
from engine.native.context import Context, Decoded
from engine.native.devices import devices, inspection
from engine.native.library import Library
from engine.native.model import Model
from engine.placement.parts import CPU
from engine.placement.planner import plan_load
from engine.types.machine import Inventory
from engine.types.model import LoadedModel, LoadPlan, LoadRequest
from engine.types.plan import PartKind, PlacementPlan, PlanFacts

_LEAST_LESS = 256 << 20
_LESS_SHARE = 20  # a twentieth of the GPU's part is given up when it turned out to be too much
_PREFILL_TOKENS, _DECODE_TOKENS = 64, 8
_LONGEST_S = 1.5  # a model so slow that it hasn't read a token by then tells enough


class Placing:
    """One load. `placed` is the plan in force; `load` its part for llama.cpp."""

    def __init__(self, library: Library, summary: ModelSummary, request: LoadRequest) -> None:
        """Raises OutOfMemory when nothing fits, with what would."""
        self._library, self._summary, self._request = library, summary, request
        self._store = FactsStore(Path(request.facts), library.versions["llama-cpp-python"]) if request.facts else None
        self._inventory = self._take_stock()
        self._facts = self._known()
        self.placed = plan_load(summary.layout, self._inventory, request, self._facts)

    @property
    def load(self) -> LoadPlan:
        assert self.placed.load is not None
        return self.placed.load

    def open(self, on_weights: Callable[[float], bool], sequences: Callable[[Model], int]) -> tuple[Model, Context]:
        """Load weights and context. Raises ModelError, OutOfMemory, LoadCancelled."""
        try:
            return self._open(on_weights, sequences)
        except OutOfMemory:
            if not self.load.device:
                raise
            self._give_more_room()
            return self._open(on_weights, sequences)

    def is_in_memory(self) -> bool:
        """Whether all weights are, so that touching them once is cheap."""
        return self.placed.predicted.disk_bytes == 0

    def measure(self, model: Model, context: Context) -> float:
        """Decode speed of a short run, kept to correct the next plan; 0 when it is known already or nothing is kept.

        Leaves the context empty. Nothing is run where weights come from the disk: so many tokens ask for most experts,
        which would read the file once, and tell of a cold cache.
        """
        if self._store is None or self._facts.correction.runs or not self.is_in_memory():
            return 0.0
        vocabulary = model.vocab.size
        prefill = _timed(context, [i % vocabulary for i in range(_PREFILL_TOKENS)], 0)
        decode = 0.0
        if prefill > 0 and _PREFILL_TOKENS / prefill < _PREFILL_TOKENS * _LONGEST_S:
            decode = _decode_speed(context, vocabulary)
        context.drop(0)
        self._keep(model, context, decode, prefill)
        return decode

    def _open(self, on_weights: Callable[[float], bool], sequences: Callable[[Model], int]) -> tuple[Model, Context]:
        model = Model(self._library, self._request.path, self.load, on_progress=on_weights)
        try:
            if not model.answers:
                raise ModelError("This model can't answer (it is an encoder); choose a chat model.")
            return model, Context(model, self.load, sequences(model))
        except BaseException:
            model.close()
            raise

    def _give_more_room(self) -> None:
        """The GPU held less than it said: plan with that number, once."""
        less = max(_LEAST_LESS, self.placed.predicted.vram_bytes // _LESS_SHARE)
        known = self._facts.correction
        self._facts = msgspec.structs.replace(
            self._facts, correction=msgspec.structs.replace(known, gpu_bytes=known.gpu_bytes + less)
        )
        self._inventory = self._take_stock()
        self.placed = plan_load(self._summary.layout, self._inventory, self._request, self._facts)

    def _take_stock(self) -> Inventory:
        taken = msgspec.structs.replace(
            take_inventory(devices(self._library)), cpu_features=inspection(self._library).cpu_features
        )
        speeds = self._store.speeds(machine_name(taken)) if self._store else None
        return msgspec.structs.replace(taken, speeds=speeds) if speeds else taken

    def _known(self) -> PlanFacts:
        if self._store is None:
            return PlanFacts()
        gpu = plan_load(self._summary.layout, self._inventory, self._request).load
        return self._store.of_model(self._summary.layout.digest, gpu.device if gpu else "")

    def _keep(self, model: Model, context: Context, decode: float, prefill: float) -> None:
        assert self._store is not None
        predicted, correction = self.placed.predicted, self._facts.correction
        held = sum(size for name, size in (*model.buffers, *context.buffers) if not is_host(name))
        more = held - (predicted.vram_bytes - correction.gpu_bytes) if self.load.device else 0
        self._store.keep_run(
            self._summary.layout.digest, self.load.device, gpu_bytes=more,
            decode=decode / (predicted.decode_tokens_per_s / correction.decode),
            prefill=prefill / (predicted.prefill_tokens_per_s / correction.prefill),
        )  # fmt: skip


def _decode_speed(context: Context, vocabulary: int) -> float:
    speeds = []
    started = time.monotonic()
    for i in range(_DECODE_TOKENS):
        speeds.append(_timed(context, [(i + 1) % vocabulary], _PREFILL_TOKENS + i))
        if time.monotonic() - started > _LONGEST_S:
            break
    return sorted(speeds)[len(speeds) // 2]


def _timed(context: Context, tokens: list[int], position: int) -> float:
    """Tokens per second of one step; 0 when it could not be computed."""
    context.batch.clear()
    context.batch.add(0, position, tokens, [len(tokens) - 1])
    started = time.monotonic()
    try:
        if context.decode() is not Decoded.DONE:
            return 0.0
    except EngineError:
        return 0.0
    return len(tokens) / max(time.monotonic() - started, 1e-9)


def compared(
    model: LoadedModel, placed: PlacementPlan, decode_tokens_per_s: float, buffers: Sequence[tuple[str, int]] = ()
) -> LoadedModel:
    """The report of a load: what was measured, beside what was planned.

    A mapping counts with the weights that RAM has room for: it spans the file, those on the GPU and those that are
    read from the disk each time included.
    """
    predicted = placed.predicted
    mapped = sum(size for name, size in buffers if is_mapped(name))
    return msgspec.structs.replace(
        model, ram_bytes=model.ram_bytes - max(0, mapped - _weights_in_ram(placed)),
        planned_vram_bytes=predicted.vram_bytes, planned_ram_bytes=predicted.ram_bytes,
        predicted_decode_tokens_per_s=predicted.decode_tokens_per_s, decode_tokens_per_s=decode_tokens_per_s,
    )  # fmt: skip


def _weights_in_ram(placed: PlacementPlan) -> int:
    others = (PartKind.KV_CACHE, PartKind.COMPUTE)
    return sum(part.bytes for part in placed.placement if part.device == CPU and part.tensors not in others)
