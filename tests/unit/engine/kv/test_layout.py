"""States are understood to the last byte or not at all."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kv.layout import BadState, Rows, Section, StateLayout, probe
from tests.unit.engine.kv.states import LAYOUT, block_state, state_of

rows = st.builds(Rows, st.integers(0, 30), st.integers(1, 40))


@st.composite
def sections(draw: st.DrawFn) -> Section:
    layers = draw(st.integers(1, 3))
    count = layers * draw(st.sampled_from([1, 2]))  # latent attention has no V
    return Section(layers, tuple(draw(st.lists(rows, min_size=count, max_size=count))))


layouts = st.builds(StateLayout, st.lists(sections(), min_size=1, max_size=2).map(tuple))


@given(layouts, st.integers(2, 6))
def test_a_layout_is_read_off_a_state(layout: StateLayout, cells: int) -> None:
    state = state_of(layout, range(cells))
    assert state.nbytes == layout.size(cells)
    assert probe(state, cells) == layout


@given(layouts, st.lists(st.integers(1, 5), min_size=1, max_size=4))
def test_joined_blocks_are_the_state_of_the_whole(layout: StateLayout, sizes: list[int]) -> None:
    starts = np.cumsum([0, *sizes]).tolist()
    blocks = [state_of(layout, range(a, a + n)) for a, n in zip(starts, sizes, strict=False)]
    for block, start, cells in zip(blocks, starts, sizes, strict=False):
        layout.normalise(block)
        layout.check(block, start, cells)
    whole = state_of(layout, range(sum(sizes)), sequence=0)
    assert np.array_equal(layout.join(blocks, sizes), whole)


def test_a_models_own_fields_in_each_cell_are_not_taken_for_the_plain_layout() -> None:
    """M-RoPE and others put 12 bytes more into each cell."""
    for extra in (bytes(12), struct.pack("<iii", 1, 1, 1)):
        data = struct.pack("<IiII", 0xAF143CD8, 0, 1, 2)
        for position in range(2):
            data += struct.pack("<iI", position, 1) + extra + struct.pack("<i", 0)
        data += struct.pack("<II", 0, 1) + 2 * (struct.pack("<iQ", 1, 4) + bytes(8))
        assert probe(np.frombuffer(data, np.uint8), 2) is None


@pytest.mark.parametrize("more", [b"\0", bytes(8), struct.pack("<II", 1, 2)])
def test_a_state_with_something_behind_it_has_no_plain_layout(more: bytes) -> None:
    """Recurrent parts come behind the attention cache."""
    assert probe(np.frombuffer(state_of(LAYOUT, range(2)).tobytes() + more, np.uint8), 2) is None


def test_a_transposed_cache_has_no_plain_layout() -> None:
    state = state_of(LAYOUT, range(2))
    state[8 + 8 + 24] = 1
    assert probe(state, 2) is None


@pytest.mark.parametrize(
    "change", ["magic", "sequence", "streams", "cells", "position", "shape", "row", "cut", "longer"]
)
def test_what_is_not_exactly_the_layout_is_refused(change: str) -> None:
    state = block_state(4, 8)
    LAYOUT.check(state, 4, 4)
    at = {"magic": 0, "sequence": 4, "streams": 8, "cells": 12, "position": 16, "shape": 64, "row": 72}.get(change)
    if at is not None:
        state[at] ^= 1
    elif change == "cut":
        state = state[:-1]
    else:
        state = np.append(state, np.uint8(0))
    with pytest.raises(BadState):
        LAYOUT.check(state, 4, 4)


def test_a_block_of_another_place_is_refused() -> None:
    with pytest.raises(BadState):
        LAYOUT.check(block_state(4, 8), 8, 4)


@settings(max_examples=200)
@given(st.binary(max_size=400), st.integers(2, 4))
def test_no_bytes_whatever_break_it(data: bytes, cells: int) -> None:
    for raw in (data, struct.pack("<I", 0xAF143CD8) + data):
        probe(np.frombuffer(raw, np.uint8), cells)
        with pytest.raises(BadState):
            LAYOUT.check(np.frombuffer(raw, np.uint8), 0, cells)
