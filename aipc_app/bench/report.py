"""What every benchmark prints (contract.md)."""

from __future__ import annotations

import platform
from typing import Any

import psutil
from msgspec import Struct


class Bar(Struct, frozen=True, kw_only=True):
    """A measured value beside the bar it is held to."""

    name: str
    value: float
    bar: str
    holds: bool


class BenchReport(Struct, frozen=True, kw_only=True):
    """`skipped`: what could not be measured here, and why."""

    bench: str
    machine: dict[str, str]
    results: dict[str, Any]
    skipped: tuple[str, ...] = ()
    bars: tuple[Bar, ...] = ()


def this_machine() -> dict[str, str]:
    """Processor, cores, memory and system, for reading figures later."""
    return {
        "cores": str(psutil.cpu_count()),
        "memory_gib": f"{psutil.virtual_memory().total / 2**30:.1f}",
        "processor": platform.machine(),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
    }
