"""What lies on the sheets of Excel's old binary files beside their cells: pictures and text boxes ([MS-XLS])."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from aipc_app.reader.convert.escher import PictureStore, shown_pictures

_BEGIN, _END, _SHEET, _MORE = 0x0809, 0x000A, 0x0085, 0x003C
_STORE, _DRAWING, _OBJECT, _TEXT = 0x00EB, 0x00EC, 0x005D, 0x01B6
_NOTE, _MOST_RECORDS = 0x19, 5_000_000


@dataclass
class SheetDrawings:
    """Of one sheet: the numbers of its pictures, and what its boxes say. Cells' comments are left out."""

    pictures: list[int] = field(default_factory=list)
    boxes: list[str] = field(default_factory=list)


def read_drawings(book: bytes) -> tuple[PictureStore, list[SheetDrawings]]:
    """`book`: the stream Workbook. The sheets in their order, without those that are nothing but a chart."""
    stored, starts = bytearray(), list[int]()
    for kind, content in _records(book, 0):
        if kind == _STORE:
            stored += content
        elif kind == _SHEET and len(content) >= 6 and content[5] == 0:
            starts.append(struct.unpack_from("<I", content)[0])
    return PictureStore(bytes(stored)), [_sheet(book, start) for start in starts]


def _sheet(book: bytes, start: int) -> SheetDrawings:
    drawing, found, is_note = bytearray(), SheetDrawings(), False
    for kind, content in _records(book, start):
        if kind == _DRAWING:
            drawing += content
        elif kind == _OBJECT and len(content) >= 6:
            is_note = content[4] == _NOTE
        elif kind == _TEXT and not is_note and len(content) >= 18:
            found.boxes += [text] if (text := _text(content).strip()) else []
    found.pictures = shown_pictures(bytes(drawing), 0, len(drawing))
    return found


def _records(book: bytes, at: int) -> Iterator[tuple[int, bytes]]:
    """From the beginning of a part to its end, without the charts inside it; what goes on in others is joined."""
    depth, kind, content = 0, -1, bytearray()
    for _ in range(_MOST_RECORDS):
        if at + 4 > len(book):
            break
        new, size = struct.unpack_from("<HH", book, at)
        more = book[at + 4 : at + 4 + size]
        at += 4 + size
        if new == _MORE:
            content += more
            continue
        if depth == 1 and kind >= 0:
            yield kind, bytes(content)
        depth += (new == _BEGIN) - (new == _END)
        kind, content = (new, bytearray(more)) if depth == 1 else (-1, bytearray())
        if depth <= 0:
            return
    if depth == 1 and kind >= 0:
        yield kind, bytes(content)


def _text(content: bytes) -> str:
    """The characters follow the record's eighteen bytes: one byte that says how they are stored, then they."""
    (count,) = struct.unpack_from("<H", content, 10)
    if not count or len(content) < 19:
        return ""
    wide = content[18] & 1
    raw = content[19 : 19 + count * (2 if wide else 1)]
    return raw.decode("utf-16-le" if wide else "latin-1", "replace").replace("\r", "\n")
