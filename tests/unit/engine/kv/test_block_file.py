"""A block's file is whole and right, or it is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kv.block_file import HEADER_BYTES, Block, BlockDamaged, file_parts, read_block, read_header, write_file
from tests.unit.engine.kv.states import FINGERPRINT, block_state, chain

CHAIN = chain(range(8))
BLOCK = Block(FINGERPRINT, CHAIN.keys[1], CHAIN.keys[0], 4, CHAIN.tokens_of(1), block_state(4, 8))
WHOLE = b"".join(map(bytes, file_parts(BLOCK)))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("blocks") / "one.kv"


def test_what_is_written_is_read(place: Path) -> None:
    write_file(place, file_parts(BLOCK))
    assert place.stat().st_size == BLOCK.file_bytes == len(WHOLE)
    read, header = read_block(place), read_header(place)
    assert (read.fingerprint, read.key, read.parent, read.start) == (FINGERPRINT, CHAIN.keys[1], CHAIN.keys[0], 4)
    assert read.tokens.tolist() == [4, 5, 6, 7] and np.array_equal(read.state, BLOCK.state)
    assert (header.key, header.file_bytes) == (BLOCK.key, BLOCK.file_bytes)
    assert [path.name for path in place.parent.iterdir()] == [place.name]


def test_each_flipped_bit_is_seen(place: Path) -> None:
    """In every byte of header and tokens, and in many of the state."""
    tokens_end = 8 * (HEADER_BYTES + 16)
    for bit in [*range(0, tokens_end, 5), *range(tokens_end, 8 * len(WHOLE), 37)]:
        damaged = bytearray(WHOLE)
        damaged[bit // 8] ^= 1 << bit % 8
        place.write_bytes(damaged)
        with pytest.raises(BlockDamaged):
            read_block(place)


def test_a_file_cut_anywhere_or_with_more_behind_it_is_refused(place: Path) -> None:
    for data in [*(WHOLE[:n] for n in range(0, len(WHOLE), 7)), WHOLE[:-1], WHOLE + b"\0", WHOLE + WHOLE]:
        place.write_bytes(data)
        for read in (read_block, read_header):
            with pytest.raises(BlockDamaged):
                read(place)


@settings(max_examples=100)
@given(st.binary(max_size=600))
def test_no_bytes_whatever_are_taken_for_a_block(place: Path, data: bytes) -> None:
    for raw in (data, b"AIPC KV\n" + data):
        place.write_bytes(raw)
        with pytest.raises(BlockDamaged):
            read_block(place)


def test_a_write_that_fails_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "x.half").mkdir()  # stands where the half-written file would go
    with pytest.raises(OSError):
        write_file(tmp_path / "x.kv", file_parts(BLOCK))
    assert not (tmp_path / "x.kv").exists()
