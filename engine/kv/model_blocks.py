"""The blocks of one loaded model: between the context's cells and the store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from engine.kv.keys import Chain, chain_of
from engine.kv.layout import BadState, State, StateLayout
from engine.kv.store import BlockStore


class Cells(Protocol):
    """What is asked of a context."""

    def save_range(self, start: int, end: int) -> State:
        """A copy of the cells of the requests' sequence from position `start` to before `end`."""


class ModelBlocks:
    """Names, saves and joins blocks for one model. The engine's thread; `chain` and `reach` any."""

    def __init__(self, store: BlockStore, cells: Cells, layout: StateLayout, fingerprint: bytes) -> None:
        self._store, self._cells, self._layout, self._fingerprint = store, cells, layout, fingerprint
        self._ours = True  # whether the states still look as they did when the model was loaded

    @property
    def ram_bytes(self) -> int:
        return self._store.ram_bytes

    def chain(
        self, tokens: Sequence[int], ends: Sequence[int], sources: Sequence[frozenset[str]] = (), owner: str = ""
    ) -> Chain:
        """The blocks of a prompt, by name."""
        return chain_of(self._fingerprint, tokens, ends, sources, owner)

    def reach(self, chain: Chain) -> int:
        """How many tokens from the first on can be had."""
        count = self._store.reach(chain)
        return chain.ends[count - 1] if count else 0

    def kept(self, chain: Chain) -> int:
        """How many tokens from the first on will be there tomorrow."""
        count = self._store.kept(chain)
        return chain.ends[count - 1] if count else 0

    def fetch(self, chain: Chain, tokens: int) -> list[State]:
        """The states of the blocks within the first `tokens` tokens, up to the first one that isn't good."""
        return self._store.read(chain, chain.count_until(tokens), self._layout)

    def join(self, chain: Chain, states: Sequence[State]) -> State:
        """One state of the first blocks."""
        starts = [0, *chain.ends]
        return self._layout.join(states, [starts[i + 1] - starts[i] for i in range(len(states))])

    def keep(self, chain: Chain, computed: int) -> int:
        """Give the store what it lacks of the blocks within the first `computed` tokens, all of which are in the
        context, and mark them used. Returns how many tokens were new to it."""
        if not self._store.takes_blocks:
            return 0
        count, new = chain.count_until(computed), 0
        for i in range(count):
            if self._ours and self._store.lacks(chain, i):
                if not self._save(chain, i):
                    break
                new += chain.ends[i] - chain.start(i)
        self._store.use(chain, count)
        return new

    def use(self, chain: Chain) -> None:
        """All of it is used now, by its owner."""
        self._store.use(chain, len(chain.keys))

    def clear_ram(self) -> None:
        """Nothing stays in RAM but what is still to be written."""
        self._store.clear_ram()

    def _save(self, chain: Chain, index: int) -> bool:
        start, end = chain.start(index), chain.ends[index]
        state = self._cells.save_range(start, end)
        try:
            self._layout.normalise(state)
            self._layout.check(state, start, end - start)
        except BadState:
            self._ours = False  # nothing is kept that wouldn't be taken back
            return False
        return self._store.put(chain, index, state)
