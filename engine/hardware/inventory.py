"""Takes stock of the machine."""

from __future__ import annotations

import os
from pathlib import Path

import psutil

from engine.types.machine import Inventory
from engine.types.model import Device

_QUOTA = Path("/sys/fs/cgroup/cpu.max")
_MEMORY_LIMIT, _MEMORY_USED = Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")


def take_inventory(devices: tuple[Device, ...]) -> Inventory:
    """Cores and memory this process may use now, beside the devices that ggml reported."""
    memory = psutil.virtual_memory()
    total, available = int(memory.total), int(memory.available)
    limit = _cgroup_number(_MEMORY_LIMIT)
    if limit is not None and limit < total:
        total, available = limit, min(available, max(0, limit - (_cgroup_number(_MEMORY_USED) or 0)))
    return Inventory(devices, usable_cores(), total, available)


def usable_cores() -> int:
    """Physical cores within this process's affinity and CPU quota; at least 1."""
    physical = psutil.cpu_count(logical=False) or psutil.cpu_count() or 1
    limits = [physical]
    if hasattr(os, "sched_getaffinity"):
        limits.append(len(os.sched_getaffinity(0)))
    quota = _cpu_quota()
    if quota is not None:
        limits.append(quota)
    return max(1, min(limits))


def _cpu_quota() -> int | None:
    try:
        allowed, period = _QUOTA.read_text().split()
    except (OSError, ValueError):
        return None
    return None if allowed == "max" else max(1, round(int(allowed) / int(period)))


def _cgroup_number(path: Path) -> int | None:
    try:
        text = path.read_text().strip()
    except OSError:
        return None
    return None if text == "max" else int(text)
