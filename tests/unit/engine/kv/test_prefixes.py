"""The prefix cache, against a memory that knows what each cell was computed from."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from engine.kv.prefixes import SEQUENCE, PrefixCache, State

CELLS = 64
BYTES_PER_TOKEN = 4


class Cells:
    """One sequence's cells; each holds the token it was computed from."""

    def __init__(self, *, divisible: bool = True) -> None:
        self.tokens: list[int] = []
        self.divisible, self.refuses = divisible, False
        self.saves = 0

    def compute(self, start: int, tokens: list[int]) -> None:
        assert start == len(self.tokens), "tokens must follow what is there"
        self.tokens += tokens
        assert len(self.tokens) <= CELLS, "the context overflowed"

    def truncate(self, sequence: int, start: int) -> bool:
        assert sequence == SEQUENCE
        if not self.divisible and start < len(self.tokens):
            return False
        del self.tokens[start:]
        return True

    def drop(self, sequence: int) -> None:
        assert sequence == SEQUENCE
        self.tokens.clear()

    def last_position(self, sequence: int) -> int:
        return len(self.tokens) - 1

    def state_bytes(self, sequence: int) -> int:
        return len(self.tokens) * BYTES_PER_TOKEN

    def save(self, sequence: int) -> State:
        self.saves += 1
        return np.array(self.tokens, np.int32).view(np.uint8)

    def restore(self, sequence: int, state: State) -> bool:
        assert not self.tokens, "a restore must begin at the first cell"
        if self.refuses:
            return False
        self.tokens = state.view(np.int32).tolist()
        return True


def cache(cells: Cells, *, shelf_tokens: int = 1_000) -> PrefixCache:
    """With small numbers: tens of tokens behave here as thousands do in life."""
    return PrefixCache(
        cells, cells=CELLS, divisible=cells.divisible, shelf_bytes=shelf_tokens * BYTES_PER_TOKEN,
        worth_keeping=8, worth_fetching=2,
    )  # fmt: skip


def read(made: PrefixCache, cells: Cells, tokens: list[int], cuts: list[int], *, said: int = 3) -> int:
    """What a request does; returns what was restored."""
    restored = made.begin(tokens, [*cuts, len(tokens)], said)
    assert cells.tokens == tokens[:restored]
    cells.compute(restored, tokens[restored:])
    made.extend(tokens[restored:])
    cells.compute(len(tokens), [900] * said)
    made.extend([900] * said)
    made.finish(len(tokens))
    return restored


ONE, TWO, THREE = list(range(20)), list(range(100, 120)), list(range(200, 220))


def test_a_second_question_on_the_same_document_restores_it() -> None:
    cells = Cells()
    made = cache(cells)
    assert read(made, cells, [*ONE, 70, 71], [20]) == 0
    assert read(made, cells, [*ONE, 80], [20]) == 20
    assert cells.saves == 0  # a question is computed again sooner than copied


def test_only_whole_pieces_are_restored() -> None:
    cells = Cells()
    made = cache(cells)
    read(made, cells, ONE, [8, 16])
    assert read(made, cells, [*range(18), 99], [8, 16]) == 16


def test_the_last_token_is_always_computed() -> None:
    cells = Cells()
    made = cache(cells)
    read(made, cells, ONE, [8])
    assert read(made, cells, ONE, [8]) == 8


def test_an_answers_own_cells_are_not_kept() -> None:
    cells = Cells()
    made = cache(cells)
    read(made, cells, ONE, [])
    assert cells.tokens == ONE and made.length == 20
    assert read(made, cells, [*ONE, 900, 900, 900, 5], [20, 23]) == 20


def test_cases_asked_in_turn_are_all_remembered() -> None:
    cells = Cells()
    made = cache(cells)
    for case in (ONE, TWO, THREE):
        assert read(made, cells, [*case, 70], [20]) == 0
    for question in range(300, 310):
        for case in (ONE, TWO, THREE):
            assert read(made, cells, [*case, question], [20]) == 20
    assert cells.saves == 3  # what differs later is a question, and computed again sooner than copied


def test_the_shelf_keeps_within_its_bytes_and_the_longest_unused_goes() -> None:
    cells = Cells()
    made = cache(cells, shelf_tokens=45)
    for case in (ONE, TWO, THREE, list(range(300, 320))):
        read(made, cells, [*case, 70], [20])
    assert made.shelved_bytes <= 45 * BYTES_PER_TOKEN
    assert read(made, cells, [*THREE, 71], [20]) == 20
    assert read(made, cells, [*ONE, 71], [20]) == 0


