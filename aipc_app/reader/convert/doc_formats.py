"""What Word's old files say about stretches of their text: deleted, hidden, a picture, in a table, in a list.

[MS-DOC] 2.9.55 (formatted disk pages), 2.6.1 and 2.6.2 (single property modifiers), 2.9.260 (styles).
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

_PAGE = 512
_CHARACTERS, _PARAGRAPHS, _STYLES = 0x00FA, 0x0102, 0x00A2
_DELETED, _HIDDEN = 0x0800, 0x083C
_PICTURE, _IS_DATA, _SPECIAL = 0x6A03, 0x0806, 0x0855
_IN_TABLE, _ROW_END, _LEVEL, _LIST = 0x2416, 0x2417, 0x260A, 0x460B
_SIZES = {0: 1, 1: 1, 2: 2, 3: 4, 4: 2, 5: 2, 7: 3}
_LONG = (0xD606, 0xD608)  # with a length of two bytes
_MAX_BASES = 20

Values = dict[int, int]


@dataclass(frozen=True)
class _Run:
    start: int
    end: int
    style: int
    values: Values


@dataclass(frozen=True)
class ParagraphFormat:
    """`list_number` counts from 1, 0: in no list; `level` from 0."""

    in_table: bool = False
    ends_row: bool = False
    list_number: int = 0
    level: int = 0


class Formats:
    """By position in the stream WordDocument. Tables that are broken tell nothing."""

    def __init__(self, word: bytes, table: bytes) -> None:
        runs = list(_runs(word, table, _CHARACTERS))
        self._gone = _merged(
            (run.start, run.end) for run in runs if run.values.get(_DELETED) == 1 or run.values.get(_HIDDEN) == 1
        )
        self._pictures = {run.start: run.values[_PICTURE] for run in runs if _stands_for_picture(run.values)}
        self._paragraphs = sorted(_runs(word, table, _PARAGRAPHS), key=lambda run: run.start)
        self._starts = [run.start for run in self._paragraphs]
        self._styles = _styles(word, table)

    def visible(self, low: int, high: int) -> Iterator[tuple[int, int]]:
        """The stretches between `low` and `high` that are to be seen."""
        at = low
        for start, end in self._gone:
            if end <= at or start >= high:
                continue
            if start > at:
                yield at, start
            at = max(at, end)
        if at < high:
            yield at, high

    def picture(self, position: int) -> int | None:
        """Where in the stream Data the picture is for which the character at `position` stands."""
        return self._pictures.get(position)

    def paragraph(self, position: int) -> ParagraphFormat:
        """Of the paragraph whose mark is at `position`."""
        index = bisect_right(self._starts, position) - 1
        if index < 0 or position >= self._paragraphs[index].end:
            return ParagraphFormat()
        run = self._paragraphs[index]
        own = self._styles.get(run.style, {}) | run.values
        listed = own.get(_LIST, 0)
        return ParagraphFormat(
            in_table=own.get(_IN_TABLE) == 1,
            ends_row=own.get(_ROW_END) == 1,
            list_number=listed if 0 < listed < 0x7FF else 0,
            level=min(own.get(_LEVEL, 0), 8),
        )


def _stands_for_picture(values: Values) -> bool:
    return _PICTURE in values and values.get(_SPECIAL) == 1 and values.get(_IS_DATA) != 1


def _merged(runs: Iterator[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for start, end in sorted(runs):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def _runs(word: bytes, table: bytes, which: int) -> Iterator[_Run]:
    try:
        offset, size = struct.unpack_from("<II", word, which)
        count = (size - 4) // 8
        if size < 12 or offset + size > len(table):
            return
        pages = struct.unpack_from(f"<{count}I", table, offset + 4 * (count + 1))
    except struct.error:
        return
    for page in pages:
        data = word[(page & 0x3FFFFF) * _PAGE :][:_PAGE]
        if len(data) == _PAGE:
            yield from _page_runs(data, paragraphs=which == _PARAGRAPHS)


def _page_runs(data: bytes, *, paragraphs: bool) -> Iterator[_Run]:
    count, entry = data[_PAGE - 1], 13 if paragraphs else 1
    if 4 * (count + 1) + entry * count > _PAGE:
        return
    limits = struct.unpack_from(f"<{count + 1}I", data)
    for number in range(count):
        at = 2 * data[4 * (count + 1) + entry * number]
        style, modifiers = _paragraph_part(data, at) if paragraphs else (0, _character_part(data, at))
        yield _Run(limits[number], limits[number + 1], style, _values(modifiers))


def _character_part(data: bytes, at: int) -> bytes:
    return data[at + 1 : at + 1 + data[at]] if at else b""


def _paragraph_part(data: bytes, at: int) -> tuple[int, bytes]:
    """The style's number and the modifiers."""
    if not at or at + 4 > _PAGE:
        return 0, b""
    start, end = (at + 1, at + 2 * data[at]) if data[at] else (at + 2, at + 2 + 2 * data[at + 1])
    if start + 2 > _PAGE:
        return 0, b""
    return struct.unpack_from("<H", data, start)[0], data[start + 2 : end]


def _values(modifiers: bytes) -> Values:
    """What each modifier sets; of those longer than four bytes the beginning."""
    found: Values = {}
    at = 0
    while at + 2 < len(modifiers):
        (code,) = struct.unpack_from("<H", modifiers, at)
        kind = code >> 13
        size = _SIZES.get(kind, 0)
        if kind == 6 and code in _LONG and at + 3 < len(modifiers):
            size = struct.unpack_from("<H", modifiers, at + 2)[0] + 1
        elif kind == 6:
            size = modifiers[at + 2] + 1
        found[code] = int.from_bytes(modifiers[at + 2 : at + 2 + min(size, 4)], "little")
        at += 2 + max(1, size)
    return found


@dataclass(frozen=True)
class _Style:
    base: int
    values: Values = field(default_factory=dict)


def _styles(word: bytes, table: bytes) -> dict[int, Values]:
    """What each paragraph style sets, with what it is based on."""
    try:
        offset, size = struct.unpack_from("<II", word, _STYLES)
        own = _own_styles(table[offset : offset + size])
    except (struct.error, IndexError):
        return {}
    return {number: _with_base(own, number) for number in own}


def _with_base(own: dict[int, _Style], number: int) -> Values:
    chain: list[Values] = []
    while number in own and len(chain) < _MAX_BASES:
        chain.append(own[number].values)
        number = own[number].base
    found: Values = {}
    for values in reversed(chain):
        found |= values
    return found


def _own_styles(data: bytes) -> dict[int, _Style]:
    header_size, count, base_size = struct.unpack_from("<HHH", data)
    found, at = {}, 2 + header_size
    for number in range(count):
        (size,) = struct.unpack_from("<H", data, at)
        if size:
            style = _style(data[at + 2 : at + 2 + size], base_size)
            if style is not None:
                found[number] = style
        at += 2 + size + size % 2
    return found


def _style(data: bytes, base_size: int) -> _Style | None:
    """None of styles that are not paragraphs'."""
    (kind,) = struct.unpack_from("<H", data, 2)
    if kind & 15 != 1:
        return None
    (length,) = struct.unpack_from("<H", data, base_size)
    at = base_size + 2 + 2 * length + 2
    (size,) = struct.unpack_from("<H", data, at)
    return _Style(kind >> 4, _values(data[at + 4 : at + 2 + size]))
