"""A name for a model's very bytes: a cache computed by other weights of the same shape would fit and be wrong."""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from pathlib import Path

import msgspec
import xxhash
from msgspec import Struct

from engine.kv.block_file import write_file

WHOLE_BYTES = 8 << 30  # up to here every byte is read, once for each file (seconds); beyond, its time counts too
_CHUNK_BYTES = 64 << 20
_MOST_FILES = 64


class _Known(Struct, frozen=True, array_like=True):
    """A file as it was when it was hashed."""

    path: str
    size: int
    changed_ns: int
    inode: int
    digest: str


def content_name(paths: Sequence[str], sampled: str, remembered_in: Path | None) -> str:
    """Names the bytes of a model's files. `sampled` is the name by header and samples.

    What was hashed is remembered in the file `remembered_in`, by size, time and inode. None: not worth hashing.
    Raises OSError when a model file can't be read.
    """
    found = [(path, Path(path).stat()) for path in paths]
    stamps = [_Known(str(Path(path).resolve()), st.st_size, st.st_mtime_ns, st.st_ino, "") for path, st in found]
    if remembered_in is None or sum(stamp.size for stamp in stamps) > WHOLE_BYTES:
        return "|".join((sampled, *(f"{stamp.size}:{stamp.changed_ns}" for stamp in stamps)))
    known = {(one.path, one.size, one.changed_ns, one.inode): one for one in _read(remembered_in)}
    hashed = []
    for stamp in stamps:
        one = known.get((stamp.path, stamp.size, stamp.changed_ns, stamp.inode))
        hashed.append(one or msgspec.structs.replace(stamp, digest=_digest(Path(stamp.path))))
    if any(one not in known.values() for one in hashed):
        others = [one for one in known.values() if one.path not in {stamp.path for stamp in stamps}]
        _write(remembered_in, [*others, *hashed][-_MOST_FILES:])
    return "|".join((sampled, *(one.digest for one in hashed)))


def _digest(path: Path) -> str:
    hasher = xxhash.xxh3_128()
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
        for start in range(0, len(view), _CHUNK_BYTES):
            with memoryview(view)[start : start + _CHUNK_BYTES] as part:
                hasher.update(part)
    return str(hasher.hexdigest())


def _read(path: Path) -> list[_Known]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=list[_Known])
    except (OSError, msgspec.MsgspecError):
        return []  # hashed again


def _write(path: Path, known: Sequence[_Known]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_file(path, [msgspec.json.encode(list(known))])
    except OSError:
        pass  # hashed again at the next start
