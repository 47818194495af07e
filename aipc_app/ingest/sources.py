"""What was dropped, as files: folders opened, hidden and system files left out, in natural order."""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

_SYSTEM_NAMES = frozenset({"thumbs.db", "desktop.ini", "__macosx", "$recycle.bin", "system volume information"})
_DIGITS = re.compile(r"(\d+)")


class Source(Struct, frozen=True, kw_only=True):
    """A file to take in.

    `name` is how the document will be called: the file's name, or its path inside an added folder with "/".
    `given` is the path as the user gave it, continued inside a folder.
    """

    path: Path
    name: str
    given: str


def expand(paths: Sequence[Path]) -> tuple[Source, ...]:
    """The files behind what was given, folders in natural order (2 before 10).

    A file given by itself is taken whatever its name. A folder that can't be listed, or what isn't there at all,
    stands for itself, so that taking it in reports why and the rest goes on.
    """
    return tuple(source for path in paths for source in _expand_one(path))


def _expand_one(path: Path) -> Iterator[Source]:
    if path.is_dir():
        inside = sorted(_walk(path, path, frozenset()), key=lambda source: natural_key(source.name))
        yield from inside
    elif path.is_file():
        yield Source(
            path=path, name=readable_name(path.resolve().name if not path.name else path.name), given=str(path)
        )
    else:
        yield Source(path=path, name=readable_name(path.name), given=str(path))


def _walk(folder: Path, root: Path, above: frozenset[tuple[int, int]]) -> Iterator[Source]:
    """`above`: the folders on the way here, by device and inode, so that a link back up is not followed."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        status = folder.stat()
    except OSError:
        yield _inside(folder, root)
        return
    here = (status.st_dev, status.st_ino)
    if here in above:
        return
    for entry in entries:
        if _left_out(entry):
            continue
        if entry.is_dir():
            yield from _walk(Path(entry.path), root, above | {here})
        elif entry.is_file():
            yield _inside(Path(entry.path), root)


def _inside(path: Path, root: Path) -> Source:
    relative = path.relative_to(root)
    return Source(path=path, name=readable_name(relative.as_posix()), given=str(root / relative))


def _left_out(entry: os.DirEntry[str]) -> bool:
    """Hidden, the system's own, or the lock file of an office program that has a document open."""
    name = entry.name
    if name.startswith((".", "~$")) or name.lower() in _SYSTEM_NAMES:
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
    return raw.decode("utf-8", "replace")


def natural_key(name: str) -> tuple[tuple[int, int, str], ...]:
    """Sorts as people count: part 2 before part 10, whatever the case of letters."""
    parts = _DIGITS.split(name.casefold())
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts if part)
