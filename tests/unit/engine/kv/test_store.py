"""The store: what was read is found again, by whoever may; what was damaged is a miss; what was forgotten is gone."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.kv.block_file import HEADER_BYTES
from engine.kv.keys import Chain
from engine.kv.store import BlockStore
from engine.kv.writer import FULL_OF_PINS
from engine.types.remembering import StoreSettings
from tests.unit.engine.kv.states import FINGERPRINT, LAYOUT, block_state, chain

BLOCK_BYTES = HEADER_BYTES + 4 * 4 + LAYOUT.size(4)  # a file of four tokens
PLENTY = 1 << 30
Open = Callable[..., BlockStore]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Opens the store on one folder, again and again."""
    stores: list[BlockStore] = []

    def open_(*, ram: int = PLENTY, disk: int = PLENTY, reserve: int = 0, enabled: bool = True) -> BlockStore:
        for store in stores:
            store.close(5)
        stores.append(BlockStore(StoreSettings(str(tmp_path / "kv"), ram, disk, reserve, enabled)))
        stores[-1].start()
        return stores[-1]

    yield open_
    for store in stores:
        store.close(5)


def fill(store: BlockStore, prompt: Chain, *, salt: int = 0) -> int:
    """What a prefill does: restore, compute the rest, keep it. Returns the blocks that were there."""
    there = store.reach(prompt)
    states = store.read(prompt, there, LAYOUT)
    for i, state in enumerate(states):
        assert np.array_equal(state, block_state(prompt.start(i), prompt.ends[i], salt)), "a wrong block was given"
    for i in range(len(states), len(prompt.keys)):
        store.put(prompt, i, block_state(prompt.start(i), prompt.ends[i], salt))
        store.use(prompt, i + 1)
    store.use(prompt, len(prompt.keys))
    return len(states)


def files(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "kv" / "blocks").glob("*/*"))


ONE, TWO = chain(range(20), owner="case:1", sources=["document:1"]), chain(range(100, 120), owner="case:2")


def test_what_was_read_is_there_after_a_restart(opened: Open, tmp_path: Path) -> None:
    store = opened()
    assert fill(store, ONE) == 0
    store.flush()
    assert len(files(tmp_path)) == 5 and store.status().disk_bytes == sum(f.stat().st_size for f in files(tmp_path))
    again = opened()
    assert again.reach(ONE) == again.kept(ONE) == 5 and again.ram_bytes == 0
    assert fill(again, ONE) == 5
    assert again.ram_bytes > 0
    assert again.reach(chain([*range(12), 99, 99], owner="case:1")) == 3


def test_a_prefix_of_two_cases_is_stored_once(opened: Open, tmp_path: Path) -> None:
    store = opened()
    fill(store, chain([*range(40), *range(50, 54)], owner="case:1"))
    assert fill(store, chain([*range(40), *range(60, 64)], owner="case:2")) == 10
    store.flush()
    assert len(files(tmp_path)) == 12
    shares = {share.owner: share.tokens for share in store.status().owners}
    assert shares == {"case:1": 44, "case:2": 44}


def test_a_block_nobody_keeps_stays_in_ram(opened: Open, tmp_path: Path) -> None:
    store = opened()
    nobody = chain(range(8))
    fill(store, nobody)
    store.flush()
    assert store.reach(nobody) == 2 and files(tmp_path) == []
    fill(store, replace(nobody, owner="case:3"))
    store.flush()
    assert len(files(tmp_path)) == 2


def test_forgetting_a_case_deletes_what_it_alone_keeps(opened: Open, tmp_path: Path) -> None:
    store = opened()
    fill(store, chain([*range(8), 1, 1, 1, 1], owner="case:1"))
    fill(store, chain([*range(8), 2, 2, 2, 2], owner="case:2"))
    store.flush()
    before = store.status().disk_bytes
    freed = store.forget(["case:1"])
    assert len(files(tmp_path)) == 3 and freed == before - store.status().disk_bytes > 0
    assert store.reach(chain([*range(8), 1, 1, 1, 1])) == 2 and store.reach(chain([*range(8), 2, 2, 2, 2])) == 3
    assert b"case:1" not in (tmp_path / "kv" / "owners.jsonl").read_bytes()
    assert store.forget(["case:2"]) > 0 and files(tmp_path) == [] and store.ram_bytes == 0
    assert opened().status().owners == ()


def test_forgetting_a_document_deletes_its_blocks_and_what_was_read_after_them(opened: Open, tmp_path: Path) -> None:
    store = opened()
    made = chain(range(16), owner="case:1")
    held = [{"document:1"}, {"document:1", "document:2"}, {"document:2"}, set[str]()]
    fill(store, replace(made, sources=tuple(map(frozenset, held))))
    store.flush()
    store.forget(["document:2"])
    assert store.reach(made) == 1 and len(files(tmp_path)) == 1
    store.forget(["document:1"])
    assert store.reach(made) == 0 and files(tmp_path) == []


def test_forgetting_everything_leaves_no_byte(opened: Open, tmp_path: Path) -> None:
    store = opened()
    store.pin("case:1", True)
    for prompt in (ONE, TWO):
        fill(store, prompt)
    store.flush()
    (files(tmp_path)[0].parent / "left.half").write_bytes(b"x")
    total = store.status().disk_bytes
    assert store.forget_all() == total
    assert files(tmp_path) == [] and store.status().owners == () and store.ram_bytes == 0
    assert (tmp_path / "kv" / "owners.jsonl").read_bytes() == b""


