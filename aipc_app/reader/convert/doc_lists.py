"""The numbers that Word writes before paragraphs, from the lists of an old binary file.

[MS-DOC] 2.9.131 (LSTF), 2.9.150 (LVL), 2.9.127 (LFO).
"""

from __future__ import annotations

import struct
from dataclasses import replace

from aipc_app.reader.convert.docx_numbering import Level, Numbering

_LISTS, _OVERRIDES = 0x02E2, 0x02EA
_FORMATS = {
    0: "decimal", 1: "upperRoman", 2: "lowerRoman", 3: "upperLetter", 4: "lowerLetter", 5: "ordinal",
    0x0A: "ideographDigital", 0x0B: "japaneseCounting", 0x0E: "decimalFullWidth", 0x10: "japaneseLegal",
    0x12: "decimalEnclosedCircle", 0x13: "decimalFullWidth", 0x16: "decimalZero", 0x17: "bullet",
    0x1A: "decimalEnclosedFullstop", 0x1B: "decimalEnclosedParen", 0x1C: "decimalEnclosedCircleChinese",
    0x1E: "ideographTraditional", 0x1F: "ideographZodiac", 0x21: "taiwaneseCounting",
    0x22: "ideographLegalTraditional", 0x23: "taiwaneseCountingThousand", 0x25: "chineseCounting",
    0x26: "chineseLegalSimplified", 0x27: "chineseCountingThousand", 0xFF: "none",
}  # fmt: skip
_MAX_LISTS = 10_000


def read_numbering(word: bytes, table: bytes) -> Numbering:
    """Lists are asked for by number, from "1"; broken tables give none."""
    numbering = Numbering(None)
    try:
        lists = _lists(word, table)
        for number, (list_id, levels, starts) in enumerate(_overrides(word, table, lists), 1):
            numbering.define(str(number), list_id, levels, starts)
    except (struct.error, IndexError):
        return numbering
    return numbering


def _lists(word: bytes, table: bytes) -> dict[str, dict[int, Level]]:
    offset, size = struct.unpack_from("<II", word, _LISTS)
    if not size:
        return {}
    (count,) = struct.unpack_from("<H", table, offset)
    found: dict[str, dict[int, Level]] = {}
    at = offset + 2 + 28 * count  # the levels follow all heads
    for number in range(min(count, _MAX_LISTS)):
        head = offset + 2 + 28 * number
        (list_id,) = struct.unpack_from("<i", table, head)
        levels = {}
        for level in range(1 if table[head + 26] & 1 else 9):
            levels[level], at = _level(table, at)
        found[str(list_id)] = levels
    return found


def _level(table: bytes, at: int) -> tuple[Level, int]:
    start, kind, flags = struct.unpack_from("<iBB", table, at)
    after_characters, after_paragraphs, restart = table[at + 24], table[at + 25], table[at + 26]
    at += 28 + after_paragraphs + after_characters
    (length,) = struct.unpack_from("<H", table, at)
    text = table[at + 2 : at + 2 + 2 * length].decode("utf-16-le", "replace")
    shown = "".join(f"%{ord(char) + 1}" if ord(char) < 9 else char for char in text)
    own = Level(
        start=start, format=_FORMATS.get(kind, "decimal"), text=shown, legal=bool(flags & 4),
        restart=restart if flags & 8 else None,
    )  # fmt: skip
    return own, at + 2 + 2 * length


_Override = tuple[str, dict[int, Level], dict[int, int]]


def _overrides(word: bytes, table: bytes, lists: dict[str, dict[int, Level]]) -> list[_Override]:
    """For each list number: the list, its levels as changed there, and levels that start anew."""
    offset, size = struct.unpack_from("<II", word, _OVERRIDES)
    if not size:
        return []
    (count,) = struct.unpack_from("<I", table, offset)
    count = min(count, _MAX_LISTS)
    at, found = offset + 4 + 16 * count, []
    for number in range(count):
        head = offset + 4 + 16 * number
        (list_id,) = struct.unpack_from("<i", table, head)
        levels, starts = dict(lists.get(str(list_id), {})), {}
        at += 4
        for _ in range(table[head + 12]):
            start, flags = struct.unpack_from("<iI", table, at)
            at += 8
            level = flags & 15
            if flags & 0x20:
                levels[level], at = _level(table, at)
            elif flags & 0x10 and level in levels:
                levels[level] = replace(levels[level], start=start)
                starts[level] = start
        found.append((str(list_id), levels, starts))
    return found
