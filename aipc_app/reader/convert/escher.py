"""Drawings in old office files ([MS-ODRAW]): the pictures a file stores once, and which of them its shapes show."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from aipc_app.reader.convert.windows_bitmap import packed_bitmap

GROUP, STORE, DRAWING, SHAPES, SHAPE = 0xF000, 0xF001, 0xF002, 0xF003, 0xF004
ENTRY, IDENTITY = 0xF007, 0xF00A
PROPERTIES = (0xF00B, 0xF121, 0xF122)  # first, second and third table of a shape
_METAFILES, _BITMAP = (0xF01A, 0xF01B), 0xF01F
_FILES = (0xF01D, 0xF01E, 0xF029, 0xF02A)  # JPEG, PNG, TIFF, JPEG in four colours; Macintosh's PICT can't be opened
_CONTAINER = 15
_PICTURE, _FILL, _FILL_KIND, _IS_NUMBER, _NUMBER = 0x0104, 0x0186, 0x0180, 0x4000, 0x3FFF
_FILLED_BY_PICTURE = (2, 3)
_ENTRY_BYTES, _METAFILE_HEAD = 36, 34
_MOST_RECORDS, _MOST_DEPTH = 200_000, 60
MOST_INFLATED = 128 << 20  # bytes of one picture


@dataclass(frozen=True)
class Record:
    """`start` and `end` of its content. Offsets in bytes."""

    kind: int
    instance: int
    is_container: bool
    start: int
    end: int


def children(data: bytes, start: int, end: int) -> Iterator[Record]:
    """The records from `start` to `end`, one after the other; what doesn't fit ends it."""
    at, end = start, min(end, len(data))
    for _ in range(_MOST_RECORDS):
        if at + 8 > end:
            return
        head, kind, size = struct.unpack_from("<HHI", data, at)
        yield Record(kind, head >> 4, head & 15 == _CONTAINER, at + 8, min(at + 8 + size, end))
        at += 8 + size


def within(data: bytes, start: int, end: int, depth: int = 0) -> Iterator[Record]:
    """Everything below, in order."""
    for record in children(data, start, end):
        yield record
        if record.is_container and depth < _MOST_DEPTH:
            yield from within(data, record.start, record.end, depth + 1)


def shown_pictures(data: bytes, start: int, end: int) -> list[int]:
    """The numbers (from 1) of the stored pictures that the shapes between `start` and `end` show or are filled with."""
    numbers: list[int] = []
    for record in within(data, start, end):
        if record.kind in PROPERTIES:
            numbers += [number for number in _pictures(_properties(data, record)) if number not in numbers]
    return numbers


def _properties(data: bytes, table: Record) -> dict[int, int]:
    count = min(table.instance, (table.end - table.start) // 6)
    return dict(struct.unpack_from("<HI", data, table.start + 6 * at) for at in range(count))


def _pictures(properties: dict[int, int]) -> Iterator[int]:
    if found := properties.get(_PICTURE | _IS_NUMBER):
        yield found
    if properties.get(_FILL_KIND) in _FILLED_BY_PICTURE and (found := properties.get(_FILL | _IS_NUMBER)):
        yield found


class PictureStore:
    """The pictures of a file by their numbers. `data` holds the store; those of Word and PowerPoint lie in `later`."""

    def __init__(self, data: bytes, later: bytes = b"", start: int = 0, end: int | None = None) -> None:
        self._places: list[tuple[bytes, int]] = []
        for record in within(data, start, len(data) if end is None else end):
            if record.kind == STORE:
                self._places += [_place(data, one, later) for one in children(data, record.start, record.end)]

    def __len__(self) -> int:
        return len(self._places)

    def picture(self, number: int) -> bytes | None:
        """As a file of its own; None where there is none, or none of a kind that can be opened."""
        if not 1 <= number <= len(self._places):
            return None
        return picture_at(*self._places[number - 1])


def _place(data: bytes, entry: Record, later: bytes) -> tuple[bytes, int]:
    """In which bytes the picture's record begins, and where."""
    size = entry.end - entry.start
    if entry.kind != ENTRY or size < _ENTRY_BYTES:
        return data, entry.start - 8
    inside = entry.start + _ENTRY_BYTES + data[entry.start + 33]
    if inside + 8 <= entry.end:
        return data, inside
    return later, int(struct.unpack_from("<I", data, entry.start + 28)[0])


def picture_at(data: bytes, at: int) -> bytes | None:
    """The picture whose record, or whose entry of a store, begins at `at`, as a file of its own; None as above."""
    record = next(children(data, at, len(data)), None)
    if record is None:
        return None
    if record.kind == ENTRY and record.end - record.start > _ENTRY_BYTES:
        return picture_at(data, record.start + _ENTRY_BYTES + data[record.start + 33])
    start = record.start + (32 if record.instance & 1 else 16)  # one fingerprint or two
    if record.kind in _METAFILES and start + _METAFILE_HEAD <= record.end:
        body = data[start + _METAFILE_HEAD : record.end]
        return body if data[start + 32] else inflated(body)
    if record.kind == _BITMAP:
        return packed_bitmap(data[start + 1 : record.end])
    return data[start + 1 : record.end] if record.kind in _FILES else None


def inflated(body: bytes, wbits: int = zlib.MAX_WBITS) -> bytes | None:
    """None where it is damaged, or more than any picture is."""
    try:
        unpacker = zlib.decompressobj(wbits)
        made = unpacker.decompress(body, MOST_INFLATED)
    except zlib.error:
        return None
    return None if unpacker.unconsumed_tail else made
