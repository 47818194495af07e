"""llama.cpp's table of tensors that go elsewhere than their layer. It lacks a class in the binding."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from engine.native.library import Library


class Override(ctypes.Structure):
    """struct llama_model_tensor_buft_override of include/llama.h."""

    _fields_ = (("pattern", ctypes.c_char_p), ("buffer_type", ctypes.c_void_p))


class CpuOverrides:
    """Tensors that one of the regular expressions finds go to the CPU's buffers. Keep it until the load returned."""

    def __init__(self, library: Library, patterns: Sequence[str]) -> None:
        handle = library.base.ggml_backend_cpu_buffer_type
        handle.restype, handle.argtypes = ctypes.c_void_p, []
        self._patterns = [pattern.encode() for pattern in patterns]
        entries = [Override(pattern, handle()) for pattern in self._patterns]
        self._table = (Override * (len(entries) + 1))(*entries, Override(None, None))

    @property
    def pointer(self) -> ctypes.c_void_p:
        return ctypes.cast(self._table, ctypes.c_void_p)
