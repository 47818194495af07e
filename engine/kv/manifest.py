"""Whose blocks these are: a plain file of lines, each with a checksum, appended to and now and then written anew.

A line that is cut short or damaged is passed over; what it said is lost, and a block without an owner is deleted.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import xxhash
from msgspec import Struct

from engine.kv.block_file import write_file


class Owned(Struct, frozen=True, tag="o", array_like=True):
    """The block `key` (hex) is kept for these owners and holds text of these sources; adds to what was said before."""

    key: str
    owners: tuple[str, ...]
    sources: tuple[str, ...]


class Pinned(Struct, frozen=True, tag="p", array_like=True):
    """The last word on an owner's pin."""

    owner: str
    pinned: bool


Line = Owned | Pinned
_ENCODE, _DECODE = msgspec.json.Encoder().encode, msgspec.json.Decoder(Line).decode


@dataclass
class Marks:
    """Who keeps one block, and whose text is in it."""

    owners: set[str] = field(default_factory=set)
    sources: set[str] = field(default_factory=set)


class Manifest:
    """The file. Not locked: its store calls it from one thread at a time. All methods raise OSError."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lines = 0

    @property
    def lines(self) -> int:
        """Lines in the file, also those that later ones made void."""
        return self._lines

    def read(self) -> tuple[dict[bytes, Marks], set[str]]:
        """Marks by block, and the owners that are pinned."""
        marks: dict[bytes, Marks] = {}
        pinned: set[str] = set()
        try:
            data = self._path.read_bytes()
        except FileNotFoundError:
            return marks, pinned
        for raw in data.split(b"\n"):
            self._lines += 1
            match _decoded(raw):
                case Owned(key=key, owners=owners, sources=sources):
                    one = marks.setdefault(bytes.fromhex(key), Marks())
                    one.owners.update(owners)
                    one.sources.update(sources)
                case Pinned(owner=owner, pinned=True):
                    pinned.add(owner)
                case Pinned(owner=owner):
                    pinned.discard(owner)
        return marks, pinned

    def append(self, lines: Iterable[Line]) -> None:
        """Durable when it returns. Begins with a line's end: the last line may have been cut short."""
        data = b"".join(b"\n" + _encoded(line) for line in lines)
        if not data:
            return
        with self._path.open("ab", buffering=0) as file:
            file.write(data)
            os.fsync(file.fileno())
        self._lines += data.count(b"\n")

    def rewrite(self, marks: Mapping[bytes, Marks], pinned: Iterable[str]) -> None:
        """Only this from now on; durable when it returns."""
        lines: list[Line] = [
            Owned(key.hex(), tuple(sorted(one.owners)), tuple(sorted(one.sources))) for key, one in marks.items()
        ]
        lines += [Pinned(owner, True) for owner in sorted(pinned)]
        write_file(self._path, [b"\n".join(map(_encoded, lines))])
        self._lines = len(lines)


def _encoded(line: Line) -> bytes:
    text = _ENCODE(line)
    return xxhash.xxh3_64_hexdigest(text).encode() + b" " + text


def _decoded(raw: bytes) -> Line | None:
    check, _, text = raw.partition(b" ")
    if xxhash.xxh3_64_hexdigest(text).encode() != check:
        return None
    try:
        line = _DECODE(text)
        if isinstance(line, Owned):
            bytes.fromhex(line.key)
    except (msgspec.MsgspecError, ValueError):
        return None
    return line
