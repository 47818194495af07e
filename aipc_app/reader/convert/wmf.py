"""WMF ([MS-WMF]): text in the charset of its font, and bitmaps."""

from __future__ import annotations

import struct
from contextlib import suppress
from dataclasses import dataclass, field

from aipc_app.reader.convert.drawing import MOST_PICTURES, Drawing, Word
from aipc_app.reader.convert.encoding import WINDOWS_CHARSETS
from aipc_app.reader.convert.windows_bitmap import packed_bitmap

_HEAD = 18
_TEXT, _PLACED_TEXT = 0x0521, 0x0A32
_FONT, _SELECT, _DELETE = 0x02FB, 0x012D, 0x01F0
_OTHER_OBJECTS = (0x02FA, 0x02FC, 0x00F7, 0x01F9, 0x0142, 0x06FF)
_BITMAPS = {0x0F43: 22, 0x0D33: 18, 0x0B41: 20, 0x0940: 16}  # where in the parameters the bitmap begins
_RECTANGLE, _GLYPHS = 0x06, 0x10
_SYMBOLS = 2
_MOST_RECORDS = 1_000_000


def read_wmf(data: bytes) -> Drawing:
    """`data` from the header on, without that of placeable files. Damage ends it where it begins."""
    walk = _Walk(data)
    with suppress(struct.error, LookupError):
        walk.run()
    return walk.drawn


@dataclass
class _Walk:
    data: bytes
    drawn: Drawing = field(default_factory=Drawing)
    _objects: list[int | None] = field(default_factory=list)  # charset of fonts, -1 of others, None where free
    _charset: int = 0

    def run(self) -> None:
        at = _HEAD
        for _ in range(_MOST_RECORDS):
            words, kind = struct.unpack_from("<IH", self.data, at)
            if kind == 0 or words < 3 or at + 2 * words > len(self.data):
                return
            self._record(kind, self.data[at + 6 : at + 2 * words])
            at += 2 * words

    def _record(self, kind: int, content: bytes) -> None:
        if kind == _TEXT:
            (count,) = struct.unpack_from("<H", content)
            y, x = struct.unpack_from("<hh", content, 2 + count + count % 2)
            self._write(content[2 : 2 + count], x, y, 0)
        elif kind == _PLACED_TEXT:
            self._placed(content)
        elif kind in _BITMAPS and len(self.drawn.pictures) < MOST_PICTURES:
            made = packed_bitmap(content[_BITMAPS[kind] :])
            self.drawn.pictures += [made] if made is not None else []
        elif kind == _FONT:
            self._keep(content[13])
        elif kind in _OTHER_OBJECTS:
            self._keep(-1)
        elif kind in (_SELECT, _DELETE):
            self._object(struct.unpack_from("<H", content)[0], gone=kind == _DELETE)

    def _placed(self, content: bytes) -> None:
        y, x, count, options = struct.unpack_from("<hhHH", content)
        start = 16 if options & _RECTANGLE else 8
        if options & _GLYPHS:
            self.drawn.unread = True
            return
        spacing = start + count + count % 2
        widths = struct.unpack_from(f"<{count}h", content, spacing) if spacing + 2 * count <= len(content) else ()
        self._write(content[start : start + count], x, y, sum(widths))

    def _write(self, raw: bytes, x: int, y: int, advance: int) -> None:
        if self._charset == _SYMBOLS:
            self.drawn.unread = True
            return
        text = _decoded(raw, self._charset)
        self.drawn.words.append(Word(text, x, y, x + advance if advance else 0.0, advance / max(1, len(text)) or 10.0))

    def _keep(self, charset: int) -> None:
        """A new object takes the first free place."""
        if None in self._objects:
            self._objects[self._objects.index(None)] = charset
        else:
            self._objects.append(charset)

    def _object(self, number: int, *, gone: bool) -> None:
        charset = self._objects[number]
        if gone:
            self._objects[number] = None
        elif charset is not None and charset >= 0:
            self._charset = charset


def _decoded(raw: bytes, charset: int) -> str:
    """A font that doesn't say is of the program's country: most likely Chinese where it isn't plain Latin."""
    codec = WINDOWS_CHARSETS.get(charset, "gb18030" if charset == 1 else "cp1252")
    return raw.decode(codec, "replace").replace("\0", "")
