"""The tier on disk: one file for each block, named by its key. Knows nothing of owners or of what is used."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from engine.kv.block_file import Block, BlockDamaged, BlockHeader, file_parts, read_block, read_header, write_file

_SUFFIX = ".kv"


@dataclass(frozen=True)
class Found:
    """A block's file as a scan found it; `used` is its time of last use (ns)."""

    header: BlockHeader
    used: int


class DiskTier:
    """Files under `directory`. Any thread; the caller sees to it that a key is not written and deleted at once."""

    def __init__(self, directory: Path) -> None:
        """Raises OSError when the folder can't be made."""
        self._blocks = directory / "blocks"
        self._blocks.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.manifest_path = directory / "owners.jsonl"
        self._unsettled: set[Path] = {self._blocks}

    def scan(self) -> Iterator[Found]:
        """Every whole block; what is half-written or damaged in its header is deleted on the way."""
        for folder in self._blocks.iterdir():
            if not folder.is_dir():
                continue
            for path in folder.iterdir():
                found = self._found(path)
                if found is not None:
                    yield found

    def read(self, key: bytes) -> Block:
        """Raises BlockDamaged or OSError."""
        block = read_block(self._path(key))
        if block.key != key:
            raise BlockDamaged("key")
        return block

    def write(self, block: Block) -> None:
        """Durable, apart from its name (`settle`). Raises OSError, and leaves nothing then."""
        path = self._path(block.key)
        path.parent.mkdir(exist_ok=True, mode=0o700)
        self._unsettled.update((path.parent, self._blocks))
        write_file(path, file_parts(block))

    def delete(self, key: bytes) -> None:
        """Gone or never there."""
        path = self._path(key)
        try:
            path.unlink()
        except FileNotFoundError:
            return
        self._unsettled.add(path.parent)

    def delete_everything(self) -> None:
        """All blocks and half-written files. Raises OSError."""
        for path in self._blocks.glob("*/*"):
            path.unlink(missing_ok=True)
            self._unsettled.add(path.parent)

    def settle(self) -> None:
        """Make the names of what was written and deleted durable."""
        if os.name == "nt":
            return  # no way to sync a folder there; a lost name is a miss
        folders, self._unsettled = self._unsettled, set()
        for folder in list(folders):
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    def touch(self, key: bytes, used: int) -> None:
        """Note the time of last use for the next start. Failing is no harm."""
        try:
            os.utime(self._path(key), ns=(used, used))
        except OSError:
            pass

    def free_bytes(self) -> int:
        """Free on this disk."""
        return shutil.disk_usage(self._blocks).free

    def _found(self, path: Path) -> Found | None:
        try:
            if path.suffix == _SUFFIX:
                header = read_header(path)
                if header.key.hex() == path.stem:
                    return Found(header, path.stat().st_mtime_ns)
            path.unlink()
        except BlockDamaged:
            path.unlink(missing_ok=True)
        except OSError:
            pass  # unreadable: a miss, and not ours to delete
        return None

    def _path(self, key: bytes) -> Path:
        name = key.hex()
        return self._blocks / name[:2] / (name + _SUFFIX)
