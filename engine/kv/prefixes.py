"""What the context's cache holds, and where what it held before is: a prefix is computed once.

Models whose cache can be cut keep their prompts as blocks in the store; a shelf in RAM takes whole states: of models
that can't be cut, and of requests that were set aside in mid-answer. Pure bookkeeping over `SequenceMemory`. See
decisions/0001-one-sequence-and-a-shelf.md and 0002-blocks.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from engine.kv.keys import Chain, Tokens
from engine.kv.layout import State
from engine.kv.model_blocks import ModelBlocks

SEQUENCE = 0  # the one that requests are computed on
WORTH_KEEPING = 256  # tokens; fewer are computed again sooner than a state is copied twice
WORTH_FETCHING = 32
FETCHED_PER_COMPUTED = 64  # tokens that come from the store in the time one is computed, at the least


class SequenceMemory(Protocol):
    """What the bookkeeping asks of a context."""

    def truncate(self, sequence: int, start: int) -> bool:
        """Drop tokens from `start` on; False when the model can't."""

    def drop(self, sequence: int) -> None:
        """Drop the whole sequence."""

    def last_position(self, sequence: int) -> int:
        """Highest position held, -1 for none."""

    def state_bytes(self, sequence: int) -> int:
        """Size of what `save` would give."""

    def save(self, sequence: int) -> State:
        """A copy of the sequence's cells."""

    def restore(self, sequence: int, state: State) -> bool:
        """Fill the sequence from a copy; False, and the sequence empty, when it was refused."""


@dataclass(eq=False)
class _Shelved:
    tokens: Tokens
    state: State
    last_used: int


