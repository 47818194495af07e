"""Fetching a model: joined from wheels, verified, kept once, and what happens when something goes wrong."""

from __future__ import annotations

import hashlib
import os
import shutil
import threading
import zipfile
from collections import Counter, namedtuple
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
import pytest

from engine.models.assembly import FetchProgress, fetch, verify
from engine.models.catalogue import CatalogueEntry, ModelFile, Source
from engine.models.errors import (
    DownloadError,
    FetchCancelledError,
    FetchNotOfferedError,
    NoRoomError,
    WrongBytesError,
)

PARTS = (b"first part " * 1000, b"second part " * 1000, b"the end")
WHOLE = b"".join(PARTS)


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def write_wheel(folder: Path, name: str, members: Mapping[str, bytes]) -> Path:
    """A wheel that pip accepts."""
    wheel = folder / f"{name.replace('-', '_')}-1.0-py3-none-any.whl"
    info = f"{name.replace('-', '_')}-1.0.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        for member, data in members.items():
            archive.writestr(member, data)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return wheel


def an_entry(**changes: object) -> CatalogueEntry:
    entry = CatalogueEntry(
        name="little",
        role="chat-tiny",
        file="little.gguf",
        size=len(WHOLE),
        sha256=sha256(WHOLE),
        licence="MIT",
        languages=("en",),
        good_for="Tests.",
        source=Source(package="little-part{part}", version="1.0", member="little/data/{part:02}.bin", parts=3),
    )
    return msgspec.structs.replace(entry, **changes)


class FolderDownloader:
    """Hands out wheels of a folder and counts; `before` may get in the way of a download."""

    def __init__(self, folder: Path, before: Callable[[str], None] = lambda requirement: None) -> None:
        self._folder = folder
        self._before = before
        self.served: Counter[str] = Counter()

    def download(
        self, requirement: str, folder: Path, on_bytes: Callable[[int], None], cancel: Callable[[], bool]
    ) -> Path:
        self._before(requirement)
        name = requirement.replace("-", "_").replace("==", "-")
        wheel = Path(shutil.copy(self._folder / f"{name}-py3-none-any.whl", folder))
        on_bytes(wheel.stat().st_size)
        self.served[requirement] += 1
        return wheel


@pytest.fixture
def index(tmp_path: Path) -> Path:
    folder = tmp_path / "index"
    folder.mkdir()
    for number, data in enumerate(PARTS, 1):
        write_wheel(folder, f"little-part{number}", {f"little/data/{number:02}.bin": data, "little/__init__.py": b""})
    return folder


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


class Run:
    """fetch with the usual arguments; keeps the progress it reported."""

    def __init__(self, tmp_path: Path, cache: Path) -> None:
        self.destination = tmp_path / "models"
        self.cache = cache
        self.seen: list[FetchProgress] = []

    def __call__(
        self,
        entry: CatalogueEntry,
        downloader: FolderDownloader | None,
        cancel: Callable[[], bool] = lambda: False,
        destination: Path | None = None,
    ) -> Path:
        self.seen.clear()
        return fetch(entry, destination or self.destination, self.cache, self.seen.append, cancel, downloader)


@pytest.fixture
def run(tmp_path: Path, cache: Path) -> Run:
    return Run(tmp_path, cache)


def test_parts_are_joined_in_order_and_nothing_else_is_left(run: Run, index: Path, cache: Path) -> None:
    path = run(an_entry(), FolderDownloader(index))
    assert path.read_bytes() == WHOLE
    assert [file.name for file in (cache / "models").iterdir()] == ["little.gguf"]
    assert not (cache / "parts" / "little").exists()


def test_progress_never_goes_back_and_ends_with_all_bytes(run: Run, index: Path) -> None:
    run(an_entry(), FolderDownloader(index))
    downloading = [progress.done_bytes for progress in run.seen if progress.stage == "downloading"]
    assert downloading == sorted(downloading)
    assert [progress.part for progress in run.seen if progress.stage == "joining"] == [1, 2, 3]
    assert run.seen[-1] == FetchProgress(
        model="little", stage="finished", done_bytes=len(WHOLE), total_bytes=len(WHOLE), part=3, parts=3
    )
    assert all(progress.done_bytes <= progress.total_bytes for progress in run.seen)


def test_a_second_checkout_downloads_nothing_and_shares_the_file(run: Run, index: Path, tmp_path: Path) -> None:
    downloader = FolderDownloader(index)
    first = run(an_entry(), downloader)
    second = run(an_entry(), downloader, destination=tmp_path / "other")
    assert downloader.served.total() == 3
    assert second.samefile(first)


def test_a_verified_model_is_not_read_again(run: Run, index: Path) -> None:
    run(an_entry(), FolderDownloader(index))
    run(an_entry(), FolderDownloader(index))
    assert [progress.stage for progress in run.seen] == ["finished"]


