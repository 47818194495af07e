"""The text of Word's old binary files ([MS-DOC], and Word 6 and 95 before it), also as Kingsoft's WPS writes them.

Deleted and hidden text is left out, fields give their results, numbers of lists are worked out.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from aipc_app.reader.convert.doc_formats import Formats, ParagraphFormat
from aipc_app.reader.convert.doc_lists import read_numbering
from aipc_app.reader.convert.doc_pictures import DocPictures
from aipc_app.reader.convert.docx_numbering import Numbering
from aipc_app.reader.convert.encoding import decode
from aipc_app.reader.convert.zip_guard import damaged

_WORD_97 = 0xC1  # nFib from which on text is in pieces
_ENCRYPTED, _TABLE_1 = 0x0100, 0x0200
_COMPRESSED = 0x40000000
_PICTURE, _DRAWN, _MARKS = "\x01", "\x08", "\r\x07"
_LANGUAGES = {0x0804: "gb18030", 0x1004: "gb18030", 0x0404: "cp950", 0x0C04: "cp950", 0x0411: "cp932", 0x0412: "cp949",
              0x0419: "cp1251"}  # fmt: skip


@dataclass(frozen=True)
class Mark:
    """The end of a paragraph or cell: what it says of it, and the number before it."""

    format: ParagraphFormat
    label: str = ""


@dataclass(frozen=True)
class DocText:
    """Characters as Word stores them, marks among them; the parts that come after the main text by their own."""

    main: str
    footnotes: str = ""
    endnotes: str = ""
    boxes: str = ""
    marks: Mapping[int, Mark] = field(default_factory=dict)  # of the main text, by position
    pictures: Mapping[int, Sequence[str]] = field(default_factory=dict)  # their names, likewise


@dataclass(frozen=True)
class _Piece:
    start: int  # character position
    end: int
    offset: int  # in the stream
    width: int  # bytes a character


@dataclass(frozen=True)
class _Special:
    """A mark or a character that stands for something: where in the stream, and as which character of the file."""

    char: str
    place: int
    position: int


def is_encrypted(word: bytes) -> bool:
    """Whether the stream WordDocument is protected. Raises ReadingError: damaged."""
    return bool(_flags(word) & _ENCRYPTED)


def table_name(word: bytes) -> str:
    """Which stream has the tables that go with the stream WordDocument."""
    return "1Table" if _flags(word) & _TABLE_1 else "0Table"


def read_text(word: bytes, table: bytes, pictures: DocPictures | None = None) -> DocText:
    """`word`, `table`: the streams. Raises ReadingError: damaged."""
    try:
        if struct.unpack_from("<H", word, 2)[0] < _WORD_97:
            text = _old_text(word)
            return DocText(text, marks=_old_marks(text))
        return _text(word, table, pictures or DocPictures())
    except (struct.error, IndexError) as error:
        raise damaged() from error


def _flags(word: bytes) -> int:
    if len(word) < 0x60:
        raise damaged()
    flags: int = struct.unpack_from("<H", word, 0x0A)[0]
    return flags


def _old_text(word: bytes) -> str:
    """Word 6 and 95: one stretch of bytes in the charset of the program's language."""
    start, end = struct.unpack_from("<II", word, 0x18)
    language = struct.unpack_from("<H", word, 0x06)[0]
    raw = word[start : min(end, len(word))]
    length = struct.unpack_from("<I", word, 0x34)[0]
    raw = raw[:length] if 0 < length <= len(raw) else raw
    codec = _LANGUAGES.get(language)
    return raw.decode(codec, "replace") if codec else decode(raw, "cp1252", strict=False).text


def _old_marks(text: str) -> dict[int, Mark]:
    """A row ends with an empty cell."""
    return {
        at: Mark(ParagraphFormat(ends_row=char == "\x07" == text[at - 1 : at]))
        for at, char in enumerate(text)
        if char in "\r\x07"
    }


def _text(word: bytes, table: bytes, pictures: DocPictures) -> DocText:
    main, notes, headers, macros, comments, ends, boxes = struct.unpack_from("<7i", word, 0x4C)
    pieces = list(_pieces(word, table))
    formats = Formats(word, table)
    text, special = _joined(word, pieces, 0, main, formats)
    marks = _marks(special, formats, read_numbering(word, table))
    at = main + notes + headers + macros + comments

    def part(start: int, length: int) -> str:
        return _joined(word, pieces, start, start + length, formats)[0] if length > 0 else ""

    shown = {at: names for at, one in special.items() if (names := _names(one, formats, pictures))}
    return DocText(text, part(main, notes), part(at, ends), part(at + ends, boxes), marks, shown)


def _names(one: _Special, formats: Formats, pictures: DocPictures) -> list[str]:
    if one.char == _DRAWN:
        return pictures.tied_to(one.position)
    place = formats.picture(one.place) if one.char == _PICTURE else None
    return pictures.in_line(place) if place is not None else []


def _pieces(word: bytes, table: bytes) -> Iterator[_Piece]:
    offset, size = struct.unpack_from("<II", word, 0x01A2)
    at, end = offset, min(offset + size, len(table))
    while at < end and table[at] == 1:
        at += 3 + struct.unpack_from("<H", table, at + 1)[0]
    if at >= end or table[at] != 2:
        raise damaged()
    length = struct.unpack_from("<I", table, at + 1)[0]
    count = (length - 4) // 12
    if count < 0 or at + 5 + length > len(table):
        raise damaged()
    positions = struct.unpack_from(f"<{count + 1}I", table, at + 5)
    for number in range(count):
        (where,) = struct.unpack_from("<I", table, at + 5 + 4 * (count + 1) + 8 * number + 2)
        narrow = bool(where & _COMPRESSED)
        start = (where & ~_COMPRESSED) // 2 if narrow else where
        if positions[number + 1] > positions[number]:
            yield _Piece(positions[number], positions[number + 1], start, 1 if narrow else 2)


def _marks(special: Mapping[int, _Special], formats: Formats, numbering: Numbering) -> dict[int, Mark]:
    found = {}
    for at, one in special.items():
        if one.char in _MARKS:
            own = formats.paragraph(one.place)
            label = numbering.label(str(own.list_number), own.level) if own.list_number else ""
            found[at] = Mark(own, f"{label} " if label and label[-1].isascii() else label)
    return found


def _joined(
    word: bytes, pieces: list[_Piece], first: int, last: int, formats: Formats
) -> tuple[str, dict[int, _Special]]:
    """The characters from `first` to `last` that are to be seen; the special ones among them by their place in it."""
    parts: list[str] = []
    special: dict[int, _Special] = {}
    length = 0
    for piece in pieces:
        start, end = max(piece.start, first), min(piece.end, last)
        if start >= end:
            continue
        low = piece.offset + (start - piece.start) * piece.width
        high = piece.offset + (end - piece.start) * piece.width
        for begin, finish in formats.visible(low, min(high, len(word))):
            text = _characters(word[begin:finish], piece.width)
            for at, char in enumerate(text):
                if char in _MARKS or char in (_PICTURE, _DRAWN):
                    place = begin + at * piece.width
                    position = piece.start + (place - piece.offset) // piece.width
                    special[length + at] = _Special(char, place, position)
            parts.append(text)
            length += len(text)
    return "".join(parts), special


def _characters(data: bytes, width: int) -> str:
    """One character for each `width` bytes; halves of those beyond 16 bits stay halves, so that positions hold."""
    if width == 1:
        return data.decode("cp1252", "replace")
    return "".join(map(chr, struct.unpack(f"<{len(data) // 2}H", data[: len(data) // 2 * 2])))
