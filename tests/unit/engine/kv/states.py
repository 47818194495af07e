"""States as llama.cpp writes them, for tests: written out field by field from its source, not with our own code."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np

from engine.kv.keys import Chain, block_ends, chain_of
from engine.kv.layout import Rows, Section, State, StateLayout

F16, Q8_0 = 1, 8
LAYOUT = StateLayout((Section(2, (Rows(F16, 8), Rows(F16, 8), Rows(F16, 6), Rows(Q8_0, 34))),))
FINGERPRINT = bytes(range(32))


def state_of(layout: StateLayout, positions: Sequence[int], sequence: int = 5, salt: int = 0) -> State:
    """A state whose rows tell position, section and row."""
    data = struct.pack("<Ii", 0xAF143CD8, sequence)
    for number, section in enumerate(layout.sections):
        data += struct.pack("<II", 1, len(positions))
        for position in positions:
            data += struct.pack("<iIi", position, 1, sequence)
        data += struct.pack("<II", 0, section.layers)
        for index, rows in enumerate(section.rows):
            data += struct.pack("<iQ", rows.type, rows.row_bytes)
            for position in positions:
                data += bytes((position * 7 + number * 31 + index * 3 + i + salt) % 251 for i in range(rows.row_bytes))
    return np.frombuffer(bytearray(data), np.uint8)


def large_state(layout: StateLayout, start: int, end: int, seed: bytes) -> State:
    """The state of one block, its rows random by `seed`; quick to make."""
    random = np.random.default_rng(list(seed))
    data = [struct.pack("<Ii", 0xAF143CD8, 0)]
    for section in layout.sections:
        data.append(struct.pack("<II", 1, end - start))
        data += [struct.pack("<iIi", position, 1, 0) for position in range(start, end)]
        data.append(struct.pack("<II", 0, section.layers))
        for rows in section.rows:
            data += [struct.pack("<iQ", rows.type, rows.row_bytes), random.bytes(rows.row_bytes * (end - start))]
    return np.frombuffer(bytearray(b"".join(data)), np.uint8)


def block_state(start: int, end: int, salt: int = 0, layout: StateLayout = LAYOUT) -> State:
    """The state of one block, as the store takes it."""
    return state_of(layout, range(start, end), sequence=0, salt=salt)


def chain(tokens: Sequence[int], *, size: int = 4, owner: str = "", sources: Sequence[str] = ()) -> Chain:
    """A chain of blocks of `size` tokens; every block holds text of each source."""
    ends = block_ends([len(tokens)], size)
    return chain_of(FINGERPRINT, tokens, ends, [frozenset(sources)] * len(ends), owner)
