"""What the store and its writing thread both know, under one lock."""

from __future__ import annotations

import threading
from collections.abc import Iterable

from engine.kv.index import Entry, Index
from engine.kv.manifest import Owned
from engine.types.remembering import OwnerShare

Owners = frozenset[str]


class Ledger:
    """The index, who pinned what, what waits to be written. Every method wants `lock` held by the caller."""

    def __init__(self, *, ram_quota: int, writes: bool) -> None:
        """`writes`: blocks that somebody keeps go to disk."""
        self.ram_quota = ram_quota
        self.lock = threading.Condition()
        self.index = Index()
        self.pinned: set[str] = set()
        self.writes = writes
        self.queue: dict[bytes, Entry] = {}  # blocks to be written, in order
        self.lines: list[Owned] = []  # marks to be written down
        self.touched: dict[bytes, Entry] = {}  # times of use to be written down
        self.writing: bytes | None = None
        self.problem = ""

    def report(self, problem: str) -> None:
        """What the status says is wrong; "" when nothing is any more."""
        self.problem = problem

    def there(self, key: bytes) -> bool:
        """Whether the block can be had."""
        entry = self.index.get(key)
        return entry is not None and (entry.block is not None or (entry.on_disk and self.writes))

    def kept(self, key: bytes) -> bool:
        """Whether the block will outlast what is asked next: on disk, or on its way there; without a disk, in RAM."""
        entry = self.index.get(key)
        if entry is None or not self.writes:
            return entry is not None and entry.block is not None
        return entry.on_disk or entry.waiting

    def mark(self, entry: Entry, owners: Owners, sources: Owners) -> None:
        """Someone uses a block: note it, and let it be written if it isn't on disk yet and somebody keeps it."""
        marks = entry.marks
        if not (owners <= marks.owners and sources <= marks.sources):
            marks.owners |= owners
            marks.sources |= sources
            if entry.on_disk:
                self.lines.append(line_of(entry))
        if self.writes and entry.block is not None and not entry.on_disk and (marks.owners or marks.sources):
            entry.waiting = True
            self.queue.setdefault(entry.key, entry)

    def drop(self, entry: Entry) -> None:
        """Out of all books; its file is the caller's to delete."""
        self.queue.pop(entry.key, None)
        self.touched.pop(entry.key, None)
        self.index.remove(entry)

    def leave_ram(self, entry: Entry) -> None:
        """Not in RAM any more; gone, if it isn't on disk."""
        if entry.on_disk:
            self.index.set_block(entry, None)
        else:
            self.drop(entry)

    def settle(self, entry: Entry) -> None:
        """It doesn't wait to be written any more: it is on disk, or will not be."""
        entry.waiting = False
        self.queue.pop(entry.key, None)
        if self.index.get(entry.key) is entry and entry.block is not None and self.index.ram_bytes > self.ram_quota:
            self.leave_ram(entry)

    def is_pinned(self, entry: Entry) -> bool:
        return not self.pinned.isdisjoint(entry.marks.owners | entry.marks.sources)

    def strike(self, names: set[str]) -> list[Entry]:
        """Take these names off the books; the entries that nobody keeps any more, those with text of a named source,
        and what was computed after any of them."""
        doomed = self.index.with_descendants(entry for entry in self.index if _falls(entry, names))
        for entry in self.index:
            entry.marks.owners -= names
        self.pinned -= names
        return doomed

    def shares(self) -> tuple[OwnerShare, ...]:
        """What each owner and source has."""
        found: dict[str, list[Entry]] = {name: [] for name in self.pinned}
        for entry in self.index:
            for name in entry.marks.owners | entry.marks.sources:
                found.setdefault(name, []).append(entry)
        return tuple(self._share(name, found[name]) for name in sorted(found))

    def _share(self, name: str, entries: Iterable[Entry]) -> OwnerShare:
        entries = list(entries)
        return OwnerShare(
            owner=name, bytes=sum(entry.file_bytes for entry in entries), tokens=sum(entry.tokens for entry in entries),
            pinned=name in self.pinned, last_used=max((entry.used for entry in entries), default=0) / 1e9,
        )  # fmt: skip


def line_of(entry: Entry) -> Owned:
    """The manifest's line about an entry."""
    return Owned(entry.key.hex(), tuple(sorted(entry.marks.owners)), tuple(sorted(entry.marks.sources)))


def _falls(entry: Entry, names: set[str]) -> bool:
    owners = entry.marks.owners
    return bool(entry.marks.sources & names) or bool(owners & names and owners <= names)
