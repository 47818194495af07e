"""A context: one unified KV cache for several sequences, and the batch that feeds it."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from enum import Enum
from typing import Any

import llama_cpp.llama_cpp as api
import numpy as np
import numpy.typing as npt

from engine.errors import EngineError, OutOfMemory
from engine.native.buffers import buffers
from engine.native.interrupt import Interrupt
from engine.native.library import set_fields
from engine.native.load_params import OUTPUTS, context_params
from engine.native.model import Model, load_failure
from engine.types.model import LoadPlan

Logits = npt.NDArray[np.float32]
State = npt.NDArray[np.uint8]


_ROPE_FIELDS = (
    "rope_scaling_type", "rope_freq_base", "rope_freq_scale", "yarn_ext_factor", "yarn_attn_factor",
    "yarn_beta_fast", "yarn_beta_slow", "yarn_orig_ctx", "attention_type",
)  # fmt: skip


class Decoded(Enum):
    """How a decode ended. NO_ROOM and ABORTED leave the cache without the batch's tokens."""

    DONE = 0
    NO_ROOM = 1
    ABORTED = 2


class Batch:
    """Tokens of one sequence at consecutive positions, and which of them give logits. Reused, never grown."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._tokens = np.zeros(capacity, np.int32)
        self._positions = np.zeros(capacity, np.int32)
        self._sequences = np.zeros(capacity, np.int32)
        self._counts = np.ones(capacity, np.int32)
        self._outputs = np.zeros(capacity, np.int8)
        self._pointers = (ctypes.POINTER(ctypes.c_int32) * capacity)()
        start, step = self._sequences.ctypes.data, self._sequences.itemsize
        for i in range(capacity):
            self._pointers[i] = ctypes.cast(start + i * step, ctypes.POINTER(ctypes.c_int32))
        self.struct = api.llama_batch(
            0, _pointer(self._tokens, ctypes.c_int32), None, _pointer(self._positions, ctypes.c_int32),
            _pointer(self._counts, ctypes.c_int32), self._pointers, _pointer(self._outputs, ctypes.c_int8),
        )

    def clear(self) -> None:
        self.struct.n_tokens = 0

    def add(self, sequence: int, position: int, tokens: Sequence[int], outputs: Sequence[int] = ()) -> None:
        """Append tokens from `position` on; `outputs` are indices into `tokens` whose logits are wanted."""
        start = self.struct.n_tokens
        end = start + len(tokens)
        if end > self.capacity:
            raise ValueError(f"a batch of {end} tokens is over its capacity of {self.capacity}")
        self._tokens[start:end] = tokens
        self._positions[start:end] = np.arange(position, position + len(tokens))
        self._sequences[start:end] = sequence
        self._outputs[start:end] = 0
        for index in outputs:
            self._outputs[start + index] = 1
        self.struct.n_tokens = end

    @property
    def outputs(self) -> int:
        return int(self._outputs[: self.struct.n_tokens].sum())


def _pointer(array: npt.NDArray[Any], kind: Any) -> Any:
    return array.ctypes.data_as(ctypes.POINTER(kind))


class Context:
    """Owns a llama_context with `sequences` sequences over `plan.context_tokens` cells.

    KV unified and flash attention pinned on (a stored prefix must fit every later context), full-size SWA
    cache (a fork of a sequence needs its old cells), few outputs (their logits would dominate the compute buffer).
    """

    def __init__(self, model: Model, plan: LoadPlan, sequences: int) -> None:
        """Raises OutOfMemory when the cache can't be allocated."""
        self.interrupt = Interrupt()
        self.sequences = sequences
        self.outputs_max = max(OUTPUTS, sequences)  # fewer outputs than sequences would abort the process
        params = context_params(plan, sequences)
        set_fields(
            params, abort_callback=self.interrupt.callback, abort_callback_data=self.interrupt.address
        )
        self.rope = tuple(f"{name}={getattr(params, name)}" for name in _ROPE_FIELDS)
        model.library.log.clear()
        self._handle: Any = api.llama_init_from_model(model.handle, params)
        if not self._handle:
            raise _context_failure(model, plan)
        self.buffers = buffers(model.library.log.lines())
        self._memory = api.llama_get_memory(self._handle)
        self._vocab_size = model.vocab.size
        self.cells = int(api.llama_n_ctx(self._handle))
        self.batch = Batch(int(api.llama_n_batch(self._handle)))

    @property
    def handle(self) -> Any:
        return self._handle

    def close(self) -> None:
        """Free the cache and the compute buffers."""
        if self._handle:
            api.llama_free(self._handle)
            self._handle = None

    def decode(self) -> Decoded:
        """Compute `batch`. Raises EngineError when llama.cpp fails on it."""
        if self.batch.outputs > self.outputs_max:
            raise ValueError(f"{self.batch.outputs} outputs are over the context's {self.outputs_max}")
        code = api.llama_decode(self._handle, self.batch.struct)
        if code < 0:
            raise EngineError(f"The model could not compute a piece of the prompt (llama.cpp code {code}).")
        return Decoded(code)

    def logits(self, index: int) -> Logits:
        """Logits of the batch's token `index`, float32 [vocabulary]; a view that the next decode overwrites."""
        pointer = api.llama_get_logits_ith(self._handle, index)
        if not pointer:
            raise EngineError("The model gave no result for the last token.")
        return np.ctypeslib.as_array(pointer, shape=(self._vocab_size,))

    def copy(self, source: int, target: int, end: int, start: int = 0) -> None:
        """Let `target` share the cells of `source` from `start` to `end` (-1: its last). No cells are copied."""
        api.llama_memory_seq_cp(self._memory, source, target, start, end)

    def truncate(self, sequence: int, start: int) -> bool:
        """Drop the sequence's tokens from `start` on; False when this model can't be cut there."""
        return bool(api.llama_memory_seq_rm(self._memory, sequence, start, -1))

    def drop(self, sequence: int) -> None:
        """Drop the whole sequence; cells that others share stay."""
        api.llama_memory_seq_rm(self._memory, sequence, -1, -1)

    def state_bytes(self, sequence: int) -> int:
        """Size of the sequence's state as `save` gives it."""
        return int(api.llama_state_seq_get_size(self._handle, sequence))

    def save(self, sequence: int) -> State:
        """A copy of the sequence's state, uint8. It carries no checksum and no name of its model."""
        state = np.empty(self.state_bytes(sequence), np.uint8)
        written = int(api.llama_state_seq_get_data(self._handle, _pointer(state, ctypes.c_uint8), len(state), sequence))
        return state[:written]

    def save_range(self, start: int, end: int) -> State:
        """A copy of the cells of sequence 0 from position `start` to before `end`, by way of the last sequence."""
        scratch = self.sequences - 1
        self.copy(0, scratch, end, start)
        try:
            return self.save(scratch)
        finally:
            self.drop(scratch)

    def restore(self, sequence: int, state: State) -> bool:
        """Replace the sequence by a copy of this very context's; False, and the sequence empty, when refused."""
        taken = api.llama_state_seq_set_data(self._handle, _pointer(state, ctypes.c_uint8), len(state), sequence)
        return int(taken) == len(state)

    def last_position(self, sequence: int) -> int:
        """The highest position in the cache; -1 when the sequence is empty."""
        return int(api.llama_memory_seq_pos_max(self._memory, sequence))


def _context_failure(model: Model, plan: LoadPlan) -> EngineError:
    failure = load_failure(model.library.log.complaints())
    if isinstance(failure, OutOfMemory):
        return OutOfMemory(
            f"A context of {plan.context_tokens} tokens doesn't fit into memory; choose a smaller one."
        )
    return failure
