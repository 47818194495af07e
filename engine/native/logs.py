"""llama.cpp's log, sent to standard error (a file, in the engine's child) and kept in memory for error messages."""

from __future__ import annotations

import ctypes
import sys
import threading
from collections import deque

import llama_cpp.llama_cpp as api

_DEBUG, _INFO, _WARN, _ERROR, _CONTINUED = 1, 2, 3, 4, 5
_LETTERS = {_INFO: "I", _WARN: "W", _ERROR: "E"}
_KEPT_LINES = 400

# llama.cpp keeps a bare pointer and logs from its destructors too: a callback that is collected is a crash then.
_called_by_llama: list[object] = []


class LogCapture:
    """Takes over llama.cpp's and ggml's logger for the life of the process. Called from any native thread."""

    def __init__(self) -> None:
        self._lines: deque[tuple[int, str]] = deque(maxlen=_KEPT_LINES)
        self._lock = threading.Lock()
        self._level, self._partial = _INFO, ""
        self._callback = api.llama_log_callback(self._receive)  # ctypes keeps no reference of its own

    def install(self) -> None:
        """Begin to receive, until another capture is installed or the process ends."""
        api.llama_log_set(self._callback, ctypes.c_void_p(0))
        _called_by_llama.append(self._callback)

    def clear(self) -> None:
        """Forget what was kept, before a call whose complaints matter."""
        with self._lock:
            self._lines.clear()

    def complaints(self) -> tuple[str, ...]:
        """Warnings and errors since `clear`, oldest first."""
        with self._lock:
            return tuple(text for level, text in self._lines if level >= _WARN)

    def lines(self) -> tuple[str, ...]:
        """Everything kept since `clear`, oldest first."""
        with self._lock:
            return tuple(text for _, text in self._lines)

    def _receive(self, level: int, text: bytes, _: object) -> None:
        with self._lock:
            if level != _CONTINUED:
                self._flush()
                self._level = level
            self._partial += text.decode("utf-8", "replace")
            if self._partial.endswith("\n"):
                self._flush()

    def _flush(self) -> None:
        line, self._partial = self._partial.rstrip(), ""
        if not line.strip(" .") or self._level == _DEBUG:
            return
        self._lines.append((self._level, line))
        print(f"llama.cpp {_LETTERS.get(self._level, 'I')} {line}", file=sys.stderr, flush=True)
