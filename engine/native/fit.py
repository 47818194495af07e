"""llama.cpp's own fitting of a model to the GPU's memory, to be compared with. Only its command line tools use it.

`common_fit_params` is in libllama-common, under its C++ name, and not in the binding.
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Any

import llama_cpp
import llama_cpp.llama_cpp as api
from msgspec import Struct

from engine.errors import EngineError
from engine.native.devices import devices
from engine.native.library import Library, set_fields
from engine.native.load_params import context_params
from engine.native.overrides import Override
from engine.types.model import Device, DeviceKind, LoadPlan

_SYMBOL = (
    "_Z17common_fit_paramsPKcP18llama_model_paramsP20llama_context_paramsPfP32llama_model_tensor_buft_override"
    "PmjPK22common_fit_extra_model14ggml_log_level"
)
_MOST_OVERRIDES, _LOG_ERROR = 4_096, 4


class Fitted(Struct, frozen=True):
    """`gpu_layers` as llama.cpp counts them; tensors that a pattern finds stay in RAM."""

    gpu_layers: int
    cpu_patterns: tuple[str, ...]


def fit(library: Library, path: str, plan: LoadPlan, sequences: int, vram_bytes: int) -> Fitted:
    """Fit the model into `vram_bytes` of the GPU with the plan's context. Raises EngineError with the reason."""
    gpu = fitting_gpu(library)
    if vram_bytes > gpu.memory_free:
        raise EngineError(f"{gpu.name} reports {gpu.memory_free >> 20} MiB, less than this cell asks for.")
    function = _function()
    params, context = api.llama_model_default_params(), context_params(plan, sequences)
    split = (ctypes.c_float * max(1, int(api.llama_max_devices())))()
    overrides = (Override * (_MOST_OVERRIDES + 1))()
    margins = (ctypes.c_size_t * max(1, int(api.llama_max_devices())))(
        *([gpu.memory_free - vram_bytes] * max(1, int(api.llama_max_devices())))
    )
    set_fields(params, load_mode=api.LLAMA_LOAD_MODE_NONE)
    status = function(
        os.fsencode(path), ctypes.byref(params), ctypes.byref(context), split, overrides, margins, plan.context_tokens,
        None, _LOG_ERROR,
    )  # fmt: skip
    if status != 0:
        raise EngineError(f"llama.cpp's own fitting found no way (status {status}).")
    patterns = []
    for override in overrides:
        if not override.pattern:
            break
        patterns.append(override.pattern.decode())
    layers = int(params.n_gpu_layers)
    return Fitted(layers if layers >= 0 else 1 << 20, tuple(patterns))


def fitting_gpu(library: Library) -> Device:
    """The GPU that is fitted to. Raises EngineError when this build has none."""
    for device in devices(library):
        if device.kind is DeviceKind.GPU:
            return device
    raise EngineError("This build of llama.cpp sees no GPU to fit a model to.")


def _function() -> Any:
    package = Path(str(llama_cpp.__file__)).parent
    for folder in (package.parent / "lib", package / "lib"):
        for name in ("libllama-common.so.0", "libllama-common.so"):
            if (folder / name).exists():
                function = getattr(ctypes.CDLL(str(folder / name)), _SYMBOL)
                function.restype = ctypes.c_int
                function.argtypes = [
                    ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p,
                    ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_int,
                ]  # fmt: skip
                return function
    raise EngineError("libllama-common is not installed, which holds llama.cpp's own fitting.")