def test_a_model_changed_after_it_was_verified_is_fetched_again(run: Run, index: Path) -> None:
    downloader = FolderDownloader(index)
    path = run(an_entry(), downloader)
    path.chmod(0o644)
    path.write_bytes(b"x" * len(WHOLE))
    assert run(an_entry(), downloader).read_bytes() == WHOLE
    assert downloader.served.total() == 6


def test_a_model_cut_short_is_fetched_again(run: Run, index: Path) -> None:
    downloader = FolderDownloader(index)
    path = run(an_entry(), downloader)
    path.chmod(0o644)
    os.truncate(path, 100)
    assert run(an_entry(), downloader).read_bytes() == WHOLE


def test_the_right_file_put_there_by_hand_is_accepted(run: Run, index: Path) -> None:
    run.destination.mkdir()
    (run.destination / "little.gguf").write_bytes(WHOLE)
    downloader = FolderDownloader(index)
    assert run(an_entry(), downloader).read_bytes() == WHOLE
    assert not downloader.served


def test_a_wrong_file_of_that_name_is_replaced(run: Run, index: Path) -> None:
    run.destination.mkdir()
    (run.destination / "little.gguf").write_bytes(b"x" * len(WHOLE))
    assert run(an_entry(), FolderDownloader(index)).read_bytes() == WHOLE


def test_a_broken_download_goes_on_at_the_part_where_it_broke(run: Run, index: Path) -> None:
    def break_at_the_third(requirement: str) -> None:
        if requirement == "little-part3==1.0":
            raise DownloadError("The network is gone.")

    first = FolderDownloader(index, break_at_the_third)
    with pytest.raises(DownloadError):
        run(an_entry(), first)
    assert not (run.destination / "little.gguf").exists()
    second = FolderDownloader(index)
    assert run(an_entry(), second).read_bytes() == WHOLE
    assert second.served == Counter(["little-part3==1.0"])


def test_wrong_bytes_are_refused_and_deleted_and_the_next_fetch_starts_afresh(
    run: Run, index: Path, cache: Path
) -> None:
    good = (index / "little_part2-1.0-py3-none-any.whl").read_bytes()
    write_wheel(index, "little-part2", {"little/data/02.bin": b"X" + PARTS[1][1:]})
    with pytest.raises(WrongBytesError, match="has been deleted: run the same command again"):
        run(an_entry(), FolderDownloader(index))
    assert not (run.destination / "little.gguf").exists()
    assert [path for path in cache.rglob("*") if path.suffix in (".gguf", ".bin", ".partial")] == []
    (index / "little_part2-1.0-py3-none-any.whl").write_bytes(good)
    assert run(an_entry(), FolderDownloader(index)).read_bytes() == WHOLE


