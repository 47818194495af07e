"""What was dropped, as files: folders opened, hidden and system files left out, in natural order."""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from aipc_app.store.originals import printable

_SYSTEM_NAMES = frozenset({"thumbs.db", "desktop.ini", "__macosx", "$recycle.bin", "system volume information"})
_DIGITS = re.compile(r"(\d+)")


class Source(Struct, frozen=True, kw_only=True):
    """A file to take in.

    `name` is how the document will be called: the file's name, or its path inside an added folder with "/".
    `given` is the path as the user gave it, continued inside a folder. Both can be printed and stored.
    """

    path: Path
    name: str
    given: str


_Folder = tuple[int, int]  # its device and inode, which a link to it has too


def expand(paths: Sequence[Path], leave_out: Path | None = None) -> tuple[Source, ...]:
    """The files behind what was given, folders in natural order (2 before 10), without the folder `leave_out`.

    A file given by itself is taken whatever its name. What can't be looked at or isn't there at all stands for
    itself, so that taking it in reports why and the rest goes on.
    """
    skipped = frozenset[_Folder]()
    if leave_out is not None:
        with suppress(OSError):
            skipped = frozenset({_identity(leave_out)})
    return tuple(source for path in paths for source in _expand_one(path, skipped))


def _expand_one(path: Path, skipped: frozenset[_Folder]) -> Iterator[Source]:
    try:
        is_folder = path.is_dir()
    except OSError:  # a name too long, a folder above it that is closed
        is_folder = False
    if is_folder:
        yield from sorted(_walk(path, path, skipped), key=lambda source: natural_key(source.name))
    else:
        yield _source(path, path)


def _walk(folder: Path, root: Path, skipped: frozenset[_Folder]) -> Iterator[Source]:
    """`skipped`: what is left out, and the folders on the way here, so that a link back up is not followed."""
    try:
        here = _identity(folder)
        if here in skipped:
            return
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        yield _source(folder, root)
        return
    for entry in entries:
        yield from _entry(entry, root, skipped | {here})


def _entry(entry: os.DirEntry[str], root: Path, skipped: frozenset[_Folder]) -> Iterator[Source]:
    path = Path(entry.path)
    try:
        if _left_out(entry):
            return
        is_folder, is_file = entry.is_dir(), entry.is_file()
    except OSError:  # a link to itself, a link into a closed folder
        yield _source(path, root)
        return
    if is_folder:
        yield from _walk(path, root, skipped)
    elif is_file:
        yield _source(path, root)


def _identity(folder: Path) -> _Folder:
    status = folder.stat()
    return status.st_dev, status.st_ino


def _source(path: Path, root: Path) -> Source:
    """Named by its path inside the root, and the root itself by its own name."""
    name = path.absolute().name or str(path) if path == root else path.relative_to(root).as_posix()
    return Source(path=path, name=readable_name(name), given=printable(str(path)))


def is_left_out(name: str) -> bool:
    """Hidden, the system's own, or the lock file of an office program that has a document open."""
    return name.startswith((".", "~$")) or name.lower() in _SYSTEM_NAMES


def _left_out(entry: os.DirEntry[str]) -> bool:
    if is_left_out(entry.name):
        return True
    attributes = getattr(entry.stat(follow_symlinks=False), "st_file_attributes", 0)
    hidden = getattr(stat, "FILE_ATTRIBUTE_HIDDEN", 2) | getattr(stat, "FILE_ATTRIBUTE_SYSTEM", 4)
    return bool(attributes & hidden)


def readable_name(name: str) -> str:
    """A name that can be shown and stored. Bytes that are not UTF-8 are taken for GB 18030, as old archives have."""
    raw = os.fsencode(name)
    for encoding in ("utf-8", "gb18030"):
        try:
            return unicodedata.normalize("NFC", raw.decode(encoding))
        except UnicodeDecodeError:
            continue
    return printable(name)


def natural_key(name: str) -> tuple[tuple[int, int, str], ...]:
    """Sorts as people count: part 2 before part 10, whatever the case of letters."""
    parts = _DIGITS.split(name.casefold())
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts if part)
