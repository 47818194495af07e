"""What the operating system lets this process use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.hardware import inventory
from engine.hardware.inventory import take_inventory, usable_cores


def limit(monkeypatch: pytest.MonkeyPatch, folder: Path, **files: str) -> None:
    for name, constant in (("cpu", "_QUOTA"), ("memory", "_MEMORY_LIMIT"), ("used", "_MEMORY_USED")):
        path = folder / name
        if name in files:
            path.write_text(files[name])
        monkeypatch.setattr(inventory, constant, path)


def test_it_is_what_the_process_may_use(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    limit(monkeypatch, tmp_path)
    taken = take_inventory(())
    assert 1 <= taken.usable_cores <= len(os.sched_getaffinity(0))
    assert 0 < taken.memory_available <= taken.memory_total


def test_a_containers_limits_count(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    limit(monkeypatch, tmp_path, cpu="100000 100000\n", memory="1000000\n", used="400000\n")
    taken = take_inventory(())
    assert (taken.usable_cores, taken.memory_total, taken.memory_available) == (1, 1_000_000, 600_000)


def test_no_limit_is_no_limit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    limit(monkeypatch, tmp_path)
    free = usable_cores()
    limit(monkeypatch, tmp_path, cpu="max 100000\n", memory="max\n")
    assert usable_cores() == free
    assert take_inventory(()).memory_total > 1_000_000


def test_less_than_a_core_is_one_core(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    limit(monkeypatch, tmp_path, cpu="20000 100000")
    assert usable_cores() == 1