def test_a_damaged_wheel_is_downloaded_again_alone(run: Run, index: Path) -> None:
    wheel = index / "little_part2-1.0-py3-none-any.whl"
    good = wheel.read_bytes()
    wheel.write_bytes(good[: len(good) // 2])
    with pytest.raises(WrongBytesError, match=r"little-part2==1.0 arrived damaged"):
        run(an_entry(), FolderDownloader(index))
    wheel.write_bytes(good)
    second = FolderDownloader(index)
    assert run(an_entry(), second).read_bytes() == WHOLE
    assert second.served == Counter(["little-part2==1.0", "little-part3==1.0"])


def test_a_flipped_bit_in_a_wheel_is_seen_before_it_is_joined(run: Run, index: Path) -> None:
    wheel = index / "little_part2-1.0-py3-none-any.whl"
    data = bytearray(wheel.read_bytes())
    data[data.index(PARTS[1]) + 5] ^= 1
    wheel.write_bytes(data)
    with pytest.raises(WrongBytesError, match=r"little-part2==1.0 arrived damaged"):
        run(an_entry(), FolderDownloader(index))


@pytest.mark.parametrize("members", [{}, {"little/data/01.bin": b"x" * (len(WHOLE) + 1)}], ids=["none", "too long"])
def test_a_wheel_that_is_not_the_known_one_is_refused(run: Run, index: Path, members: dict[str, bytes]) -> None:
    write_wheel(index, "little-part1", members)
    with pytest.raises(WrongBytesError, match=r"little-part1==1.0 is not the one AIPC knows"):
        run(an_entry(), FolderDownloader(index))


def test_a_full_disk_is_told_before_anything_is_downloaded(
    run: Run, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr("shutil.disk_usage", lambda path: usage(10**9, 10**9, 2 * len(WHOLE)))
    downloader = FolderDownloader(index)
    with pytest.raises(NoRoomError, match=r"needs 0.1 GB free .* free some space"):
        run(an_entry(), downloader)
    assert not downloader.served


def test_a_destination_that_can_not_be_a_folder_is_told_in_a_sentence(run: Run, index: Path) -> None:
    run.destination.write_text("a file")
    with pytest.raises(NoRoomError, match=r"can't be stored in .*models"):
        run(an_entry(), FolderDownloader(index))


def test_stopping_keeps_the_parts_that_are_complete(run: Run, index: Path) -> None:
    first = FolderDownloader(index)
    with pytest.raises(FetchCancelledError):
        run(an_entry(), first, cancel=lambda: first.served.total() == 3)
    second = FolderDownloader(index)
    assert run(an_entry(), second).read_bytes() == WHOLE
    assert not second.served


def test_two_fetches_at_once_download_once(run: Run, index: Path, cache: Path, tmp_path: Path) -> None:
    started, second_waits = threading.Event(), threading.Event()

    def hold_until_the_second_waits(requirement: str) -> None:
        started.set()
        assert_set(second_waits)

    downloader = FolderDownloader(index, hold_until_the_second_waits)
    paths: list[Path] = []
    first = threading.Thread(target=lambda: paths.append(run(an_entry(), downloader)))

    def on_progress(progress: FetchProgress) -> None:
        if progress.stage == "waiting":
            second_waits.set()

    first.start()
    assert_set(started)
    other = FolderDownloader(index)
    paths.append(fetch(an_entry(), tmp_path / "other", cache, on_progress, lambda: False, other))
    first.join()
    assert [path.read_bytes() == WHOLE for path in paths] == [True, True]
    assert downloader.served.total() == 3
    assert not other.served


def assert_set(event: threading.Event) -> None:
    assert event.wait(timeout=30)


def a_folder_entry(files: Mapping[str, bytes]) -> CatalogueEntry:
    contents = tuple(ModelFile(path=path, size=len(data), sha256=sha256(data)) for path, data in files.items())
    return an_entry(
        file="little-folder",
        size=contents[0].size,
        sha256=contents[0].sha256,
        contents=contents,
        source=Source(package="little-folder", version="1.0", member="little/model", parts=1),
    )


FOLDER = {"weights.bin": b"w" * 5000, "config.json": b"{}", "pooling/config.json": b'{"mean": true}'}


def test_a_folder_model_gets_the_listed_files_and_no_other(run: Run, index: Path, tmp_path: Path) -> None:
    members = {f"little/model/{path}": data for path, data in FOLDER.items()}
    extra = {"little/model/code.py": b"raise SystemExit", "../../evil.txt": b"evil", "/tmp/evil.txt": b"evil"}
    write_wheel(index, "little-folder", {**members, **extra})
    path = run(a_folder_entry(FOLDER), FolderDownloader(index))
    found = {file.relative_to(path).as_posix(): file.read_bytes() for file in path.rglob("*") if file.is_file()}
    assert found == FOLDER
    assert list(tmp_path.rglob("evil.txt")) == []


def test_a_folder_model_with_one_wrong_file_is_refused(run: Run, index: Path) -> None:
    members = {f"little/model/{path}": data for path, data in FOLDER.items()}
    write_wheel(index, "little-folder", {**members, "little/model/config.json": b"[]"})
    with pytest.raises(WrongBytesError):
        run(a_folder_entry(FOLDER), FolderDownloader(index))
    assert not run.destination.exists()


def test_a_folder_model_that_lost_a_file_is_completed(run: Run, index: Path, cache: Path) -> None:
    write_wheel(index, "little-folder", {f"little/model/{path}": data for path, data in FOLDER.items()})
    downloader = FolderDownloader(index)
    path = run(a_folder_entry(FOLDER), downloader)
    (path / "config.json").unlink()
    run(a_folder_entry(FOLDER), downloader)
    assert (path / "config.json").read_bytes() == b"{}"
    assert downloader.served.total() == 1


@pytest.mark.parametrize("symbolic_links", [True, False])
def test_without_hard_links_the_model_is_linked_or_copied(
    run: Run, index: Path, monkeypatch: pytest.MonkeyPatch, symbolic_links: bool
) -> None:
    def refuse(*arguments: object) -> None:
        raise OSError("not here")

    monkeypatch.setattr(os, "link", refuse)
    if not symbolic_links:
        monkeypatch.setattr(Path, "symlink_to", refuse)
    path = run(an_entry(), FolderDownloader(index))
    assert path.read_bytes() == WHOLE
    assert path.is_symlink() == symbolic_links
    run(an_entry(), FolderDownloader(index))
    assert [progress.stage for progress in run.seen] == ["finished"]


def test_verify_reads_every_byte(run: Run, index: Path) -> None:
    path = run(an_entry(), FolderDownloader(index))
    assert verify(an_entry(), run.destination, lambda: False)
    written = path.stat()
    path.chmod(0o644)
    path.write_bytes(b"X" + WHOLE[1:])
    os.utime(path, ns=(written.st_atime_ns, written.st_mtime_ns))
    assert not verify(an_entry(), run.destination, lambda: False)
    path.unlink()
    assert not verify(an_entry(), run.destination, lambda: False)


def test_an_installed_build_says_how_to_import_instead(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.frozen", True, raising=False)
    with pytest.raises(FetchNotOfferedError, match="aipc models import FILE"):
        run(an_entry(), None)