class PrefixCache:
    """The tokens in sequence 0, and states set aside. One thread.

    Sequence 0 always fills the cells from the first one on, without gaps, so that a prompt is computed over the same
    layout, and so with the same result to the last bit, whatever was asked before.
    """

    def __init__(
        self, memory: SequenceMemory, *, cells: int, divisible: bool, shelf_bytes: int,
        blocks: ModelBlocks | None = None, worth_keeping: int = WORTH_KEEPING, worth_fetching: int = WORTH_FETCHING,
    ) -> None:  # fmt: skip
        self._blocks = blocks
        self._in_blocks = 0  # so many tokens of the sequence are in the store
        self._memory, self._cells, self._divisible = memory, cells, divisible
        self._worth_keeping, self._worth_fetching = worth_keeping, worth_fetching
        self._shelf_bytes = shelf_bytes
        self._shelf: list[_Shelved] = []
        self._buffer = np.zeros(cells, np.int32)
        self._clock = 0
        self.length = 0
        self.epoch = 0  # changes whenever another prompt takes the sequence

    @property
    def tokens(self) -> Tokens:
        """What the sequence holds."""
        return self._buffer[: self.length]

    @property
    def shelved_bytes(self) -> int:
        """Bytes of states in RAM: whole ones and blocks."""
        return self._shelf_used + (self._blocks.ram_bytes if self._blocks is not None else 0)

    @property
    def _shelf_used(self) -> int:
        return sum(shelved.state.nbytes for shelved in self._shelf)

    def begin(self, tokens: Sequence[int], cuts: Sequence[int], room: int, chain: Chain | None = None) -> int:
        """Let the sequence hold the longest known prefix of `tokens` that ends at a cut, and nothing else.

        Returns its length. At least the last token is left to compute. `room` is the number of tokens still to come
        after `tokens`, `chain` names the blocks of `tokens`. Raises MemoryError when both together exceed the context.
        """
        wanted = np.asarray(tokens, np.int32)
        if len(wanted) + room > self._cells:
            raise MemoryError(f"{len(wanted)} + {room} tokens are over {self._cells} cells")
        self.epoch += 1
        held = self._usable(self.tokens, wanted, cuts)
        best = max(self._shelf, key=lambda one: self._usable(one.tokens, wanted, cuts), default=None)
        fetched = self._usable(best.tokens, wanted, cuts) if best is not None else 0
        if chain is not None and self._blocks is not None:
            return self._begin_with_blocks(self._blocks, chain, held, (best, fetched), cuts)
        if best is not None and fetched >= held + self._worth_fetching:
            self._put_aside(0, self._worth_keeping)
            held = fetched if self._fetch(best) else 0
        else:
            self._put_aside(held, self._worth_keeping)
        return self._cut(held)

    def _begin_with_blocks(
        self, blocks: ModelBlocks, chain: Chain, held: int, shelved: tuple[_Shelved | None, int], cuts: Sequence[int]
    ) -> int:
        """What the context held needs no shelf: it is in the store."""
        best, fetched = shelved
        stored = self._cut_within(blocks.reach(chain), chain, cuts)
        if best is not None and fetched >= max(held + self._worth_fetching, stored):
            held = fetched if self._fetch(best) else 0
            self._shelf = [one for one in self._shelf if one is not best]  # of a request that goes on now
        elif stored >= held + self._worth_fetching + stored // FETCHED_PER_COMPUTED:
            held = self._fetch_blocks(blocks, chain, held, stored, cuts)
        held = self._cut(held)
        self.keep(chain)
        return held

    def keep(self, chain: Chain | None) -> int:
        """Give the store what it lacks of the chain's blocks that the sequence holds; tokens that were new to it."""
        if chain is None or self._blocks is None:
            return 0
        new = self._blocks.keep(chain, self.length)
        reach = min(self._blocks.reach(chain), self.length)
        self._in_blocks = max((end for end in chain.ends if end <= reach), default=0)
        return new

    def extend(self, tokens: Sequence[int]) -> None:
        """Note that these tokens were computed at the end of the sequence."""
        end = self.length + len(tokens)
        self._buffer[self.length : end] = tokens
        self.length = end

    def finish(self, keep: int) -> None:
        """The request is done; its first `keep` tokens stay, if this model can be cut (else all)."""
        if self._divisible and keep < self.length:
            self._cut(keep)

    def shelve(self, *, whole: bool = False) -> None:
        """Set a copy of the sequence aside, if it is long enough and isn't there yet; `whole`: to the last token."""
        self._put_aside(self._in_blocks, 1 if whole else self._worth_keeping)

    def reset(self) -> None:
        """The sequence's content is unknown or of no use: empty it. The shelf and the blocks stay."""
        self._memory.drop(SEQUENCE)
        self.length = self._in_blocks = 0
        self.epoch += 1

    def clear(self) -> None:
        """Nothing of any prompt stays in the context or in RAM (but blocks that are still to be written)."""
        self.forget()
        if self._blocks is not None:
            self._blocks.clear_ram()

    def forget(self) -> None:
        """Nothing of any prompt stays in the context or on the shelf."""
        self.reset()
        self._shelf.clear()

    def _cut_within(self, reach: int, chain: Chain, cuts: Sequence[int]) -> int:
        """The last cut that is a block's end, lies within the first `reach` tokens and leaves one to compute."""
        most = min(reach, len(chain.tokens) - 1)
        ends = set(chain.ends)
        return max((cut for cut in cuts if cut <= most and cut in ends), default=0)

    def _fetch_blocks(self, blocks: ModelBlocks, chain: Chain, held: int, stored: int, cuts: Sequence[int]) -> int:
        """Replace the sequence by the first `stored` tokens, or as many as are good if that is still worth it."""
        states = blocks.fetch(chain, stored)
        good = self._cut_within(chain.ends[len(states) - 1] if states else 0, chain, cuts)
        if good < held + self._worth_fetching:
            return held
        joined = blocks.join(chain, states[: chain.count_until(good)])
        self._memory.drop(SEQUENCE)
        self.length = 0
        if not self._memory.restore(SEQUENCE, joined) or self._memory.last_position(SEQUENCE) != good - 1:
            self._memory.drop(SEQUENCE)
            return 0
        self.extend(chain.tokens[:good].tolist())
        return good

    def _usable(self, held: Tokens, wanted: Tokens, cuts: Sequence[int]) -> int:
        common = min(common_length(held, wanted), len(wanted) - 1)
        if self._divisible:
            return max((cut for cut in cuts if cut <= common), default=0)
        return common if common == len(held) else 0

    def _put_aside(self, staying: int, least: int) -> None:
        """Shelve the sequence before all but its first `staying` tokens go, if that loses `least` tokens or more."""
        if self.length - staying < least:
            return
        for shelved in self._shelf:
            common = common_length(shelved.tokens, self.tokens)
            if common == self.length or (self._divisible and self.length - common < least):
                self._touch(shelved)
                return
        if self._make_room(self._memory.state_bytes(SEQUENCE)):
            shelved = _Shelved(self.tokens.copy(), self._memory.save(SEQUENCE), 0)
            if self._divisible:
                self._shelf = [one for one in self._shelf if not _begins(self.tokens, one.tokens)]
            self._shelf.append(shelved)
            self._touch(shelved)

    def _make_room(self, needed: int) -> bool:
        if needed > self._shelf_bytes:
            return False
        while self._shelf_used + needed > self._shelf_bytes:
            self._shelf.remove(min(self._shelf, key=lambda one: one.last_used))
        return True

    def _fetch(self, shelved: _Shelved) -> bool:
        self._memory.drop(SEQUENCE)
        self.length = 0
        whole = len(shelved.tokens)
        if not self._memory.restore(SEQUENCE, shelved.state) or self._memory.last_position(SEQUENCE) != whole - 1:
            self._memory.drop(SEQUENCE)
            if shelved in self._shelf:
                self._shelf.remove(shelved)
            return False
        self.extend(shelved.tokens.tolist())
        self._touch(shelved)
        return True

    def _cut(self, keep: int) -> int:
        """Keep the first `keep` tokens; 0 when the model can't be cut there."""
        self._in_blocks = min(self._in_blocks, keep)
        if keep == self.length:
            return keep
        if keep and self._memory.truncate(SEQUENCE, keep) and self._memory.last_position(SEQUENCE) == keep - 1:
            self.length = keep
            return keep
        self._memory.drop(SEQUENCE)
        self.length = 0
        return 0

    def _touch(self, shelved: _Shelved) -> None:
        self._clock += 1
        shelved.last_used = self._clock


def common_length(one: Tokens, other: Tokens) -> int:
    """Length of the common beginning."""
    least = min(len(one), len(other))
    differs = one[:least] != other[:least]
    return int(differs.argmax()) if differs.any() else least


def _begins(whole: Tokens, beginning: Tokens) -> bool:
    return common_length(whole, beginning) == len(beginning)
