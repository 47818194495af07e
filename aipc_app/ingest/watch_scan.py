"""What a watched folder holds now, compared with what was last seen: new, changed, moved, deleted. Reads no file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec import Struct

from aipc_app.domain.watching import SeenFile
from aipc_app.ingest.sources import Source, expand


class FoundFile(Struct, frozen=True):
    """A file of the folder as it is now; `name` relative to the folder."""

    name: str
    size: int
    modified: int
    inode: int
    source: Source


class FolderChanges(Struct, frozen=True, kw_only=True):
    """`fresh`: new or changed. `moved`: (where it was, where it is), the same file under another name.

    `touched`: as `fresh` but with the same size and inode, so that its bytes may be the same. `gone`: deleted.
    """

    fresh: tuple[FoundFile, ...] = ()
    moved: tuple[tuple[SeenFile, FoundFile], ...] = ()
    gone: tuple[SeenFile, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.fresh or self.moved or self.gone)


def scan(folder: Path, leave_out: Path | None = None) -> dict[str, FoundFile]:
    """The files of a folder, by name. Raises OSError when the folder isn't there."""
    with os.scandir(folder):
        pass  # a folder that is away must not look like one whose files were all deleted
    found = {}
    for source in expand([folder], leave_out=leave_out):
        try:
            status = source.path.stat()
            name = str(source.path.relative_to(folder))
        except (OSError, ValueError):
            continue
        found[name] = FoundFile(name, status.st_size, status.st_mtime_ns, status.st_ino, source)
    return found


def compare(now: Mapping[str, FoundFile], before: Iterable[SeenFile]) -> FolderChanges:
    """What happened since."""
    known = {seen.name: seen for seen in before}
    fresh = {name: file for name, file in now.items() if name not in known or _differs(file, known[name])}
    gone = [seen for name, seen in known.items() if name not in now and not seen.gone]
    by_identity = {(seen.inode, seen.size, seen.modified): seen for seen in gone if seen.inode}
    moved = []
    for name, file in list(fresh.items()):
        seen = by_identity.pop((file.inode, file.size, file.modified), None) if name not in known else None
        if seen is not None:
            moved.append((seen, file))
            del fresh[name]
    left = {seen.name for seen, _ in moved}
    return FolderChanges(
        fresh=tuple(fresh.values()), moved=tuple(moved), gone=tuple(seen for seen in gone if seen.name not in left)
    )


def still_written(file: FoundFile) -> bool:
    """Whether a file changed since it was looked at: it is being copied, and is taken when it rests."""
    try:
        status = file.source.path.stat()
    except OSError:
        return True
    return (status.st_size, status.st_mtime_ns) != (file.size, file.modified)


def _differs(file: FoundFile, seen: SeenFile) -> bool:
    return seen.gone or (file.size, file.modified) != (seen.size, seen.modified)
