"""Whether a file's bytes are a model's, and a memory of the answer, so that gigabytes are hashed once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from engine.models.catalogue import ModelFile

BLOCK_BYTES = 4 << 20


def hash_file(path: Path, between_blocks: Callable[[], None]) -> str:
    """The file's sha256 in hexadecimal; `between_blocks` may raise to stop. Raises OSError."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(BLOCK_BYTES):
            digest.update(block)
            between_blocks()
    return digest.hexdigest()


class _Seen(msgspec.Struct, frozen=True):
    """A file that was hashed; it counts as unchanged while its length and time of writing are the same."""

    path: str
    size: int
    written_ns: int
    sha256: str


class Verified:
    """The record of one model's hashed files. A missing or damaged record only means hashing again."""

    def __init__(self, record: Path) -> None:
        self._record = record

    def holds(self, folder: Path, files: Iterable[ModelFile]) -> bool:
        """Whether all `files` lie in `folder` unchanged since they were hashed and right."""
        seen = self._read()
        return all(_look(folder, file) in seen for file in files)

    def note(self, folder: Path, files: Iterable[ModelFile]) -> None:
        """Remember that `files` in `folder` have just been hashed and are right. Raises OSError.

        Earlier answers are kept: copies of a model in several folders may have different times of writing."""
        looks = {look for file in files if (look := _look(folder, file)) is not None}
        seen = sorted(looks | self._read(), key=lambda look: (look.path, look.written_ns))
        self._record.parent.mkdir(parents=True, exist_ok=True)
        unfinished = self._record.with_suffix(".partial")
        unfinished.write_bytes(msgspec.json.encode(seen))
        unfinished.replace(self._record)

    def _read(self) -> frozenset[_Seen]:
        try:
            return frozenset(msgspec.json.decode(self._record.read_bytes(), type=list[_Seen]))
        except (OSError, msgspec.MsgspecError):
            return frozenset()


def _look(folder: Path, file: ModelFile) -> _Seen | None:
    try:
        found = (folder / file.path).stat()
    except OSError:
        return None
    if found.st_size != file.size:
        return None
    return _Seen(path=file.path, size=found.st_size, written_ns=found.st_mtime_ns, sha256=file.sha256)
