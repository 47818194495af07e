"""Pictures of Word's old binary files: those in a line, and those that stand beside the text ([MS-DOC], [MS-ODRAW])."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from aipc_app.reader.convert import escher
from aipc_app.reader.convert.escher import PictureStore, Record, children, shown_pictures, within

_DRAWINGS, _ANCHORS = 0x022A, 0x01DA  # where the header says where they are in the table stream
_ANCHOR_BYTES = 26
_STORED, _STORED_WITH_NAME = 0x64, 0x66  # kinds of what follows the head of a picture in a line
_LINE, _STORE = "line", "store"


@dataclass(frozen=True)
class DocPictures:
    """By names that only this file knows. Tables that are broken tell of no pictures."""

    data: bytes = b""  # the stream Data
    store: PictureStore = field(default_factory=lambda: PictureStore(b""))
    beside: dict[int, list[int]] = field(default_factory=dict)  # by the character they are tied to

    def in_line(self, place: int) -> list[str]:
        """The pictures for which a character stands; `place`: where in the stream Data it says they are."""
        return [f"{_LINE}:{at}" for at in _in_line(self.data, place)]

    def tied_to(self, position: int) -> list[str]:
        """The pictures beside the text that are tied to the character at `position` of the file."""
        return [f"{_STORE}:{number}" for number in self.beside.get(position, ())]

    def read(self, name: str) -> bytes | None:
        """A picture as a file of its own."""
        kind, _, number = name.partition(":")
        if kind == _STORE:
            return self.store.picture(int(number))
        at = int(number)
        return escher.picture_at(self.data, at) or self.data[at:]


def doc_pictures(word: bytes, table: bytes, data: bytes) -> DocPictures:
    """`word`, `table`, `data`: the streams."""
    try:
        start, size = struct.unpack_from("<II", word, _DRAWINGS)
        group = next(children(table, start, start + size), None)
        if size == 0 or group is None or group.kind != escher.GROUP:
            return DocPictures(data)
        shown = dict(_shown(table, group.end, start + size))
        anchors = list(_anchors(word, table))
    except struct.error:
        return DocPictures(data)
    beside = {position: shown[shape] for position, shape in anchors if shape in shown}
    return DocPictures(data, PictureStore(table, word, group.start - 8, group.end), beside)


def _anchors(word: bytes, table: bytes) -> Iterator[tuple[int, int]]:
    """Character and shape."""
    start, size = struct.unpack_from("<II", word, _ANCHORS)
    count = max(0, size - 4) // (4 + _ANCHOR_BYTES)
    positions = struct.unpack_from(f"<{count}I", table, start)
    for number, position in enumerate(positions):
        yield position, struct.unpack_from("<I", table, start + 4 * (count + 1) + _ANCHOR_BYTES * number)[0]


def _shown(table: bytes, at: int, end: int) -> Iterator[tuple[int, list[int]]]:
    """Shapes with the pictures they show, of each drawing: one byte, then its record."""
    while at + 9 <= end:
        drawing = next(children(table, at + 1, end), None)
        if drawing is None:
            return
        for group in children(table, drawing.start, drawing.end):
            if group.kind == escher.SHAPES:
                yield from _shapes(table, group)
        at = drawing.end


def _shapes(table: bytes, group: Record) -> Iterator[tuple[int, list[int]]]:
    """Of a group that is tied as a whole, all pictures under the shape that stands for the group."""
    for record in children(table, group.start, group.end):
        if record.kind not in (escher.SHAPE, escher.SHAPES):
            continue
        pictures = shown_pictures(table, record.start, record.end)
        identity = next((one for one in within(table, record.start, record.end) if one.kind == escher.IDENTITY), None)
        if pictures and identity is not None and identity.end - identity.start >= 4:
            yield struct.unpack_from("<I", table, identity.start)[0], pictures


def _in_line(data: bytes, place: int) -> Iterator[int]:
    """Where the records of the pictures begin, or an older program's drawing itself."""
    if place + 8 > len(data):
        return
    size, head, kind = struct.unpack_from("<IHH", data, place)
    at, end = place + head, min(place + size, len(data))
    if kind not in (_STORED, _STORED_WITH_NAME):
        if at < end:
            yield at
        return
    at += 1 + data[at] if kind == _STORED_WITH_NAME and at < end else 0
    for record in children(data, at, end):
        if not record.is_container:
            yield record.start - 8