def test_a_state_over_the_shelfs_bytes_is_not_kept() -> None:
    cells = Cells()
    made = cache(cells, shelf_tokens=10)
    read(made, cells, ONE, [])
    read(made, cells, TWO, [])
    assert cells.saves == 0 and made.shelved_bytes == 0


def test_a_copy_that_is_refused_is_forgotten_and_the_prompt_computed() -> None:
    cells = Cells()
    made = cache(cells)
    read(made, cells, [*ONE, 70], [20])
    read(made, cells, [*TWO, 70], [20])
    cells.refuses = True
    assert read(made, cells, [*ONE, 71], [20]) == 0
    cells.refuses = False
    assert read(made, cells, [*TWO, 71], [20]) == 20


def test_a_prompt_longer_than_the_context_is_refused() -> None:
    with pytest.raises(MemoryError):
        cache(Cells()).begin(list(range(CELLS)), [CELLS], 1)


def test_the_epoch_tells_whose_tokens_are_held() -> None:
    cells = Cells()
    made = cache(cells)
    read(made, cells, ONE, [])
    epoch = made.epoch
    read(made, cells, TWO, [])
    assert made.epoch != epoch
    epoch = made.epoch
    made.reset()
    assert made.epoch != epoch and made.length == 0 and cells.tokens == []


def test_what_was_set_aside_goes_on_exactly_where_it_was() -> None:
    cells = Cells()
    made = cache(cells)
    made.begin(ONE, [20], 10)
    cells.compute(0, [*ONE, 901, 902])
    made.extend([*ONE, 901, 902])
    made.shelve(whole=True)
    read(made, cells, TWO, [])
    assert made.begin([*ONE, 901, 902, 903], [20, 22], 5) == 22
    assert cells.tokens == [*ONE, 901, 902]


def test_a_model_that_cannot_be_cut_goes_on_only_from_exact_states() -> None:
    cells = Cells(divisible=False)
    made = cache(cells)
    read(made, cells, ONE, [10])
    assert cells.tokens == [*ONE, 900, 900, 900]  # can't be cut back to the prompt
    assert read(made, cells, [*range(10), 99], [10]) == 0
    assert read(made, cells, [*ONE, 900, 900, 900, 50], [10, 20]) == 23  # it was set aside


def test_a_state_set_aside_before_the_question_serves_the_next_question() -> None:
    cells = Cells(divisible=False)
    made = cache(cells)
    made.begin([*ONE, 70], [20, 21], 3)
    cells.compute(0, ONE)
    made.extend(ONE)
    made.shelve()
    cells.compute(20, [70, 900])
    made.extend([70, 900])
    made.finish(21)
    assert read(made, cells, [*ONE, 71], [20]) == 20


class CacheMachine(RuleBasedStateMachine):
    """Any order of prompts: what is restored is what the prompt says, and the books agree with the cells."""

    def __init__(self) -> None:
        super().__init__()
        self.cells = Cells()
        self.cache = cache(self.cells, shelf_tokens=60)

    @rule(tokens=st.lists(st.integers(0, 1), min_size=1, max_size=30), said=st.integers(0, 5), keep=st.booleans())
    def ask(self, tokens: list[int], said: int, keep: bool) -> None:
        cuts = list(range(3, len(tokens), 3))
        restored = read(self.cache, self.cells, tokens, cuts, said=said)
        assert restored in (0, *cuts) and restored < len(tokens)
        if not keep:
            self.cache.reset()

    @rule(tokens=st.lists(st.integers(0, 1), min_size=9, max_size=30))
    def stop_half_way(self, tokens: list[int]) -> None:
        restored = self.cache.begin(tokens, range(3, len(tokens) + 1, 3), 5)
        half = max(restored, len(tokens) // 2)
        self.cells.compute(restored, tokens[restored:half])
        self.cache.extend(tokens[restored:half])
        self.cache.finish(len(tokens))

    @invariant()
    def books_and_cells_agree(self) -> None:
        assert self.cache.tokens.tolist() == self.cells.tokens
        assert self.cache.shelved_bytes <= 60 * BYTES_PER_TOKEN


TestCacheMachine = CacheMachine.TestCase
TestCacheMachine.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
