"""The block store: a tier in RAM over a tier on disk, one for all models. README.md says who calls what."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from engine.kv.block_file import Block, BlockDamaged
from engine.kv.disk import DiskTier
from engine.kv.index import Entry
from engine.kv.keys import ROOT, Chain
from engine.kv.layout import BadState, State, StateLayout
from engine.kv.ledger import Ledger
from engine.kv.writer import Writer
from engine.types.remembering import StoreSettings, StoreStatus

WAITING_BYTES = 256 << 20  # that blocks still to be written may take beyond the RAM tier's size
_READERS = 2


class BlockStore:
    """Blocks of KV cache by key. Any thread. A block nobody keeps lives in RAM only."""

    def __init__(
        self, settings: StoreSettings | None, *, ram_bytes: int = 0, clock: Callable[[], int] = time.time_ns
    ) -> None:
        """Without settings only a tier in RAM, of `ram_bytes`. `start` must follow."""
        self._settings, self._clock = settings, clock
        self._ledger = Ledger(
            ram_quota=settings.ram_bytes if settings else ram_bytes,
            writes=settings is not None and settings.enabled,
        )
        self._readers = ThreadPoolExecutor(_READERS, "kv-reader")
        self._disk: DiskTier | None = None
        self._writer: Writer | None = None
        self._model_problem = ""

    def start(self) -> None:
        """Look at what is on disk, and from then on write behind; both on a thread of its own."""
        if self._settings is None:
            return
        try:
            self._disk = DiskTier(Path(self._settings.directory))
        except OSError as error:
            print(f"kv store: {error!r}", file=sys.stderr, flush=True)
            self._ledger.writes = False
            why = error.strerror or type(error).__name__
            self._ledger.report(
                f"What is read can't be kept, because its folder can't be made ({why}); check the disk."
            )
            return
        self._writer = Writer(self._ledger, self._settings, self._disk)
        self._writer.start()

    @property
    def content_file(self) -> Path | None:
        """Where the hashes of model files are remembered; None without a tier on disk."""
        return Path(self._settings.directory) / "models.json" if self._ledger.writes and self._settings else None

    @property
    def takes_blocks(self) -> bool:
        """False when neither tier is wanted: then nothing need be saved."""
        return self._ledger.writes or self._ledger.ram_quota > 0

    # -- the engine's thread ---------------------------------------------------------------------

    def reach(self, chain: Chain) -> int:
        """How many blocks from the first on can be had, from RAM or disk."""
        self._wait_ready()
        with self._ledger.lock:
            found = (i for i, key in enumerate(chain.keys) if not self._ledger.there(key))
            return next(found, len(chain.keys))

    def kept(self, chain: Chain) -> int:
        """How many blocks from the first on are on disk or on their way there (without a disk: in RAM)."""
        with self._ledger.lock:
            found = (i for i, key in enumerate(chain.keys) if not self._ledger.kept(key))
            return next(found, len(chain.keys))

    def lacks(self, chain: Chain, index: int) -> bool:
        """Whether the block is neither in RAM nor on disk."""
        with self._ledger.lock:
            return not self._ledger.there(chain.keys[index])

    def read(self, chain: Chain, count: int, layout: StateLayout) -> list[State]:
        """The states of the first blocks, all of them checked; fewer when one is not what it should be, which is then
        deleted."""
        with self._ledger.lock:
            entries = [self._ledger.index.get(key) for key in chain.keys[:count]]
            blocks = [entry.block if entry else None for entry in entries]
        missing = [i for i, block in enumerate(blocks) if block is None]
        loaded = dict(zip(missing, self._readers.map(self._load, [chain.keys[i] for i in missing]), strict=True))
        states: list[State] = []
        for i in range(count):
            block = blocks[i] or loaded[i]
            if block is None or not _fits(block, chain, i, layout):
                self._spoilt(chain.keys[i])
                break
            states.append(block.state)
        self._take_in([block for i, block in loaded.items() if block is not None and i < len(states)], chain)
        return states

    def put(self, chain: Chain, index: int, state: State) -> bool:
        """Keep block `index` in RAM; `state` belongs to the store from now on.

        False when it can't be kept: there is no room, or its parent is gone (forgotten meanwhile).
        """
        block = Block(
            chain.fingerprint, chain.keys[index], chain.parent(index), chain.start(index),
            chain.tokens_of(index).copy(), state,
        )  # fmt: skip
        ledger = self._ledger
        with ledger.lock:
            if block.parent != ROOT and ledger.index.get(block.parent) is None:
                return False
            if not self._make_room(block.file_bytes, set(chain.keys), more=WAITING_BYTES if ledger.writes else 0):
                return False
            entry = ledger.index.get(block.key)
            if entry is None:
                entry = Entry(
                    block.key, block.parent, block.fingerprint, block.start, len(block.tokens), block.file_bytes
                )
                ledger.index.add(entry)
            ledger.index.set_block(entry, block)
        return True

    def use(self, chain: Chain, count: int) -> None:
        """The first blocks are used now by the chain's owner: marked, and written if they aren't on disk yet."""
        ledger, owners = self._ledger, frozenset({chain.owner} - {""})
        with ledger.lock:
            touched = ledger.index.touch(chain.keys[:count], self._clock())
            if ledger.writes:
                ledger.touched.update((entry.key, entry) for entry in touched)
            for key, sources in zip(chain.keys[:count], chain.sources, strict=False):
                entry_ = ledger.index.get(key)
                if entry_ is not None:
                    ledger.mark(entry_, owners, sources)
            ledger.lock.notify_all()

    def note_model(self, problem: str) -> None:
        """Why the present model's cache can't be kept ("" when it can); told with the status."""
        self._model_problem = problem

    def keep_in_ram(self, fingerprint: bytes) -> None:
        """Blocks of other models leave the RAM, but for those still to be written."""
        with self._ledger.lock:
            for entry in list(self._ledger.index):
                if entry.block is not None and entry.fingerprint != fingerprint and not entry.waiting:
                    self._ledger.leave_ram(entry)

    def clear_ram(self) -> None:
        """Nothing stays in RAM but what is still to be written."""
        self.keep_in_ram(b"")

    # -- the desktop's questions -----------------------------------------------------------------

    @property
    def ram_bytes(self) -> int:
        """Bytes of all blocks in RAM."""
        return self._ledger.index.ram_bytes

    def status(self) -> StoreStatus:
        """The store as it is."""
        self._wait_ready()
        ledger, settings = self._ledger, self._settings
        with ledger.lock:
            return StoreStatus(
                enabled=ledger.writes, ram_bytes=ledger.index.ram_bytes, ram_quota=self._ledger.ram_quota,
                disk_bytes=ledger.index.disk_bytes, disk_quota=settings.disk_bytes if settings else 0,
                blocks=len(ledger.index), owners=ledger.shares(), problem=ledger.problem or self._model_problem,
            )  # fmt: skip

    def pin(self, owner: str, pinned: bool) -> None:
        """What is kept for a pinned owner is not evicted. Raises EngineError when it can't be written down."""
        self._wait_ready()
        with self._ledger.lock:
            (self._ledger.pinned.add if pinned else self._ledger.pinned.discard)(owner)
        if self._writer is not None:
            self._writer.note_pin(owner, pinned)

    def forget(self, owners: Sequence[str]) -> int:
        """Delete what is kept for these owners alone, and what holds text of these sources, with all that was computed
        after it. Bytes freed on disk, when they are gone. Raises EngineError."""
        names = set(owners)
        return self._erase(lambda: self._ledger.strike(names))

    def forget_all(self) -> int:
        """Delete everything, pins too. As `forget`."""

        def everything() -> list[Entry]:
            self._ledger.pinned.clear()
            return list(self._ledger.index)

        return self._erase(everything, everything=True)

    def flush(self) -> None:
        """Wait until nothing is left to be written."""
        if self._writer is not None:
            self._writer.flush()

    def close(self, timeout_s: float) -> None:
        """Write what waits, for so long."""
        if self._writer is not None:
            self._writer.close(timeout_s)
        self._readers.shutdown(wait=False)

    # -- inside ----------------------------------------------------------------------------------

    def _wait_ready(self) -> None:
        if self._writer is not None:
            self._writer.ready.wait()

    def _load(self, key: bytes) -> Block | None:
        try:
            return self._disk.read(key) if self._disk is not None and self._ledger.writes else None
        except (BlockDamaged, OSError, MemoryError) as error:
            print(f"kv store: a block could not be read ({error!r})", file=sys.stderr, flush=True)
            return None

    def _spoilt(self, key: bytes) -> None:
        """A block that isn't what it should be goes, wherever it is. What follows it stays: it is good once this one
        was computed again."""
        with self._ledger.lock:
            entry = self._ledger.index.get(key)
            if entry is None or entry.waiting:
                return
            self._ledger.drop(entry)
        if self._writer is not None:
            self._writer.delete(entry)

    def _take_in(self, blocks: Sequence[Block], chain: Chain) -> None:
        """Into RAM, as far as there is room beside the rest of this chain."""
        ledger, spared = self._ledger, set(chain.keys)
        with ledger.lock:
            for block in blocks:
                entry = ledger.index.get(block.key)
                if entry is not None and entry.block is None and self._make_room(block.file_bytes, spared):
                    ledger.index.set_block(entry, block)

    def _make_room(self, size: int, spared: set[bytes], more: int = 0) -> bool:
        """Whether `size` bytes fit into RAM now, after the longest unused had to go."""
        index = self._ledger.index
        while index.ram_bytes + size > self._ledger.ram_quota:
            entry = index.oldest(lambda one: one.block is not None and not one.waiting, spared)
            if entry is None:
                return index.ram_bytes + size <= self._ledger.ram_quota + more
            self._ledger.leave_ram(entry)
        return True

    def _erase(self, choose: Callable[[], list[Entry]], *, everything: bool = False) -> int:
        self._wait_ready()
        if self._writer is not None:
            return self._writer.erase(choose, everything=everything)
        with self._ledger.lock:
            for entry in choose():
                self._ledger.drop(entry)
        return 0


def _fits(block: Block, chain: Chain, index: int, layout: StateLayout) -> bool:
    """Whether a block is the chain's, to the last token, and its state one that llama.cpp may see."""
    if (block.fingerprint, block.parent, block.start) != (chain.fingerprint, chain.parent(index), chain.start(index)):
        return False
    if not np.array_equal(block.tokens, chain.tokens_of(index)):
        return False
    try:
        layout.check(block.state, block.start, len(block.tokens))
    except BadState:
        return False
    return True
