"""Measures how fast a GPU is fed from RAM, by ggml's own copies."""

from __future__ import annotations

import ctypes
import time

import numpy as np

from engine.native.library import Library

_BYTES, _RUNS = 64 << 20, 3
_I8 = 24
_OVERHEAD = 4_096


class _InitParams(ctypes.Structure):
    """struct ggml_init_params of ggml.h."""

    _fields_ = (("mem_size", ctypes.c_size_t), ("mem_buffer", ctypes.c_void_p), ("no_alloc", ctypes.c_bool))


def link_speed(library: Library, device: str) -> float:
    """Bytes per second from RAM to the GPU of that name; 0 when it can't be told."""
    handle = _device(library, device)
    if handle is None:
        return 0.0
    base = library.base
    _bind(base)
    buffer = base.ggml_backend_buft_alloc_buffer(base.ggml_backend_dev_buffer_type(handle), _BYTES + _OVERHEAD)
    if not buffer:
        return 0.0
    context = base.ggml_init(_InitParams(1 << 20, None, True))
    try:
        tensor = base.ggml_new_tensor_1d(context, _I8, _BYTES)
        base.ggml_backend_tensor_alloc(buffer, tensor, base.ggml_backend_buffer_get_base(buffer))
        data = np.ones(_BYTES, np.uint8)
        return max(_once(library, tensor, data.ctypes.data) for _ in range(_RUNS))
    finally:
        base.ggml_free(context)
        base.ggml_backend_buffer_free(buffer)


def _once(library: Library, tensor: int, address: int) -> float:
    started = time.monotonic()
    library.base.ggml_backend_tensor_set(tensor, address, 0, _BYTES)
    return _BYTES / max(time.monotonic() - started, 1e-9)


def _device(library: Library, name: str) -> int | None:
    for i in range(library.ggml.ggml_backend_dev_count()):
        handle: int = library.ggml.ggml_backend_dev_get(i)
        if library.base.ggml_backend_dev_name(handle).decode() == name:
            return handle
    return None


def _bind(base: ctypes.CDLL) -> None:
    pointer, size = ctypes.c_void_p, ctypes.c_size_t
    for name, result, arguments in (
        ("ggml_backend_dev_buffer_type", pointer, [pointer]),
        ("ggml_backend_buft_alloc_buffer", pointer, [pointer, size]),
        ("ggml_backend_buffer_get_base", pointer, [pointer]),
        ("ggml_backend_buffer_free", None, [pointer]),
        ("ggml_backend_tensor_alloc", ctypes.c_int, [pointer, pointer, pointer]),
        ("ggml_backend_tensor_set", None, [pointer, pointer, size, size]),
        ("ggml_init", pointer, [_InitParams]),
        ("ggml_free", None, [pointer]),
        ("ggml_new_tensor_1d", pointer, [pointer, ctypes.c_int, ctypes.c_int64]),
    ):
        function = getattr(base, name)
        function.restype, function.argtypes = result, arguments
