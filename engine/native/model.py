"""A loaded model and its vocabulary."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import llama_cpp.llama_cpp as api

from engine.errors import EngineError, ModelError, OutOfMemory
from engine.native.buffers import buffers
from engine.native.library import Library, set_fields
from engine.native.load_params import ModelParams
from engine.native.read_ahead import no_read_ahead, read_in_runs
from engine.types.model import HostBuffer, LoadPlan

_MEMORY_WORDS = ("failed to allocate", "unable to allocate", "out of memory", "outofdevicememory", "alloc failed")
_TEXT_BYTES = 512


class LoadCancelled(EngineError):
    """The user gave the load up."""

    def __init__(self) -> None:
        super().__init__("The loading of the model was stopped.")


class _Progress:
    """llama.cpp's callback, which must outlive the load. `on_mapped` runs once, at its first call."""

    def __init__(self, on_progress: Callable[[float], bool]) -> None:
        self.cancelled = False
        self.on_mapped: Callable[[], None] | None = None
        self._on_progress = on_progress
        self.callback = api.llama_progress_callback(self._report)

    def _report(self, fraction: float, _: object) -> bool:
        if self.on_mapped is not None:
            self.on_mapped()
            self.on_mapped = None
        self.cancelled = not self._on_progress(fraction)
        return not self.cancelled


@contextmanager
def _as_planned(library: Library, plan: LoadPlan, progress: _Progress) -> Iterator[None]:
    """A plan maps what RAM has no room for: reading it ahead would take long and keep nothing."""
    if plan.host_buffer is not HostBuffer.MAPPED:
        yield
        return
    with no_read_ahead(library) as left_out:
        progress.on_mapped = read_in_runs if left_out else None
        yield


class Model:
    """Owns a llama_model; `close` frees it. Contexts made from it must be closed before."""

    def __init__(
        self, library: Library, path: str, plan: LoadPlan, *, on_progress: Callable[[float], bool]
    ) -> None:
        """Load `path` as the plan says. `on_progress` gets 0..1 and returns False to give up.

        Raises ModelError, OutOfMemory or LoadCancelled.
        """
        self.library = library
        params = ModelParams(library, plan)
        progress = _Progress(on_progress)
        set_fields(params.struct, progress_callback=progress.callback)
        library.log.clear()
        with _as_planned(library, plan, progress):
            self._handle: Any = api.llama_model_load_from_file(os.fsencode(path), params.struct)
        if not self._handle:
            if progress.cancelled:
                raise LoadCancelled
            raise load_failure(library.log.complaints())
        self.buffers = buffers(library.log.lines())
        self.vocab = Vocab(api.llama_model_get_vocab(self._handle))

    @property
    def handle(self) -> Any:
        return self._handle

    def close(self) -> None:
        """Free the model's memory."""
        if self._handle:
            api.llama_model_free(self._handle)
            self._handle = None

    @property
    def description(self) -> str:
        return self._text(api.llama_model_desc)

    @property
    def parameters(self) -> int:
        return int(api.llama_model_n_params(self._handle))

    @property
    def tensor_bytes(self) -> int:
        return int(api.llama_model_size(self._handle))

    @property
    def train_context_tokens(self) -> int:
        return int(api.llama_model_n_ctx_train(self._handle))

    @property
    def divisible(self) -> bool:
        """Whether a sequence can be cut at any token: not so for recurrent and hybrid models."""
        return not (api.llama_model_is_recurrent(self._handle) or api.llama_model_is_hybrid(self._handle))

    @property
    def window(self) -> int:
        """Tokens of its sliding attention window; 0 for none."""
        return int(api.llama_model_n_swa(self._handle))

    @property
    def answers(self) -> bool:
        """Whether it is a decoder that can answer, not an encoder."""
        return bool(api.llama_model_has_decoder(self._handle)) and not api.llama_model_has_encoder(self._handle)

    def metadata(self, key: str) -> str | None:
        """A scalar of the GGUF header as text."""
        buffer = ctypes.create_string_buffer(_TEXT_BYTES)
        length = api.llama_model_meta_val_str(self._handle, key.encode(), buffer, len(buffer))
        return buffer.value.decode("utf-8", "replace") if length >= 0 else None

    @property
    def chat_template(self) -> str | None:
        """The model's own chat template (Jinja), if it has one."""
        template = api.llama_model_chat_template(self._handle, None)
        return template.decode("utf-8", "replace") if template else None

    def _text(self, function: Any) -> str:
        buffer = ctypes.create_string_buffer(_TEXT_BYTES)
        function(self._handle, buffer, len(buffer))
        return buffer.value.decode("utf-8", "replace")


def load_failure(complaints: Sequence[str]) -> EngineError:
    """llama.cpp's complaints about a load, sorted into the engine's errors."""
    text = " ".join(complaints).lower()
    if any(word in text for word in _MEMORY_WORDS):
        return OutOfMemory("The model doesn't fit into this computer's memory; choose a smaller one.")
    if "unknown model architecture" in text:
        return ModelError("This model is of a kind this program doesn't know; choose another one.")
    detail = complaints[-1].split(": ", 1)[-1] if complaints else "no reason was given"
    return ModelError(f"The model file could not be loaded ({detail}); copy it again or choose another one.")


class Vocab:
    """Text to tokens and back. Only reads, so any thread may call it while the model lives."""

    def __init__(self, handle: Any) -> None:
        self._handle = handle
        self.size = int(api.llama_vocab_n_tokens(handle))
        self.bos, self.eos = int(api.llama_vocab_bos(handle)), int(api.llama_vocab_eos(handle))
        self.adds_bos = bool(api.llama_vocab_get_add_bos(handle))

    @property
    def handle(self) -> Any:
        return self._handle

    def tokenize(self, text: str, *, parse_special: bool) -> list[int]:
        """Tokens of `text` alone, without begin or end marks. Raises ModelError for a vocabulary that can't."""
        data = text.encode("utf-8", "replace")
        if not data:
            return []
        room = len(data) + 8
        for _ in range(2):
            buffer = (api.llama_token * room)()
            count = api.llama_tokenize(self._handle, data, len(data), buffer, room, False, parse_special)
            if count >= 0:
                return list(buffer[:count])
            room = -count
        raise ModelError("The model's vocabulary can't take this text apart.")

    def piece(self, token: int, *, special: bool = False) -> bytes:
        """The bytes a token stands for; control tokens are empty unless `special`."""
        buffer = ctypes.create_string_buffer(64)
        length = api.llama_token_to_piece(self._handle, token, buffer, len(buffer), 0, special)
        if length < 0:
            buffer = ctypes.create_string_buffer(-length)
            length = api.llama_token_to_piece(self._handle, token, buffer, len(buffer), 0, special)
        return buffer.raw[:length]

    def ends_generation(self, token: int) -> bool:
        return bool(api.llama_vocab_is_eog(self._handle, token))

    def is_control(self, token: int) -> bool:
        return bool(api.llama_vocab_is_control(self._handle, token))

    def is_special(self, token: int) -> bool:
        """Control, unknown or user-defined: a token that stands for more than its letters."""
        special = api.LLAMA_TOKEN_ATTR_CONTROL | api.LLAMA_TOKEN_ATTR_UNKNOWN | api.LLAMA_TOKEN_ATTR_USER_DEFINED
        return bool(api.llama_vocab_get_attr(self._handle, token) & special)
