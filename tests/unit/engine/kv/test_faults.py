"""Kills, full disks and flipped bits: never a wrong block, never a crash, and what is good still hits."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from engine.kv.block_file import HEADER_BYTES
from tests.unit.engine.kv.filling import BLOCKS, LARGE, open_store, prompts, state

ROOT = Path(__file__).resolve().parents[4]
PROMPTS = 5
UNIQUE = 2 + (BLOCKS - 2) * PROMPTS


def filling(folder: Path, seed: int, *limit: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.unit.engine.kv.filling", str(folder), str(seed), str(PROMPTS), *limit]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)


def good_blocks(folder: Path, seed: int) -> list[int]:
    """For each prompt how many blocks can be restored; fails on a wrong one."""
    store, found = open_store(str(folder)), []
    try:
        for prompt in prompts(seed, PROMPTS):
            states = store.read(prompt, store.reach(prompt), LARGE)
            for i, restored in enumerate(states):
                assert np.array_equal(restored, state(prompt, i)), "a wrong block was given"
            found.append(len(states))
        assert store.status().disk_bytes == sum(path.stat().st_size for path in folder.glob("blocks/*/*"))
    finally:
        store.close(5)
    return found


def fill_up(folder: Path, seed: int) -> str:
    """Run to the end; what the store says then."""
    with filling(folder, seed) as child:
        assert child.stdout is not None
        *_, last = child.stdout
    assert child.returncode == 0
    return last.removeprefix("problem:").strip()


@pytest.mark.parametrize("kills", [3, pytest.param(100, marks=[pytest.mark.long, pytest.mark.timeout(3_600)])])
def test_a_kill_while_blocks_are_written_costs_no_more_than_those(tmp_path: Path, kills: int) -> None:
    random = np.random.default_rng(11)
    for number in range(kills):
        folder, seed = tmp_path / str(number), int(random.integers(1 << 30))
        with filling(folder, seed) as child:
            assert child.stdout is not None
            for _ in range(int(random.integers(1, UNIQUE))):
                child.stdout.readline()
            child.kill()
        before = good_blocks(folder, seed)
        assert before == sorted(before, reverse=True)  # what came first is there first
        assert fill_up(folder, seed) == ""
        assert good_blocks(folder, seed) == [BLOCKS] * PROMPTS
        assert not [*folder.glob("blocks/*/*.half")]


def test_a_disk_that_takes_no_more_is_told_and_what_was_written_is_good(tmp_path: Path) -> None:
    """By a limit on the size of a file, which every block is over."""
    assert fill_up(tmp_path, 5) == ""
    with filling(tmp_path, 6, "100000") as child:
        assert child.stdout is not None
        *_, last = child.stdout
    assert child.returncode == 0 and "can't be kept on the disk" in last
    assert good_blocks(tmp_path, 5) == [BLOCKS] * PROMPTS
    assert good_blocks(tmp_path, 6) == [2] * PROMPTS  # the beginning that all share


@contextlib.contextmanager
def small_disk(folder: Path, size: str) -> Iterator[None]:
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    if os.name != "posix" or os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("a small file system can't be mounted here; the limit on a file's size is tested instead")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_small_disk_holds_what_was_used_last(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "1m"):
        folder = tmp_path / "disk" / "kv"
        assert fill_up(folder, 7) == ""
        found = good_blocks(folder, 7)
        assert found[-1] == BLOCKS and sum(found) < BLOCKS * PROMPTS


def test_a_full_disk_is_told_and_written_to_once_there_is_room(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "1m"):
        folder, others = tmp_path / "disk" / "kv", tmp_path / "disk" / "others"
        others.write_bytes(bytes(1_000_000))
        assert "nearly full" in fill_up(folder, 7)
        assert good_blocks(folder, 7) == [0] * PROMPTS
        others.unlink()
        assert fill_up(folder, 7) == ""
        assert good_blocks(folder, 7)[-1] == BLOCKS


@pytest.mark.parametrize("flips", [20, pytest.param(200, marks=pytest.mark.long)])
def test_a_flipped_bit_anywhere_costs_one_block(tmp_path: Path, flips: int) -> None:
    """Spread over every region: header, tokens, what llama.cpp's state begins with, rows; and the list of owners."""
    assert fill_up(tmp_path, 9) == ""
    random = np.random.default_rng(3)
    paths = sorted(tmp_path.glob("blocks/*/*.kv"))
    assert len(paths) == UNIQUE
    for number in range(flips):
        path = paths[number % len(paths)]
        whole = path.read_bytes()
        edges = [0, 20, 40, HEADER_BYTES - 16, HEADER_BYTES, HEADER_BYTES + 256, HEADER_BYTES + 1_200, len(whole)]
        region = number % (len(edges) - 1)
        at = int(random.integers(edges[region], edges[region + 1]))
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << int(random.integers(8))]) + whole[at + 1 :])
        found = good_blocks(tmp_path, 9)
        lost = [prompt for prompt in found if prompt < BLOCKS]
        assert len(lost) in (1, PROMPTS) and not path.exists()
        path.write_bytes(whole)
        assert good_blocks(tmp_path, 9) == [BLOCKS] * PROMPTS


def test_a_damaged_list_of_owners_loses_blocks_but_gives_no_wrong_ones(tmp_path: Path) -> None:
    assert fill_up(tmp_path, 9) == ""
    book = tmp_path / "owners.jsonl"
    whole = book.read_bytes()
    book.write_bytes(whole[: len(whole) // 2])
    before = good_blocks(tmp_path, 9)
    assert 0 < sum(before) < BLOCKS * PROMPTS
    assert fill_up(tmp_path, 9) == ""
    assert good_blocks(tmp_path, 9) == [BLOCKS] * PROMPTS
