"""The prefix cache over the block store, against cells that know what they were computed from."""

from __future__ import annotations

import struct

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from engine.kv.keys import Chain, block_ends
from engine.kv.layout import Rows, Section, State, StateLayout
from engine.kv.model_blocks import ModelBlocks
from engine.kv.prefixes import PrefixCache
from engine.kv.store import BlockStore
from tests.unit.engine.kv.test_prefixes import CELLS, Cells

LAYOUT = StateLayout((Section(1, (Rows(26, 4), Rows(26, 4))),))
TOKENS_AT, PIECE, BLOCK = 8 + 8, 6, 3


class RealCells(Cells):
    """Cells that are saved and restored in llama.cpp's layout; K and V of a cell are its token."""

    def save_range(self, start: int, end: int) -> State:
        data = struct.pack("<IiII", 0xAF143CD8, 7, 1, end - start)
        for position in range(start, end):
            data += struct.pack("<iIi", position, 1, 7)
        rows = np.array(self.tokens[start:end], "<i4").tobytes()
        data += struct.pack("<II", 0, 1) + 2 * (struct.pack("<iQ", 26, 4) + rows)
        return np.frombuffer(bytearray(data), np.uint8)

    def restore(self, sequence: int, state: State) -> bool:
        if state.nbytes < 4 or struct.unpack_from("<I", state.data)[0] != 0xAF143CD8:
            return super().restore(sequence, state)  # a whole state from the shelf
        assert not self.tokens, "a restore must begin at the first cell"
        (cells,) = struct.unpack_from("<I", state.data, 12)
        at = TOKENS_AT + 12 * cells + 8 + 12
        keys, values = state[at : at + 4 * cells], state[at + 4 * cells + 12 :]
        assert np.array_equal(keys, values)
        self.tokens = keys.view("<i4").tolist()
        return True


class Rig:
    def __init__(self, *, ram_bytes: int = 1 << 20) -> None:
        self.cells, self.store = RealCells(), BlockStore(None, ram_bytes=ram_bytes)
        self.store.start()
        self.blocks = ModelBlocks(self.store, self.cells, LAYOUT, b"f")
        self.cache = PrefixCache(
            self.cells, cells=CELLS, divisible=True, shelf_bytes=400, blocks=self.blocks, worth_keeping=8,
            worth_fetching=2,
        )  # fmt: skip

    def chain(self, tokens: list[int]) -> tuple[Chain, list[int]]:
        cuts = [*range(PIECE, len(tokens), PIECE), len(tokens)]
        return self.blocks.chain(tokens, block_ends(cuts, BLOCK)), cuts

    def read(self, tokens: list[int], *, said: int = 0, stop: int | None = None) -> int:
        """What a request does, perhaps not to its end; returns what was restored."""
        chain, cuts = self.chain(tokens)
        restored = self.cache.begin(tokens, cuts, said, chain)
        assert self.cells.tokens == tokens[:restored] and restored in (0, *cuts) and restored < len(tokens)
        at = restored
        for cut in cuts:
            if at < cut <= (len(tokens) if stop is None else stop):
                self.cells.compute(at, tokens[at:cut])
                self.cache.extend(tokens[at:cut])
                self.cache.keep(chain)
                at = cut
        if at == len(tokens) and said:
            self.cells.compute(at, [900] * said)
            self.cache.extend([900] * said)
        return restored


def test_prompts_asked_in_turn_come_from_the_store() -> None:
    rig = Rig()
    one, two = list(range(18)), list(range(100, 118))
    for prompt in (one, two):
        assert rig.read([*prompt, 7]) == 0
        rig.cache.finish(19)
    for prompt in (one, two, one):
        assert rig.read([*prompt, 8]) == 18
        rig.cache.finish(19)
    assert rig.cells.saves == 0  # nothing was set aside whole


def test_an_answer_set_aside_goes_on_exactly_where_it_was() -> None:
    rig = Rig()
    one = list(range(12))
    chain, cuts = rig.chain(one)
    rig.read(one, said=3)
    rig.cache.shelve(whole=True)
    rig.read(list(range(100, 112)))
    assert rig.cache.begin([*one, 900, 900, 900, 5], [*cuts, 15], 2, chain) == 15
    assert rig.cells.tokens == [*one, 900, 900, 900]


def test_what_has_no_room_in_the_store_is_set_aside_whole() -> None:
    rig = Rig(ram_bytes=100)
    one = list(range(12))
    chain, cuts = rig.chain(one)
    rig.read(one, stop=6)
    rig.cache.shelve(whole=True)
    assert rig.cells.saves == 1
    rig.read(list(range(100, 112)))
    assert rig.cache.begin(one, cuts, 0, chain) == 6


def test_forgetting_leaves_nothing_in_the_context_or_on_the_shelf() -> None:
    rig = Rig()
    rig.read(list(range(12)), said=3)
    rig.cache.shelve(whole=True)
    rig.cache.forget()
    assert rig.cells.tokens == [] and rig.cache.shelved_bytes == rig.store.ram_bytes
    rig.cache.clear()
    assert rig.cache.shelved_bytes == 0
    assert rig.read(list(range(12))) == 0


class BlocksMachine(RuleBasedStateMachine):
    """Any order of prompts, stops and losses: what is restored is what the prompt says."""

    def __init__(self) -> None:
        super().__init__()
        self.rig = Rig(ram_bytes=3_000)

    @rule(tokens=st.lists(st.integers(0, 1), min_size=1, max_size=30), said=st.integers(0, 5))
    def ask(self, tokens: list[int], said: int) -> None:
        self.rig.read(tokens, said=said)
        self.rig.cache.finish(len(tokens))

    @rule(tokens=st.lists(st.integers(0, 1), min_size=9, max_size=30), stop=st.integers(0, 30), aside=st.booleans())
    def stop_half_way(self, tokens: list[int], stop: int, aside: bool) -> None:
        self.rig.read(tokens, stop=stop)
        if aside:
            self.rig.cache.shelve(whole=True)

    @rule()
    def lose_the_context(self) -> None:
        self.rig.cache.reset()

    @rule()
    def forget(self) -> None:
        self.rig.store.forget_all()
        self.rig.cache.forget()

    @invariant()
    def books_and_cells_agree(self) -> None:
        assert self.rig.cache.tokens.tolist() == self.rig.cells.tokens
        assert self.rig.store.ram_bytes <= 3_000


TestBlocksMachine = BlocksMachine.TestCase
TestBlocksMachine.settings = settings(max_examples=40, stateful_step_count=20, deadline=None)
