"""Writes blocks to disk behind the prefill, on a thread of its own, and deletes what has to go.

Lock order: `_books` (the manifest's file) before the ledger's lock. Blocks are written under neither.
"""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Callable

from engine.errors import EngineError
from engine.kv.block_file import Block
from engine.kv.disk import DiskTier
from engine.kv.index import Entry
from engine.kv.keys import ROOT
from engine.kv.ledger import Ledger, line_of
from engine.kv.manifest import Line, Manifest, Marks, Pinned
from engine.types.remembering import StoreSettings

_JUNK_LINES = 1_000
FULL_OF_PINS = (
    "The room for what is remembered is full of pinned cases, so nothing new is kept; give it more room or unpin one."
)
DISK_FULL = "The disk is nearly full, so nothing more of what is read is kept; free some space."


class Writer:
    """The tier on disk and its thread. Owns the files; the ledger says what is to be done."""

    def __init__(self, ledger: Ledger, settings: StoreSettings, disk: DiskTier) -> None:
        self._ledger, self._settings, self._disk = ledger, settings, disk
        self._manifest = Manifest(disk.manifest_path)
        self._books = threading.Lock()
        self._settled, self._closing = True, False
        self.ready = threading.Event()  # what is on disk is known
        self._thread = threading.Thread(target=self._run, name="kv-writer", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def flush(self, timeout_s: float | None = None) -> None:
        """Wait until nothing waits to be written."""
        with self._ledger.lock:
            self._ledger.lock.wait_for(self._is_idle, timeout_s)

    def close(self, timeout_s: float) -> None:
        """Write what waits, for so long, then stop."""
        self.flush(timeout_s)
        with self._ledger.lock:
            self._closing = True
            self._ledger.lock.notify_all()

    def note_pin(self, owner: str, pinned: bool) -> None:
        """Durable when it returns. Raises EngineError."""
        with self._books:
            try:
                self._manifest.append([Pinned(owner, pinned)])
            except OSError as error:
                raise EngineError(f"The pin could not be written down ({error.strerror}); check the disk.") from error

    def erase(self, choose: Callable[[], list[Entry]], *, everything: bool = False) -> int:
        """Take the chosen entries out of the books and off the disk; bytes freed there when they are gone.

        `choose` is called with the lock held. Raises EngineError when the disk keeps them.
        """
        ledger = self._ledger
        with self._books:
            with ledger.lock:
                doomed = choose()
                keys = {entry.key for entry in doomed}
                freed = sum(entry.file_bytes for entry in doomed if entry.on_disk)
                for entry in doomed:
                    ledger.drop(entry)
                ledger.lines.clear()  # the file is written anew below
                ledger.lock.notify_all()
                ledger.lock.wait_for(lambda: ledger.writing not in keys)
            try:
                self._delete(keys, everything=everything)
            except OSError as error:
                raise EngineError(
                    f"What was remembered could not all be deleted ({error.strerror}); check the disk and try again."
                ) from error
        return freed

    def delete(self, entry: Entry) -> None:
        """Its file goes; failing is told as the store's problem."""
        try:
            self._disk.delete(entry.key)
        except OSError as error:
            self._tell(error)

    def _delete(self, keys: set[bytes], *, everything: bool) -> None:
        if everything:
            self._disk.delete_everything()
        for key in keys:
            self._disk.delete(key)
        self._disk.settle()
        self._rewrite()

    def _rewrite(self) -> None:
        """Holds `_books`."""
        with self._ledger.lock:
            marks = {one.key: Marks(set(one.marks.owners), set(one.marks.sources)) for one in self._kept()}
            pinned = set(self._ledger.pinned)
        self._manifest.rewrite(marks, pinned)

    def _kept(self) -> list[Entry]:
        return [entry for entry in self._ledger.index if entry.on_disk or entry.waiting]

    # -- the thread ------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            self._look()
        except OSError as error:
            self._tell(error)
        except Exception:  # ours to mend: what is there counts as lost, the engine goes on
            traceback.print_exc()
        self.ready.set()
        while self._turn():
            pass

    def _look(self) -> None:
        """What is on disk and whose it is. What nobody keeps is deleted."""
        ledger = self._ledger
        with self._books:
            marks, pinned = self._manifest.read()
            with ledger.lock:
                ledger.pinned |= pinned
                for found in sorted(self._disk.scan(), key=lambda one: one.used):
                    header = found.header
                    entry = Entry(
                        header.key, header.parent, header.fingerprint, header.start, header.tokens,
                        header.file_bytes, marks.get(header.key, Marks()), found.used,
                    )  # fmt: skip
                    if entry.marks.owners or entry.marks.sources:
                        ledger.index.add(entry)
                        ledger.index.set_on_disk(entry, True)
                    else:
                        self._disk.delete(entry.key)
            if self._manifest.lines > 2 * len(ledger.index) + _JUNK_LINES:
                self._rewrite()

    def _turn(self) -> bool:
        """Do the next thing, or wait for one; False when closed."""
        ledger = self._ledger
        with ledger.lock:
            ledger.lock.wait_for(lambda: self._closing or not self._is_idle())
            if self._closing:
                return False
            entry = next(iter(ledger.queue.values()), None)
            has_lines = bool(ledger.lines)
        try:
            if has_lines:
                self._write_lines()
            elif entry is not None:
                self._write(entry)
            else:
                self._tidy()
        except OSError as error:
            self._tell(error)
            if entry is not None:
                with ledger.lock:
                    ledger.settle(entry)
        except Exception:  # ours to mend: this block is lost, the engine goes on
            traceback.print_exc()
            if entry is not None:
                with ledger.lock:
                    ledger.settle(entry)
        with ledger.lock:
            ledger.writing = None
            ledger.lock.notify_all()
        return True

    def _is_idle(self) -> bool:
        ledger = self._ledger
        busy = ledger.queue or ledger.lines or ledger.touched or ledger.writing is not None
        return self.ready.is_set() and self._settled and not busy

    def _write_lines(self) -> None:
        with self._books:
            with self._ledger.lock:
                lines: list[Line] = [*self._ledger.lines]
                self._ledger.lines.clear()
            self._manifest.append(lines)

    def _write(self, entry: Entry) -> None:
        """First whose it is, then the block: a block without an owner would be deleted at the next start."""
        block = self._begin(entry)
        if block is None:
            return
        self._settled = False
        self._disk.write(block)
        ledger = self._ledger
        with ledger.lock:
            if ledger.index.get(entry.key) is not entry:
                self._disk.delete(entry.key)  # forgotten meanwhile
                return
            ledger.index.set_on_disk(entry, True)
            ledger.settle(entry)
            ledger.report("")

    def _begin(self, entry: Entry) -> Block | None:
        """Make room and note the owner; None when it isn't to be written."""
        ledger = self._ledger
        with self._books:
            with ledger.lock:
                if ledger.index.get(entry.key) is not entry or entry.block is None or entry.on_disk:
                    ledger.settle(entry)
                    return None
                if not self._has_parent(entry) or not self._make_room(entry):
                    ledger.settle(entry)
                    return None
                ledger.writing = entry.key
                block, line = entry.block, line_of(entry)
            self._manifest.append([line])
        return block

    def _has_parent(self, entry: Entry) -> bool:
        parent = self._ledger.index.get(entry.parent)
        return entry.parent == ROOT or (parent is not None and parent.on_disk)

    def _make_room(self, entry: Entry) -> bool:
        """Delete the longest unused until the block fits quota and disk. Holds the lock."""
        ledger, settings = self._ledger, self._settings
        spared = {one.key for one in ledger.index.ancestors(entry)}
        free = self._disk.free_bytes()
        while True:
            over_quota = ledger.index.disk_bytes + entry.file_bytes > settings.disk_bytes
            if not over_quota and free - entry.file_bytes >= settings.disk_reserve_bytes:
                return True
            victim = ledger.index.oldest(lambda one: one.on_disk and not ledger.is_pinned(one), spared)
            if victim is None:
                if not over_quota:
                    ledger.report(DISK_FULL)
                elif ledger.pinned:
                    ledger.report(FULL_OF_PINS)
                return False
            for one in ledger.index.with_descendants([victim]):
                if one.on_disk:
                    free += one.file_bytes
                    self._evict(one)

    def _evict(self, entry: Entry) -> None:
        self._disk.delete(entry.key)
        self._ledger.index.set_on_disk(entry, False)
        if entry.block is None:
            self._ledger.drop(entry)

    def _tidy(self) -> None:
        """Nothing else to do: make names durable, note when blocks were used."""
        self._settled = True
        with self._ledger.lock:
            touched = [entry for entry in self._ledger.touched.values() if entry.on_disk]
            self._ledger.touched.clear()
        for entry in touched:
            self._disk.touch(entry.key, entry.used)
        self._disk.settle()

    def _tell(self, error: OSError) -> None:
        print(f"kv store: {error!r}", file=sys.stderr, flush=True)
        why = error.strerror or type(error).__name__
        with self._ledger.lock:
            self._ledger.report(f"What is read can't be kept on the disk ({why}); check the disk and its free space.")
