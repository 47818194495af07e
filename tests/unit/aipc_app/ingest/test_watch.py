"""A watched folder: new, changed, moved and deleted files, and what happened while the program was closed."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from aipc_app.domain.documents import DocumentStatus
from aipc_app.domain.watching import SeenFile, WatchState
from aipc_app.errors import UserMistake
from aipc_app.ingest.watch import FolderWatcher
from aipc_app.ingest.watch_scan import compare, scan

PATIENCE_S = 20.0


class Watched:
    """A watched folder, the bench behind it, and looks on demand."""

    def __init__(self, bench: Any, folder: Path) -> None:
        self.bench, self.folder = bench, folder
        self.case = bench.store.cases.create("案").id
        self.watcher = self.new_watcher()

    def new_watcher(self) -> FolderWatcher:
        return FolderWatcher(
            self.bench.store, self.bench.queue, lambda _changes: None, leave_out=self.bench.home.root,
            look_every_s=3600.0, rest_s=0.0,
        )  # fmt: skip

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def look(self) -> None:
        assert self.watcher.wait_for_look(PATIENCE_S)

    def names(self) -> list[str]:
        return [document.name for document in self.bench.store.documents.of_case(self.case)]

    def settle(self) -> None:
        documents = self.bench.store.documents
        self.bench.until(lambda: all(one.status is DocumentStatus.INDEXED for one in documents.of_case(self.case)))


@pytest.fixture
def watched(bench: Any, tmp_path: Path) -> Iterator[Watched]:
    folder = tmp_path / "卷宗"
    folder.mkdir()
    made = Watched(bench, folder)
    bench.queue.start()
    made.watcher.start()
    yield made
    made.watcher.stop()


def test_what_is_there_and_what_comes_is_read(watched: Watched) -> None:
    watched.write("一/a.txt", "借款合同")
    watched.watcher.watch(watched.case, watched.folder, removes=False)
    watched.look()
    assert watched.names() == ["一/a.txt"]
    watched.write("b.txt", "转账凭证")
    watched.look()
    assert watched.names() == ["一/a.txt", "b.txt"]
    watched.settle()
    (status,) = watched.watcher.statuses(watched.case)
    assert (status.files, status.gone, status.state) == (2, 0, WatchState.WATCHING)


def test_a_changed_file_takes_the_place_of_what_it_was(watched: Watched) -> None:
    first = watched.write("a.txt", "五十万元")
    watched.write("b.txt", "另一份")
    watched.watcher.watch(watched.case, watched.folder, removes=False)
    watched.look()
    watched.settle()
    first.write_text("六十万元，改过了", encoding="utf-8")
    watched.look()
    watched.settle()
    documents = watched.bench.store.documents.of_case(watched.case)
    assert [one.name for one in documents] == ["a.txt", "b.txt"]
    assert "六十万元" in watched.bench.store.documents.page(documents[0].id, 1).text
    assert len(watched.bench.store.documents.all_ids()) == 2  # what it said before is gone


def test_a_moved_file_is_not_read_again(watched: Watched) -> None:
    path = watched.write("a.txt", "五十万元")
    watched.watcher.watch(watched.case, watched.folder, removes=True)
    watched.look()
    (before,) = watched.bench.store.documents.of_case(watched.case)
    (watched.folder / "证据").mkdir()
    path.rename(watched.folder / "证据" / "借条.txt")
    watched.look()
    (after,) = watched.bench.store.documents.of_case(watched.case)
    assert (after.id, after.name) == (before.id, "证据/借条.txt")


def test_a_deleted_file_is_marked_and_unmarked_when_it_is_back(watched: Watched) -> None:
    path = watched.write("a.txt", "五十万元")
    watched.write("b.txt", "另一份")
    watched.watcher.watch(watched.case, watched.folder, removes=False)
    watched.look()
    document = watched.bench.store.documents.of_case(watched.case)[0].id
    path.unlink()
    watched.look()
    assert watched.names() == ["a.txt", "b.txt"]
    assert watched.bench.store.watched.gone(watched.case) == {document}
    watched.write("a.txt", "五十万元")
    watched.look()
    assert watched.bench.store.watched.gone(watched.case) == frozenset()
    assert watched.names() == ["a.txt", "b.txt"]


def test_a_deleted_file_leaves_the_case_where_the_user_chose_so(watched: Watched) -> None:
    path = watched.write("a.txt", "五十万元")
    watched.write("b.txt", "另一份")
    watched.watcher.watch(watched.case, watched.folder, removes=True)
    watched.look()
    path.unlink()
    watched.look()
    assert watched.names() == ["b.txt"]


def test_a_folder_that_is_away_or_suddenly_empty_loses_nothing(watched: Watched, tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        watched.write(name, name * 9)
    watched.watcher.watch(watched.case, watched.folder, removes=True)
    watched.look()
    away = tmp_path / "away"
    watched.folder.rename(away)
    watched.look()
    (status,) = watched.watcher.statuses(watched.case)
    assert status.state is WatchState.MISSING and len(watched.names()) == 2
    watched.folder.mkdir()  # a mount point without its disk
    watched.look()
    assert len(watched.names()) == 2
    shutil.rmtree(watched.folder)
    away.rename(watched.folder)
    watched.look()
    assert watched.names() == ["a.txt", "b.txt"]
    assert watched.bench.store.watched.gone(watched.case) == frozenset()


def test_what_the_user_removed_does_not_come_back(watched: Watched) -> None:
    watched.write("a.txt", "五十万元")
    watched.watcher.watch(watched.case, watched.folder, removes=False)
    watched.look()
    (document,) = watched.bench.store.documents.of_case(watched.case)
    watched.bench.queue.unlink(watched.case, document.id)
    watched.look()
    assert watched.names() == []


def test_what_happened_while_the_program_was_closed_is_found(watched: Watched) -> None:
    watched.write("a.txt", "五十万元")
    watched.watcher.watch(watched.case, watched.folder, removes=False)
    watched.look()
    watched.watcher.stop()
    watched.bench.restart()
    watched.write("b.txt", "来自夜里")
    watched.bench.queue.start()
    watched.watcher = watched.new_watcher()
    watched.watcher.start()
    watched.look()
    assert watched.names() == ["a.txt", "b.txt"]


def test_a_file_that_is_still_written_waits(watched: Watched) -> None:
    patient = FolderWatcher(
        watched.bench.store, watched.bench.queue, lambda _changes: None, look_every_s=3600.0, rest_s=3600.0
    )
    patient.start()
    try:
        path = watched.write("a.txt", "一半")
        patient.watch(watched.case, watched.folder, removes=False)
        assert patient.wait_for_look(PATIENCE_S)
        assert watched.names() == []
        long_ago = time.time() - 7200
        os.utime(path, (long_ago, long_ago))
        assert patient.wait_for_look(PATIENCE_S)
        assert watched.names() == ["a.txt"]
    finally:
        patient.stop()


def test_a_watch_that_was_ended_sees_nothing(watched: Watched) -> None:
    folder = watched.watcher.watch(watched.case, watched.folder, removes=False)
    watched.look()
    watched.watcher.unwatch(folder.id)
    watched.write("a.txt", "五十万元")
    watched.look()
    assert watched.names() == [] and watched.watcher.statuses(watched.case) == ()
    with pytest.raises(UserMistake):
        watched.watcher.unwatch(folder.id)


@pytest.mark.parametrize("choose", [lambda w: w.folder / "none", lambda w: w.bench.home.root])
def test_what_cannot_be_watched_is_said(watched: Watched, choose: Callable[[Watched], Path]) -> None:
    with pytest.raises(UserMistake):
        watched.watcher.watch(watched.case, choose(watched), removes=False)


def test_two_folders_with_one_file_keep_it_until_both_lost_it(watched: Watched, tmp_path: Path) -> None:
    other = tmp_path / "副本"
    other.mkdir()
    for folder in (watched.folder, other):
        (folder / "a.txt").write_text("五十万元", encoding="utf-8")
        (folder / "rest.txt").write_text(folder.name, encoding="utf-8")
        watched.watcher.watch(watched.case, folder, removes=True)
    watched.look()
    (watched.folder / "a.txt").unlink()
    watched.look()
    assert "a.txt" in watched.names()
    (other / "a.txt").unlink()
    watched.look()
    assert "a.txt" not in watched.names()


def test_comparing_tells_moved_from_deleted_and_new(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("甲")
    now = scan(tmp_path)
    a = now["a.txt"]
    seen = SeenFile(name="old.txt", size=a.size, modified=a.modified, inode=a.inode, document_id=1)
    changes = compare(now, [seen])
    assert [(one.name, file.name) for one, file in changes.moved] == [("old.txt", "a.txt")]
    assert not changes.fresh and not changes.gone
    other = SeenFile(name="old.txt", size=a.size, modified=a.modified + 1, inode=a.inode, document_id=1)
    changes = compare(now, [other])
    assert [file.name for file in changes.fresh] == ["a.txt"] and changes.gone == (other,)
    same = SeenFile(name="a.txt", size=a.size, modified=a.modified, inode=a.inode)
    assert not compare(now, [same])
    with pytest.raises(OSError):
        scan(tmp_path / "none")
