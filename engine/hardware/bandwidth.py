"""Measures how fast memory and disk are read. Each takes a bounded time and leaves nothing behind."""

from __future__ import annotations

import mmap
import os
import threading
import time
from pathlib import Path

import numpy as np

_BLOCK_BYTES = 32 << 20  # larger than any core's cache
_RAM_S, _DISK_S = 0.4, 0.7
_READ_BYTES, _MOST_READ_BYTES = 4 << 20, 512 << 20
_LEAST_READ_BYTES = 16 << 20


def ram_speed(cores: int) -> float:
    """Bytes per second that all cores together move between RAM and themselves."""
    blocks = [tuple(np.ones(_BLOCK_BYTES // 8) for _ in range(2)) for _ in range(cores)]
    speeds = [0.0] * cores

    def copy(index: int) -> None:
        source, target = blocks[index]
        copies, started = 0, time.monotonic()
        while copies < 2 or time.monotonic() - started < _RAM_S:
            np.copyto(target, source)  # without Python's lock
            copies += 1
        speeds[index] = 2 * _BLOCK_BYTES * copies / (time.monotonic() - started)

    threads = [threading.Thread(target=copy, args=(index,)) for index in range(cores)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(speeds)


def disk_speed(path: Path) -> float:
    """Bytes per second of reading this file past the system's cache; 0 where that can't be told.

    A file with holes has no disk behind it, and one in the cache would say how fast memory is.
    """
    try:
        state = path.stat()
        if getattr(state, "st_blocks", 0) * 512 < state.st_size // 2 or state.st_size < _LEAST_READ_BYTES:
            return 0.0
        return _direct(path, state.st_size)
    except (OSError, AttributeError, ValueError):
        return 0.0


def _direct(path: Path, size: int) -> float:
    """Large pieces spread over the file, by direct reads; raises where the system has none."""
    file = os.open(path, os.O_RDONLY | os.O_DIRECT)
    try:
        with mmap.mmap(-1, _READ_BYTES) as buffer:  # page-aligned, as direct reads ask for
            pieces = min(size // _READ_BYTES, _MOST_READ_BYTES // _READ_BYTES)
            step = size // max(pieces, 1) // _READ_BYTES * _READ_BYTES
            started, read = time.monotonic(), 0
            for piece in range(pieces):
                read += os.preadv(file, [buffer], piece * max(step, _READ_BYTES))
                if time.monotonic() - started > _DISK_S:
                    break
            taken = time.monotonic() - started
        return read / taken if read >= _LEAST_READ_BYTES else 0.0
    finally:
        os.close(file)
