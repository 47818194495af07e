"""Keeps cases up with folders: looks again and again, takes in what is new, notes what was moved or deleted.

Looking compares names, sizes and times, and reads no file; a file that is still being written waits until it rests.
What was seen is in the store, so that what happened while the program was closed is found at the next start.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import structs

from aipc_app.domain.jobs import Changes
from aipc_app.domain.watching import SeenFile, WatchedFolder, WatchState, WatchStatus
from aipc_app.errors import UserMistake
from aipc_app.ingest.lane import Lane
from aipc_app.ingest.queue import IngestQueue
from aipc_app.ingest.sources import readable_name
from aipc_app.ingest.watch_scan import FolderChanges, FoundFile, compare, scan, still_written
from aipc_app.store import Store

LOOK_EVERY_S = 5.0
_SLOW_FOLDER = 20.0  # a look that takes long is made so many times its length apart
_REST_S = 2.0  # a file that changed less long ago may still be written
_TAKEN_AT_ONCE = 16


class FolderWatcher:
    """One thread over all watched folders. Methods may be called from any thread."""

    def __init__(
        self,
        store: Store,
        ingest: IngestQueue,
        on_changes: Callable[[Changes], None],
        *,
        leave_out: Path | None = None,
        look_every_s: float = LOOK_EVERY_S,
        rest_s: float = _REST_S,
    ) -> None:
        self._store, self._ingest, self._on_changes = store, ingest, on_changes
        self._leave_out, self._look_every_s, self._rest_s = leave_out, look_every_s, rest_s
        self._states: dict[int, WatchState] = {}
        self._lane = Lane("ingest-watch", self._look_at_all)
        self._looked = threading.Condition()
        self._looks = 0

    def start(self) -> None:
        self._lane.start()

    def stop(self, timeout_s: float = 2.0) -> None:
        """End the thread; a file that is being taken in is taken in first."""
        self._lane.ask_to_stop()
        self._lane.join(timeout_s)

    def watch(self, case_id: int, folder: Path, *, removes: bool) -> WatchedFolder:
        """Keep a case up with a folder from now on.

        Raises UserMistake when the folder isn't there, or is the program's own.
        """
        path = folder.absolute()
        self._store.cases.get(case_id)
        if not path.is_dir():
            raise UserMistake(f"There is no folder {readable_name(str(path))}; choose one that is there.")
        if self._leave_out is not None and path.resolve().is_relative_to(self._leave_out.resolve()):
            raise UserMistake("The program's own data folder can't be watched; choose another one.")
        added = self._store.watched.add(case_id, path, removes=removes)
        self.look_now()
        self._tell(case_id)
        return added

    def unwatch(self, folder_id: int) -> None:
        """Don't look at the folder any more; its documents stay. Raises UserMistake when it isn't watched."""
        cases = [folder.case_id for folder in self._store.watched.folders() if folder.id == folder_id]
        self._store.watched.stop(folder_id)
        for case_id in cases:
            self._tell(case_id)

    def look_now(self) -> None:
        self._lane.wake()

    def wait_for_look(self, timeout_s: float) -> bool:
        """Until one whole look that begins from now on is over; False when it takes longer."""
        with self._looked:
            wanted = self._looks + 2  # one may be half way through
            self._lane.wake()
            return self._looked.wait_for(lambda: self._woken() >= wanted, timeout_s)

    def statuses(self, case_id: int) -> tuple[WatchStatus, ...]:
        """The folders of a case as they stand."""
        found = []
        for folder in self._store.watched.folders(case_id):
            files = self._store.watched.files(folder.id)
            found.append(
                WatchStatus(
                    folder=folder, state=self._states.get(folder.id, WatchState.WATCHING),
                    files=sum(not one.gone for one in files), gone=sum(one.gone for one in files),
                )
            )  # fmt: skip
        return tuple(found)

    def _woken(self) -> int:
        self._lane.wake()
        return self._looks

    def _look_at_all(self) -> float:
        started = time.monotonic()
        for folder in self._store.watched.folders():
            if self._lane.stopping:
                break
            self._look_at(folder)
        with self._looked:
            self._looks += 1
            self._looked.notify_all()
        return max(self._look_every_s, _SLOW_FOLDER * (time.monotonic() - started))

    def _look_at(self, folder: WatchedFolder) -> None:
        try:
            now = scan(Path(folder.path), self._leave_out)
        except OSError:
            self._set_state(folder, WatchState.MISSING)
            return
        before = self._store.watched.files(folder.id)
        changes = compare(now, before)
        if not changes:
            self._set_state(folder, WatchState.WATCHING)
            return
        self._set_state(folder, WatchState.LOOKING)
        if not now and len(before) > 1:
            folder = WatchedFolder(id=folder.id, case_id=folder.case_id, path=folder.path)  # perhaps unmounted
        self._move(folder, changes)
        self._take_in(folder, changes.fresh, {seen.name: seen for seen in before})
        self._note_gone(folder, changes.gone)
        self._set_state(folder, WatchState.WATCHING)

    def _move(self, folder: WatchedFolder, changes: FolderChanges) -> None:
        """The same file under another name: the document goes with it, unless the user called it otherwise."""
        for seen, file in changes.moved:
            document_id = seen.document_id
            if document_id is not None and self._name_of(document_id) == readable_name(seen.name.replace("\\", "/")):
                self._store.documents.rename(document_id, file.source.name)
            self._store.watched.save_files(folder.id, [_seen(file, document_id)], forget=[seen.name])
        if changes.moved:
            self._tell(folder.case_id)

    def _take_in(self, folder: WatchedFolder, fresh: Sequence[FoundFile], before: dict[str, SeenFile]) -> None:
        resting = [file for file in fresh if self._rests(file)]
        for start in range(0, len(resting), _TAKEN_AT_ONCE):
            part = resting[start : start + _TAKEN_AT_ONCE]
            if self._lane.stopping or not self._is_watched(folder):
                return
            taken = self._ingest.add(folder.case_id, [file.source for file in part])
            ids = [None if one.document is None else one.document.id for one in taken]
            self._store.watched.save_files(folder.id, list(map(_seen, part, ids)))
            for file, document_id in zip(part, ids, strict=True):
                old = before.get(file.name)
                if old is not None and document_id is not None and old.document_id not in (None, document_id):
                    self._replace(folder.case_id, old.document_id, document_id)

    def _rests(self, file: FoundFile) -> bool:
        return time.time() - file.modified / 1e9 >= self._rest_s and not still_written(file)

    def _replace(self, case_id: int, old: int | None, new: int) -> None:
        """The file says something else now: its new document takes the place of the old one."""
        if old is None or old in self._present(case_id):
            return
        order = [document.id for document in self._store.documents.of_case(case_id)]
        if old not in order or new not in order:
            return
        order.remove(new)
        order.insert(order.index(old), new)
        self._store.documents.reorder(case_id, order)
        self._ingest.unlink(case_id, old)

    def _note_gone(self, folder: WatchedFolder, gone: Sequence[SeenFile]) -> None:
        if not gone:
            return
        if folder.removes:
            self._store.watched.save_files(folder.id, (), forget=[seen.name for seen in gone])
            needed = self._present(folder.case_id)
            for document_id in dict.fromkeys(seen.document_id for seen in gone):
                if document_id is not None and document_id not in needed:
                    self._unlink(folder.case_id, document_id)
        else:
            self._store.watched.save_files(folder.id, [structs.replace(seen, inode=0, gone=True) for seen in gone])
        self._tell(folder.case_id)

    def _unlink(self, case_id: int, document_id: int) -> None:
        if case_id in self._store.documents.cases_of(document_id):
            self._ingest.unlink(case_id, document_id)

    def _present(self, case_id: int) -> frozenset[int]:
        """Documents of which a watched folder of the case has a file."""
        return frozenset(
            seen.document_id
            for folder in self._store.watched.folders(case_id)
            for seen in self._store.watched.files(folder.id)
            if seen.document_id is not None and not seen.gone
        )

    def _is_watched(self, folder: WatchedFolder) -> bool:
        return any(one.id == folder.id for one in self._store.watched.folders(folder.case_id))

    def _name_of(self, document_id: int) -> str | None:
        try:
            return self._store.documents.get(document_id).name
        except UserMistake:
            return None

    def _set_state(self, folder: WatchedFolder, state: WatchState) -> None:
        if self._states.get(folder.id, WatchState.WATCHING) is not state:
            self._states[folder.id] = state
            self._tell(folder.case_id)

    def _tell(self, case_id: int) -> None:
        self._on_changes(Changes(cases=True, documents=frozenset({case_id})))


def _seen(file: FoundFile, document_id: int | None) -> SeenFile:
    return SeenFile(
        name=file.name, size=file.size, modified=file.modified, inode=file.inode, document_id=document_id
    )
