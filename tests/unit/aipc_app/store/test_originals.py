"""Files kept by the hash of their bytes."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import threading
from pathlib import Path

import pytest

from aipc_app.errors import StorageError, UserMistake
from aipc_app.store.originals import Originals


@pytest.fixture
def originals(tmp_path: Path) -> Originals:
    return Originals(tmp_path / "originals")


def files(originals: Originals) -> list[Path]:
    return sorted(path for path in originals._folder.rglob("*") if path.is_file())


def test_a_file_is_kept_once_read_only_under_its_hash(originals: Originals, tmp_path: Path) -> None:
    content = os.urandom(3_000_000)
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(content)
    expected = hashlib.sha256(content).hexdigest()
    assert originals.put(tmp_path / "a") == originals.put(tmp_path / "b") == (expected, len(content))
    (kept,) = files(originals)
    assert kept == originals.path(expected) == originals._folder / expected[:2] / expected
    assert kept.read_bytes() == content
    assert stat.S_IMODE(kept.stat().st_mode) == 0o400
    originals.remove(expected)
    originals.remove(expected)
    assert files(originals) == []


def test_the_same_file_from_many_threads_is_kept_once(originals: Originals, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 100_000)
    threads = [threading.Thread(target=originals.put, args=(tmp_path / "a",)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(files(originals)) == 1


def test_a_source_that_can_not_be_read_is_the_users_mistake(originals: Originals, tmp_path: Path) -> None:
    for path in (tmp_path / "missing.pdf", tmp_path):
        with pytest.raises(UserMistake, match=path.name):
            originals.put(path)
    assert not originals._folder.exists() or files(originals) == []


@pytest.mark.parametrize(("number", "words"), [(errno.ENOSPC, "disk is full"), (errno.EROFS, "can't be written")])
def test_a_home_that_can_not_be_written_is_said_so_and_leaves_no_half_file(
    originals: Originals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, words: str
) -> None:
    (tmp_path / "a").write_bytes(b"x")

    def fail(_descriptor: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("aipc_app.store.originals.os.fsync", fail)
    with pytest.raises(StorageError, match=words):
        originals.put(tmp_path / "a")
    assert files(originals) == []


def test_old_half_copies_are_swept_and_no_whole_original_is_however_old(originals: Originals, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a")
    sha256, _ = originals.put(tmp_path / "a")
    half, young = originals._folder / ".partial-x", originals._folder / ".partial-y"
    for path in (half, young):
        path.write_bytes(b"half")
    for path in (half, originals.path(sha256)):
        os.utime(path, (1, 1))
    assert originals.sweep() == 1
    assert {path.name for path in files(originals)} == {sha256, young.name}


def test_a_name_that_is_no_hash_is_refused(originals: Originals) -> None:
    for name in ("../../etc/passwd", "", "AB" * 32):
        with pytest.raises(ValueError, match="sha256"):
            originals.path(name)
