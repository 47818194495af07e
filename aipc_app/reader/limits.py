"""What the operating system enforces for one file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform != "win32":
    import resource

_RECURSION = 1_000  # calls; a document nested deeper is refused instead of running out of stack


@contextmanager
def memory_limit(extra_bytes: int) -> Iterator[None]:
    """Let the process grow by at most `extra_bytes` of address space; more raises MemoryError.

    Only Linux keeps such a limit; elsewhere the parent watches the process.
    """
    if sys.platform != "linux":
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = _address_space() + extra_bytes
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_AS, (allowed, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def limit_recursion() -> None:
    sys.setrecursionlimit(_RECURSION)


def _address_space() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    return pages * resource.getpagesize()