def test_what_is_forgotten_while_it_is_read_is_not_kept(opened: Open, tmp_path: Path) -> None:
    store = opened()
    for i in range(3):
        assert store.put(ONE, i, block_state(ONE.start(i), ONE.ends[i]))
        store.use(ONE, i + 1)
    store.forget(["case:1"])
    assert not store.put(ONE, 3, block_state(ONE.start(3), ONE.ends[3]))
    store.flush()
    assert files(tmp_path) == [] and store.reach(ONE) == 0


def test_the_longest_unused_leaves_the_disk_first_and_ends_before_beginnings(opened: Open, tmp_path: Path) -> None:
    store = opened(disk=9 * BLOCK_BYTES, ram=0)
    for prompt in (ONE, TWO):
        fill(store, prompt)
        store.flush()
    assert store.status().disk_bytes <= 9 * BLOCK_BYTES
    assert store.reach(TWO) == 5 and 0 < store.reach(ONE) < 5
    again = opened(disk=9 * BLOCK_BYTES)
    kept = again.reach(ONE)
    fill(again, chain(range(200, 208), owner="case:3"))
    again.flush()
    assert again.reach(ONE) < kept and again.reach(TWO) == 5


def test_a_pinned_case_stays(opened: Open) -> None:
    store = opened(disk=6 * BLOCK_BYTES, ram=0)
    store.pin("case:1", True)
    fill(store, ONE)
    store.flush()
    store = opened(disk=6 * BLOCK_BYTES, ram=0)
    fill(store, TWO)
    store.flush()
    assert store.reach(ONE) == 5 and store.reach(TWO) == 1
    assert store.status().problem == FULL_OF_PINS
    assert next(share for share in store.status().owners if share.owner == "case:1").pinned
    store.pin("case:1", False)
    fill(store, TWO)
    store.flush()
    assert store.reach(TWO) == 5 and store.status().problem == ""


def test_the_ram_tier_keeps_its_size_and_the_rest_comes_from_disk(opened: Open) -> None:
    store = opened(ram=3 * BLOCK_BYTES)
    for prompt in (ONE, TWO):
        fill(store, prompt)
        store.flush()
    assert store.ram_bytes <= 3 * BLOCK_BYTES
    assert fill(store, ONE) == 5 and fill(store, TWO) == 5
    assert store.ram_bytes <= 3 * BLOCK_BYTES


def test_without_a_disk_the_ram_tier_alone_remembers() -> None:
    store = BlockStore(None, ram_bytes=7 * BLOCK_BYTES)
    store.start()
    fill(store, ONE)
    assert fill(store, ONE) == 5
    fill(store, TWO)
    assert store.reach(TWO) == 5 and store.reach(ONE) == 2
    store.flush()
    assert store.status().enabled is False and store.forget(["case:2"]) == 0 and store.reach(TWO) == 0


def test_switched_off_nothing_is_written_or_read_but_all_can_be_forgotten(opened: Open, tmp_path: Path) -> None:
    store = opened()
    fill(store, ONE)
    store.flush()
    off = opened(enabled=False)
    assert off.reach(ONE) == 0 and not off.status().enabled and off.status().disk_bytes > 0
    fill(off, TWO)
    off.flush()
    assert len(files(tmp_path)) == 5
    assert off.forget_all() > 0 and files(tmp_path) == []


def test_a_folder_that_cannot_be_made_is_told_and_the_ram_tier_works(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    store = BlockStore(StoreSettings(str(tmp_path / "file" / "kv"), PLENTY, PLENTY, 0))
    store.start()
    fill(store, ONE)
    store.flush()
    assert fill(store, ONE) == 5 and "can't be made" in store.status().problem


def test_blocks_of_another_fingerprint_are_not_found_and_leave_the_ram(opened: Open) -> None:
    store = opened()
    fill(store, ONE)
    store.flush()
    store.keep_in_ram(bytes(32))
    assert store.ram_bytes == 0 and store.reach(ONE) == 5
    store.keep_in_ram(FINGERPRINT)
    other = replace(ONE, fingerprint=bytes(32))  # same keys, as if a hash had failed
    assert store.read(other, 5, LAYOUT) == []


def test_other_tokens_under_the_same_key_are_a_miss(opened: Open) -> None:
    store = opened()
    fill(store, ONE)
    store.flush()
    forged = replace(ONE, tokens=ONE.tokens + 1)
    assert store.read(forged, 5, LAYOUT) == []
    assert opened().read(forged, 5, LAYOUT) == []


def test_a_full_reserve_refuses_and_tells(opened: Open, tmp_path: Path) -> None:
    store = opened(reserve=1 << 60)
    fill(store, ONE)
    store.flush()
    assert files(tmp_path) == [] and "nearly full" in store.status().problem
    assert fill(store, ONE) == 5  # from RAM


def test_use_is_remembered_over_restarts(opened: Open) -> None:
    store = opened()
    for prompt in (ONE, TWO):
        fill(store, prompt)
        store.flush()
    fill(store, ONE)  # used last now
    store = opened(disk=10 * BLOCK_BYTES)
    fill(store, chain(range(300, 312), owner="case:3"))
    store.flush()
    assert store.reach(ONE) == 5 and store.reach(TWO) < 5


def test_a_folder_deleted_under_it_is_a_miss_and_a_problem_told(opened: Open, tmp_path: Path) -> None:
    store = opened(ram=0)
    fill(store, ONE)
    store.flush()
    shutil.rmtree(tmp_path / "kv")
    assert fill(store, ONE) == 0
    store.flush()
    assert "can't be kept on the disk" in store.status().problem
    assert store.reach(ONE) == 0
