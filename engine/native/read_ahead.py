"""A mapped model is opened without reading all of its file first.

llama.cpp maps a file with MAP_POPULATE: the load returns when the whole file went through RAM, minutes for one that
RAM holds a twentieth of, and nothing of it is left there. No parameter turns that off; on machines with several memory
nodes llama.cpp leaves it out by itself (llama-mmap.cpp), and asks the CPU backend's registry whether this is one
(ggml_backend_cpu_is_numa, by name). Here that question is answered with yes while such a model loads.
See decisions/0002.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.native.devices import cpu_registry
from engine.native.library import Library

_API_VERSION = 2  # GGML_BACKEND_API_VERSION of ggml-backend-impl.h, which the struct below is laid out for
_QUESTION = b"ggml_backend_cpu_is_numa"
_MADV_NORMAL = 0
_SHARED_READ_ONLY = "r--s"
_MAPS = Path("/proc/self/maps")
_Answer = ctypes.CFUNCTYPE(ctypes.c_bool)
_Lookup = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)


class _Registry(ctypes.Structure):
    """struct ggml_backend_reg."""

    _fields_ = (
        ("api_version", ctypes.c_int),
        ("get_name", ctypes.c_void_p),
        ("get_device_count", ctypes.c_void_p),
        ("get_device", ctypes.c_void_p),
        ("get_proc_address", ctypes.c_void_p),
        ("context", ctypes.c_void_p),
    )


@contextmanager
def no_read_ahead(library: Library) -> Iterator[bool]:
    """Models that are mapped within are not read ahead; False where that can't be had, and then they are."""
    found = _registry(library)
    if found is None:
        yield False
        return
    before = found.get_proc_address
    ask = _Lookup(before)
    yes = _Answer(lambda: True)
    address = ctypes.cast(yes, ctypes.c_void_p).value
    lookup = _Lookup(lambda registry, name: address if name == _QUESTION else ask(registry, name))
    found.get_proc_address = ctypes.cast(lookup, ctypes.c_void_p).value
    try:
        yield True
    finally:
        found.get_proc_address = before


def read_in_runs() -> None:
    """Take back the advice that goes with several nodes, to read page by page: an expert is one run of megabytes."""
    libc = ctypes.CDLL(None)
    libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    for line in _MAPS.read_text(errors="replace").splitlines():
        addresses, kind = line.split(maxsplit=2)[:2]
        if kind == _SHARED_READ_ONLY:  # as a model is mapped; for any other file it changes nothing
            start, end = (int(text, 16) for text in addresses.split("-"))
            libc.madvise(start, end - start, _MADV_NORMAL)


def _registry(library: Library) -> _Registry | None:
    """The CPU backend's, if it is laid out as expected and answers the question; Linux alone populates a mapping."""
    address = cpu_registry(library) if sys.platform == "linux" and _MAPS.exists() else None
    if not address:
        return None
    found = _Registry.from_address(address)
    asked = library.base.ggml_backend_reg_get_proc_address(address, _QUESTION)
    if found.api_version != _API_VERSION or not asked or _Lookup(found.get_proc_address)(address, _QUESTION) != asked:
        return None
    return found
