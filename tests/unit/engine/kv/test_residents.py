"""The prefix cache of one context, against a memory that knows every cell."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, multiple, rule

from engine.kv.residents import Lease, Residents, Use

CELLS, SEQUENCES = 64, 4


class CellMemory:
    """A unified KV cache: a list of cells, each a position, a token and the sequences that hold it."""

    def __init__(self, *, divisible: bool = True) -> None:
        self.cells: list[tuple[int, set[int]]] = []
        self.divisible = divisible

    def compute(self, sequence: int, start: int, count: int) -> None:
        assert self.positions(sequence) == list(range(start)), "tokens must follow what is there"
        self.cells += [(start + i, {sequence}) for i in range(count)]
        assert self.used <= CELLS, "the context overflowed"

    def copy(self, source: int, target: int, end: int) -> None:
        assert not self.positions(target), "the target must be empty"
        for position, holders in self.cells:
            if source in holders and (end < 0 or position < end):
                holders.add(target)

    def truncate(self, sequence: int, start: int) -> bool:
        if not self.divisible and start <= self.last_position(sequence):
            return False
        self._remove(sequence, start)
        return True

    def drop(self, sequence: int) -> None:
        self._remove(sequence, 0)

    def last_position(self, sequence: int) -> int:
        return max(self.positions(sequence), default=-1)

    def positions(self, sequence: int) -> list[int]:
        return sorted(position for position, holders in self.cells if sequence in holders)

    @property
    def used(self) -> int:
        return len(self.cells)

    def _remove(self, sequence: int, start: int) -> None:
        for position, holders in self.cells:
            if position >= start:
                holders.discard(sequence)
        self.cells = [cell for cell in self.cells if cell[1]]


def cache(memory: CellMemory, *, sequences: int = SEQUENCES) -> Residents:
    return Residents(memory, cells=CELLS, sequences=sequences, divisible=memory.divisible)


def read(residents: Residents, memory: CellMemory, tokens: list[int], cuts: list[int], *, room: int = 4) -> Lease:
    """What a request does: take a lease, compute the rest, say something, release."""
    lease = residents.lease(tokens, cuts, room)
    finish(residents, memory, lease, tokens)
    said = [900 + i for i in range(room)]
    memory.compute(lease.sequence, lease.length, room)
    residents.extend(lease, said)
    residents.release(lease, len(tokens))
    return lease


def finish(residents: Residents, memory: CellMemory, lease: Lease, tokens: list[int]) -> None:
    rest = tokens[lease.length :]
    memory.compute(lease.sequence, lease.length, len(rest))
    residents.extend(lease, rest)


def test_a_second_question_on_the_same_document_restores_it() -> None:
    memory = CellMemory()
    residents = cache(memory)
    document = list(range(20))
    assert read(residents, memory, [*document, 100, 101], [20, 22]).restored == 0
    assert read(residents, memory, [*document, 200], [20, 21]).restored == 20


def test_only_whole_pieces_are_restored() -> None:
    memory = CellMemory()
    residents = cache(memory)
    read(residents, memory, list(range(20)), [8, 16, 20])
    assert read(residents, memory, [*range(18), 99], [8, 16, 19]).restored == 16


def test_the_last_token_is_always_computed() -> None:
    memory = CellMemory()
    residents = cache(memory)
    read(residents, memory, list(range(20)), [8, 20])
    assert read(residents, memory, list(range(20)), [8, 20]).restored == 8


def test_cases_asked_in_turn_stay_both_remembered() -> None:
    memory = CellMemory()
    residents = cache(memory)
    one, two = list(range(20)), list(range(30, 50))
    read(residents, memory, [*one, 100], [20, 21])
    read(residents, memory, [*two, 100], [20, 21])
    for question in range(200, 220):
        assert read(residents, memory, [*one, question], [20, 21], room=1).restored == 20
        assert read(residents, memory, [*two, question], [20, 21], room=1).restored == 20


def test_many_questions_on_one_case_do_not_push_the_other_out() -> None:
    """Sequences run out before cells do; then the one goes that is cheapest to compute again."""
    memory = CellMemory()
    residents = cache(memory)
    one, two = list(range(20)), list(range(30, 50))
    read(residents, memory, [*two, 100], [20, 21])
    for question in range(200, 210):
        read(residents, memory, [*one, question], [20, 21], room=1)
    assert read(residents, memory, [*two, 101], [20, 21]).restored == 20


def test_when_cells_run_out_the_longest_unused_goes() -> None:
    memory = CellMemory()
    residents = cache(memory)
    first, second, third = (list(range(start, start + 25)) for start in (0, 100, 200))
    read(residents, memory, first, [24, 25])
    read(residents, memory, second, [24, 25])
    read(residents, memory, third, [24, 25])
    assert read(residents, memory, second, [24, 25]).restored == 24
    assert read(residents, memory, first, [24, 25]).restored == 0


def test_a_prompt_that_was_outgrown_costs_no_sequence() -> None:
    memory = CellMemory()
    residents = cache(memory, sequences=2)
    read(residents, memory, list(range(10)), [10])
    read(residents, memory, list(range(15)), [10, 15])
    other = read(residents, memory, list(range(100, 110)), [10])
    assert other.restored == 0
    assert read(residents, memory, [*range(15), 70], [10, 15, 16]).restored == 15


def test_what_is_in_use_is_never_evicted() -> None:
    memory = CellMemory()
    residents = cache(memory)
    active = residents.lease(list(range(40)), [40], 8)
    finish(residents, memory, active, list(range(40)))
    with pytest.raises(MemoryError):
        residents.lease(list(range(100, 130)), [30], 4)
    assert active.alive and memory.positions(active.sequence) == list(range(40))


def test_a_suspended_request_is_evicted_only_after_everything_idle() -> None:
    memory = CellMemory()
    residents = cache(memory)
    waiting = residents.lease(list(range(22)), [22], 4)
    finish(residents, memory, waiting, list(range(22)))
    residents.suspend(waiting)
    idle = read(residents, memory, list(range(100, 122)), [22])
    read(residents, memory, list(range(200, 222)), [22])
    assert not idle.alive and residents.resume(waiting)
    residents.suspend(waiting)
    read(residents, memory, list(range(300, 350)), [50])
    assert not residents.resume(waiting)


def test_a_prompt_longer_than_the_context_is_refused() -> None:
    with pytest.raises(MemoryError):
        cache(CellMemory()).lease(list(range(CELLS)), [CELLS], 1)


def test_branches_share_the_prompt_and_leave_nothing_behind() -> None:
    memory = CellMemory()
    residents = cache(memory)
    lease = residents.lease(list(range(20)), [20], 8)
    finish(residents, memory, lease, list(range(20)))
    for answer in (7, 8):
        branch = residents.branch(lease, 3)
        memory.compute(branch.sequence, branch.length, 3)
        residents.extend(branch, [answer] * 3)
        assert memory.used == residents.used_cells == 23
        residents.discard(branch)
    assert memory.used == residents.used_cells == 20


def test_a_model_that_cannot_be_cut_restores_only_its_exact_state() -> None:
    memory = CellMemory(divisible=False)
    residents = cache(memory)
    turn = list(range(20))
    lease = read(residents, memory, turn, [10, 20], room=2)
    assert lease.alive and lease.length == 22
    assert read(residents, memory, [*range(10), 99], [10, 11]).restored == 0
    said = [*turn, 900, 901]
    assert read(residents, memory, [*said, 50], [10, 20, 23]).restored == 22


class CacheMachine(RuleBasedStateMachine):
    """Any order of requests: the bookkeeping and the cells always agree."""

    active = Bundle("active")
    suspended = Bundle("suspended")

    def __init__(self) -> None:
        super().__init__()
        self.memory = CellMemory()
        self.residents = cache(self.memory)
        self.leases: list[tuple[Lease, list[int]]] = []

    @rule(target=active, tokens=st.lists(st.integers(0, 2), min_size=1, max_size=20), room=st.integers(0, 6))
    def begin(self, tokens: list[int], room: int) -> object:
        cuts = [*range(5, len(tokens), 5), len(tokens)]
        try:
            lease = self.residents.lease(tokens, cuts, room)
        except MemoryError:
            busy = [lease for lease, _ in self.leases if lease.alive and lease.use is Use.ACTIVE]
            assert len(busy) == SEQUENCES or sum(lease.length for lease in busy) + len(tokens) + room > CELLS
            return multiple()
        assert lease.restored in (0, *cuts[:-1]) and lease.length == lease.restored
        finish(self.residents, self.memory, lease, tokens)
        self.leases.append((lease, tokens))
        return lease

    @rule(lease=consumes(active), keep=st.integers(0, 20))
    def end(self, lease: Lease, keep: int) -> None:
        self.residents.release(lease, min(keep, lease.length))

    @rule(target=suspended, lease=consumes(active))
    def wait(self, lease: Lease) -> Lease:
        self.residents.suspend(lease)
        return lease

    @rule(target=active, lease=consumes(suspended))
    def go_on(self, lease: Lease) -> object:
        return lease if self.residents.resume(lease) else multiple()

    @invariant()
    def books_and_cells_agree(self) -> None:
        assert self.residents.used_cells == self.memory.used <= CELLS
        held = set()
        for lease, tokens in self.leases:
            if lease.alive:
                assert lease.tokens.tolist() == tokens[: lease.length]
                assert self.memory.positions(lease.sequence) == list(range(lease.length))
                held.add(lease.sequence)
        assert {sequence for _, holders in self.memory.cells for sequence in holders} <= held


TestCacheMachine = CacheMachine.TestCase
TestCacheMachine.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
