"""How much memory llama.cpp took and where, as its log says (its own accounting has no C interface)."""

from __future__ import annotations

import re
from collections.abc import Sequence

_LINE = re.compile(r"(\S+)\s+(?:model|KV|RS|compute|output) buffer size\s*=\s*([\d.]+) MiB")
_HOST_NAMES = ("CPU", "AMX", "BLAS")


def buffers(lines: Sequence[str]) -> tuple[tuple[str, int], ...]:
    """(buffer's name, bytes) for each buffer that was reported."""
    found = (_LINE.search(line) for line in lines)
    return tuple((match[1], int(float(match[2]) * (1 << 20))) for match in found if match)


def is_host(name: str) -> bool:
    """Whether a buffer of that name lies in the computer's own memory."""
    return name.startswith(_HOST_NAMES) or name.endswith("_Host")


def is_mapped(name: str) -> bool:
    """Whether a buffer of that name is the file itself, from its first tensor to its last, whatever of it is in RAM."""
    return name.endswith("_Mapped")
