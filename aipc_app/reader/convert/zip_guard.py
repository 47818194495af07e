"""Zip containers opened with a limit: a few kilobytes can unpack to gigabytes."""

from __future__ import annotations

import lzma
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from aipc_app.reader.failure import FailureKind, ReadingError

MAX_MEMBERS = 20_000
MAX_TOTAL_BYTES = 4 << 30
MAX_PART_BYTES = 512 << 20
MAX_RATIO = 200  # text in XML seldom packs better than 30 to 1
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".tif", ".tiff", ".emf", ".wmf", ".svg", ".webp")
_RATIO_FROM_BYTES = 32 << 20  # small members may pack as well as they like


class GuardedZip:
    """Members of a checked archive, by name without regard to case."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._names = {_plain(info.filename): info for info in archive.infolist()}

    @property
    def names(self) -> frozenset[str]:
        """In lower case, with / between folders."""
        return frozenset(self._names)

    def pictures(self, folder: str) -> int:
        """How many pictures there are below a folder of the zip."""
        return sum(name.startswith(folder.lower()) and name.endswith(_PICTURES) for name in self._names)

    @contextmanager
    def open(self, name: str) -> Iterator[IO[bytes] | None]:
        """A member to be read piece by piece, None when there is none. Raises like `read`, inside the block too."""
        info = self._names.get(_plain(name))
        if info is None:
            yield None
            return
        with sorted_errors(), self._archive.open(info) as member:
            yield member

    def read(self, name: str) -> bytes | None:
        """A member's bytes, None when there is none. Raises ReadingError when damaged, encrypted or too big."""
        info = self._names.get(_plain(name))
        if info is None:
            return None
        with sorted_errors(), self._archive.open(info) as member:
            data = member.read(MAX_PART_BYTES + 1)
        if len(data) > MAX_PART_BYTES:
            raise _too_big()
        return data


@contextmanager
def sorted_errors() -> Iterator[None]:
    """What the libraries raise for broken archives, as a sentence."""
    try:
        yield
    except RecursionError:
        raise
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError, OSError) as error:
        raise damaged() from error


@contextmanager
def open_zip(path: Path) -> Iterator[GuardedZip]:
    """Raises ReadingError: damaged, or limit when what it says it unpacks to is absurd."""
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        raise damaged() from error
    with archive:
        _check(archive.infolist())
        yield GuardedZip(archive)


def damaged() -> ReadingError:
    return ReadingError(
        FailureKind.DAMAGED, "This file is damaged; open it in the program that made it and save it again."
    )


def _check(members: list[zipfile.ZipInfo]) -> None:
    if len(members) > MAX_MEMBERS or sum(member.file_size for member in members) > MAX_TOTAL_BYTES:
        raise _too_big()
    for member in members:
        packed = max(member.compress_size, 1)
        if member.file_size > _RATIO_FROM_BYTES and member.file_size > MAX_RATIO * packed:
            raise _too_big()


def _too_big() -> ReadingError:
    return ReadingError(
        FailureKind.LIMIT, "This file unpacks to far more than a document holds; as a precaution it was not opened."
    )


def _plain(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").lower()
