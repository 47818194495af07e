"""Which blocks there are, where, for whom, and which was not used for longest. Pure bookkeeping, not locked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from engine.kv.block_file import Block
from engine.kv.keys import ROOT
from engine.kv.manifest import Marks


@dataclass(eq=False)
class Entry:
    """One block. `block` is set while it is in RAM, `waiting` while it is to be written. `used` in ns, see `touch`."""

    key: bytes
    parent: bytes
    fingerprint: bytes
    start: int
    tokens: int
    file_bytes: int
    marks: Marks = field(default_factory=Marks)
    used: int = 0
    block: Block | None = None
    on_disk: bool = False
    waiting: bool = False


class Index:
    """Entries by key, with the totals of what is in RAM and on disk."""

    def __init__(self) -> None:
        self._entries: dict[bytes, Entry] = {}
        self._children: dict[bytes, set[bytes]] = {}
        self._clock = 0
        self.ram_bytes = self.disk_bytes = 0

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries.values())

    def get(self, key: bytes) -> Entry | None:
        return self._entries.get(key)

    def add(self, entry: Entry) -> None:
        """A key that isn't there yet; neither in RAM nor on disk so far."""
        assert entry.key not in self._entries and entry.block is None and not entry.on_disk
        self._entries[entry.key] = entry
        self._children.setdefault(entry.parent, set()).add(entry.key)

    def remove(self, entry: Entry) -> None:
        """Forget all about it."""
        self.set_block(entry, None)
        self.set_on_disk(entry, False)
        entry.waiting = False
        del self._entries[entry.key]
        siblings = self._children[entry.parent]
        siblings.discard(entry.key)
        if not siblings:
            del self._children[entry.parent]

    def set_block(self, entry: Entry, block: Block | None) -> None:
        """It is in RAM now, or isn't any more."""
        self.ram_bytes += (block.file_bytes if block else 0) - (entry.block.file_bytes if entry.block else 0)
        entry.block = block

    def set_on_disk(self, entry: Entry, on_disk: bool) -> None:
        self.disk_bytes += (on_disk - entry.on_disk) * entry.file_bytes
        entry.on_disk = on_disk

    def with_descendants(self, entries: Iterable[Entry]) -> list[Entry]:
        """These and all that were computed after them, each once."""
        found: dict[bytes, Entry] = {}
        left = list(entries)
        while left:
            entry = left.pop()
            if entry.key not in found:
                found[entry.key] = entry
                left += [self._entries[key] for key in self._children.get(entry.key, ())]
        return list(found.values())

    def ancestors(self, entry: Entry) -> list[Entry]:
        """From its parent up."""
        found: list[Entry] = []
        key = entry.parent
        while key != ROOT and (above := self._entries.get(key)) is not None:
            found.append(above)
            key = above.parent
        return found

    def touch(self, keys: Sequence[bytes], now: int) -> list[Entry]:
        """The blocks of one chain, in order, are used now. A parent is always used later than its children, so that
        taking the longest unused never leaves a child without its parent."""
        base = self._clock = max(now, self._clock + 1)
        touched = [entry for key in keys if (entry := self._entries.get(key)) is not None]
        for i, entry in enumerate(reversed(touched)):
            entry.used = base + i
        self._clock = base + len(touched)
        return touched

    def oldest(self, wanted: Callable[[Entry], bool], spared: Collection[bytes]) -> Entry | None:
        """The longest unused of the wanted; of equals the deepest."""
        candidates = (entry for entry in self._entries.values() if wanted(entry) and entry.key not in spared)
        return min(candidates, key=lambda entry: (entry.used, -entry.start), default=None)
