"""Stops llama.cpp in the middle of a computation, without Python's lock."""

from __future__ import annotations

import ctypes
import sys

import llama_cpp.llama_cpp as api


class Interrupt:
    """A flag that llama.cpp's CPU backend reads after each graph node; set from any thread.

    The callback is the C library's own `strlen` over two bytes, [flag, 0]: it returns 0 or 1 as the flag is, takes
    nanoseconds and never waits for Python's lock. A Python function here would run about a thousand times a token
    and cost several percent of the decode speed.
    """

    def __init__(self) -> None:
        self._flag = ctypes.create_string_buffer(2)
        library = ctypes.CDLL("ucrtbase" if sys.platform == "win32" else None)
        self._strlen = library.strlen
        self.callback = ctypes.cast(self._strlen, api.ggml_abort_callback)
        self.address = ctypes.cast(self._flag, ctypes.c_void_p)

    def set(self) -> None:
        """End the computation in progress, or the next one."""
        self._flag[0] = b"\x01"

    def clear(self) -> None:
        """Let computations run again."""
        self._flag[0] = b"\x00"

    @property
    def is_set(self) -> bool:
        return self._flag[0] != b"\x00"
