"""EMF ([MS-EMF]) and what newer programs put into it ([MS-EMFPLUS]): text and bitmaps, no lines and no filling."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from aipc_app.reader.convert.drawing import MOST_PICTURES, Drawing, Word
from aipc_app.reader.convert.windows_bitmap import bitmap

_END, _MOVE, _SAVE, _RESTORE, _TRANSFORM, _ALTER, _ALIGN, _COMMENT = 14, 27, 33, 34, 35, 36, 22, 70
_NARROW, _WIDE, _MANY, _SMALL = 83, 84, 97, 108
_WINDOW = {9: "window", 10: "origin", 11: "viewport", 12: "corner"}
_BITMAPS = {80: 48, 81: 48, 76: 84, 77: 84, 114: 84, 116: 84}  # where a record says where its bitmap is
_GLYPHS, _NO_BOUNDS, _ONE_BYTE, _FROM_PEN = 0x10, 0x100, 0x200, 0x01
_PLUS, _PLUS_OBJECT, _PLUS_STRING, _IMAGE, _MORE = b"EMF+", 0x4008, 0x401C, 5, 0x8000
_MOST_RECORDS = 1_000_000
_Matrix = tuple[float, float, float, float, float, float]
_SAME: _Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


@dataclass(frozen=True)
class _State:
    """Of the device: world to page, then window to viewport. `from_pen`: text goes on where the pen is."""

    matrix: _Matrix = _SAME
    window: tuple[int, int] = (1, 1)
    viewport: tuple[int, int] = (1, 1)
    origin: tuple[int, int] = (0, 0)
    corner: tuple[int, int] = (0, 0)
    from_pen: bool = False

    def place(self, x: float, y: float) -> tuple[float, float]:
        a, b, c, d, e, f = self.matrix
        page = a * x + c * y + e, b * x + d * y + f
        across, down = ((page[i] - self.origin[i]) * self.viewport[i] / (self.window[i] or 1) for i in (0, 1))
        return across + self.corner[0], down + self.corner[1]


def read_emf(data: bytes) -> Drawing:
    """Damage ends it where it begins. Where a file draws everything twice, the older way counts."""
    walk = _Walk(data)
    with suppress(struct.error, IndexError, OverflowError):
        walk.run()
    drawn, plus = walk.drawn, walk.plus
    return Drawing(drawn.words or plus.words, drawn.pictures or plus.pictures, drawn.unread)


@dataclass
class _Walk:
    data: bytes
    drawn: Drawing = field(default_factory=Drawing)
    plus: Drawing = field(default_factory=Drawing)
    _state: _State = field(default_factory=_State)
    _saved: list[_State] = field(default_factory=list)
    _pen: tuple[float, float] = (0.0, 0.0)
    _object: bytes = b""

    def run(self) -> None:
        at = 0
        for _ in range(_MOST_RECORDS):
            kind, size = struct.unpack_from("<II", self.data, at)
            if kind == _END or size < 8 or at + size > len(self.data):
                return
            self._record(kind, self.data[at : at + size])
            at += size

    def _record(self, kind: int, record: bytes) -> None:
        if kind in (_NARROW, _WIDE):
            self._text(record, 36, wide=kind == _WIDE)
        elif kind == _MANY:
            for number in range(min(struct.unpack_from("<I", record, 36)[0], len(record) // 40)):
                self._text(record, 40 + 40 * number, wide=True)
        elif kind == _SMALL:
            self._small_text(record)
        elif kind in _BITMAPS:
            self._bitmap(record, _BITMAPS[kind])
        elif kind == _COMMENT and record[12:16] == _PLUS:
            self._plus_records(record[16 : 12 + struct.unpack_from("<I", record, 8)[0]])
        else:
            self._device(kind, record)

    def _device(self, kind: int, record: bytes) -> None:
        """What changes where things are drawn."""
        if kind == _MOVE:
            self._pen = _pair(record)
        elif kind == _SAVE:
            self._saved.append(self._state)
        elif kind == _RESTORE and self._saved:
            self._state = self._saved.pop()
        elif kind == _ALIGN:
            self._set(from_pen=bool(struct.unpack_from("<I", record, 8)[0] & _FROM_PEN))
        elif kind in _WINDOW:
            self._set(**{_WINDOW[kind]: _pair(record)})
        elif kind == _TRANSFORM:
            self._set(matrix=_matrix(record))
        elif kind == _ALTER:
            self._set(matrix=_altered(self._state.matrix, _matrix(record), record[32]))

    def _set(self, **changes: Any) -> None:
        self._state = replace(self._state, **changes)

    def _text(self, record: bytes, at: int, *, wide: bool) -> None:
        x, y, count, start, options = struct.unpack_from("<iiIII", record, at)
        (spacing,) = struct.unpack_from("<I", record, at + 36)
        if options & _GLYPHS:
            self.drawn.unread = True
            return
        raw = record[start : start + count * (2 if wide else 1)]
        widths = struct.unpack_from(f"<{count}i", record, spacing) if 0 < spacing <= len(record) - 4 * count else ()
        self._write(_decoded(raw, wide), float(x), float(y), float(sum(widths)))

    def _small_text(self, record: bytes) -> None:
        x, y, count, options = struct.unpack_from("<iiII", record, 8)
        if options & _GLYPHS:
            self.drawn.unread = True
            return
        start, wide = 36 if options & _NO_BOUNDS else 52, not options & _ONE_BYTE
        self._write(_decoded(record[start : start + count * (2 if wide else 1)], wide), float(x), float(y), 0.0)

    def _write(self, text: str, x: float, y: float, advance: float) -> None:
        if self._state.from_pen:
            x, y = self._pen
            self._pen = x + advance, y
        left, top = self._state.place(x, y)
        end, beside = self._state.place(x + advance, y)
        length = abs(end - left) + abs(beside - top)
        word = Word(text, left, top, end if advance else 0.0, length / max(1, len(text)) or 10.0)
        self.drawn.words.append(word)

    def _bitmap(self, record: bytes, at: int) -> None:
        head, head_size, bits, bits_size = struct.unpack_from("<4I", record, at)
        made = bitmap(record[head : head + head_size], record[bits : bits + bits_size])
        if made is not None and len(self.drawn.pictures) < MOST_PICTURES:
            self.drawn.pictures.append(made)

    def _plus_records(self, data: bytes) -> None:
        for kind, flags, content in _plus(data):
            if kind == _PLUS_STRING:
                (count,) = struct.unpack_from("<I", content, 8)
                left, top, _width, height = struct.unpack_from("<4f", content, 12)
                self.plus.words.append(Word(_decoded(content[28 : 28 + 2 * count], True), left, top, 0.0, height / 2))
            elif kind == _PLUS_OBJECT and flags >> 8 & 0x7F == _IMAGE:
                self._object += content[4:] if flags & _MORE else content
                if not flags & _MORE or len(self._object) >= struct.unpack_from("<I", content)[0]:
                    self._image(self._object)
                    self._object = b""

    def _image(self, content: bytes) -> None:
        kind, *_size, packed = struct.unpack_from("<6I", content, 4)
        if kind == 1 and packed == 1 and len(self.plus.pictures) < MOST_PICTURES:
            self.plus.pictures.append(content[28:])


def _plus(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    at = 0
    while at + 12 <= len(data):
        kind, flags, size, length = struct.unpack_from("<HHII", data, at)
        yield kind, flags, data[at + 12 : at + 12 + length]
        at += max(12, size)


def _pair(record: bytes) -> tuple[int, int]:
    x, y = struct.unpack_from("<ii", record, 8)
    return x, y


def _matrix(record: bytes) -> _Matrix:
    a, b, c, d, e, f = struct.unpack_from("<6f", record, 8)
    return a, b, c, d, e, f


def _altered(now: _Matrix, by: _Matrix, mode: int) -> _Matrix:
    match mode:
        case 1:
            return _SAME
        case 2:
            return _product(by, now)
        case 3:
            return _product(now, by)
    return by


def _product(first: _Matrix, second: _Matrix) -> _Matrix:
    """First the one, then the other."""
    a, b, c, d, e, f = first
    g, h, i, j, k, m = second
    return (a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m)


def _decoded(raw: bytes, wide: bool) -> str:
    return raw.decode("utf-16-le" if wide else "cp1252", "replace").replace("\0", "")
