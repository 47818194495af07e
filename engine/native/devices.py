"""What ggml sees of this machine."""

from __future__ import annotations

import ctypes

from engine.errors import EngineError
from engine.native.library import Library
from engine.types.model import Device, DeviceKind, Inspection

_KINDS = {0: DeviceKind.CPU, 1: DeviceKind.GPU, 2: DeviceKind.INTEGRATED, 3: DeviceKind.ACCELERATOR}
_MAX_FEATURES = 256


class _Feature(ctypes.Structure):
    _fields_ = (("name", ctypes.c_char_p), ("value", ctypes.c_char_p))


def devices(library: Library) -> tuple[Device, ...]:
    """All devices of all loaded backends, in ggml's order."""
    handles = (library.ggml.ggml_backend_dev_get(i) for i in range(library.ggml.ggml_backend_dev_count()))
    return tuple(_device(library, handle) for handle in handles)


def device_list(library: Library, name: str) -> ctypes.Array[ctypes.c_void_p]:
    """A list for llama_model_params.devices: the device of that name alone, or none at all for "".

    Raises EngineError when it isn't there any more.
    """
    if not name:
        return (ctypes.c_void_p * 1)(None)
    for i in range(library.ggml.ggml_backend_dev_count()):
        handle = library.ggml.ggml_backend_dev_get(i)
        if library.base.ggml_backend_dev_name(handle).decode() == name:
            return (ctypes.c_void_p * 2)(handle, None)
    raise EngineError(f"The GPU {name!s} isn't there any more; load the model again.")


def inspection(library: Library) -> Inspection:
    """Devices, the CPU variant chosen for this processor and its features, versions."""
    return Inspection(devices(library), library.cpu_backend, _cpu_features(library), library.versions)


def _device(library: Library, handle: int) -> Device:
    base, free, total = library.base, ctypes.c_size_t(), ctypes.c_size_t()
    base.ggml_backend_dev_memory(handle, ctypes.byref(free), ctypes.byref(total))
    return Device(
        name=base.ggml_backend_dev_name(handle).decode(),
        description=base.ggml_backend_dev_description(handle).decode("utf-8", "replace"),
        kind=_KINDS.get(base.ggml_backend_dev_type(handle), DeviceKind.ACCELERATOR),
        memory_total=total.value,
        memory_free=free.value,
    )


def cpu_registry(library: Library) -> int | None:
    """The handle of the CPU backend's registry (ggml_backend_reg_t)."""
    for i in range(library.ggml.ggml_backend_dev_count()):
        handle = library.ggml.ggml_backend_dev_get(i)
        if library.base.ggml_backend_dev_type(handle) == 0:
            return int(library.base.ggml_backend_dev_backend_reg(handle))
    return None


def _cpu_features(library: Library) -> tuple[str, ...]:
    registry = cpu_registry(library)
    if registry is None:
        return ()
    address = library.base.ggml_backend_reg_get_proc_address(registry, b"ggml_backend_get_features")
    return _features(address, registry) if address else ()


def _features(address: int, registry: int) -> tuple[str, ...]:
    get = ctypes.CFUNCTYPE(ctypes.POINTER(_Feature), ctypes.c_void_p)(address)
    found, listed = [], get(registry)
    for i in range(_MAX_FEATURES):
        if not listed[i].name:
            break
        if listed[i].value == b"1":
            found.append(listed[i].name.decode())
    return tuple(found)
