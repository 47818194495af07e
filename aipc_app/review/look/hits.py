"""What is found word for word, and the stretches of a page it is made of. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from aipc_app.answer.units import Unit, Units
from aipc_app.text.layout import soft_breaks

_SPACE = re.compile(r"(?<=\S)\s*\n\s*(?=\S)")
_DECORATION = re.compile(r"^[\s#*>\-—]+|[\s*—]+$")
_MOST_IN_PARAGRAPH = 8


class Hit(Struct, frozen=True):
    """`text` as shown, `start` to `end` of the source's page as its quote."""

    source: int
    start: int
    end: int
    text: str


class Looked(Struct, frozen=True, kw_only=True):
    """`hits` are lines, or `rows` a table under `head`; `several`: figures that differ, so that none was chosen."""

    hits: tuple[Hit, ...] = ()
    rows: tuple[tuple[Hit, ...], ...] = ()
    several: bool = False

    def __bool__(self) -> bool:
        return bool(self.hits or self.rows)


NOTHING = Looked()


def hit_of(unit: Unit, text: str | None = None) -> Hit:
    """The unit as a hit, `text` in the place of its own as what is shown."""
    shown = _SPACE.sub(_joint, unit.text if text is None else text)
    return Hit(unit.source, unit.start, unit.end, _DECORATION.sub("", shown))


def span_of(units: Units, first: Unit, last: Unit) -> Hit:
    """All from one unit to another of the same page."""
    page = units.sources[first.source].page_text
    text = _SPACE.sub(_joint, page[first.start : last.end])
    return Hit(first.source, first.start, last.end, _DECORATION.sub("", text))


def paragraph(units: Units, index: int) -> Hit:
    """The unit with the sentences that follow it in its paragraph."""
    first = last = units.items[index]
    page = units.sources[first.source].page_text
    soft = soft_breaks(page)
    for unit in units.items[index + 1 : index + 1 + _MOST_IN_PARAGRAPH]:
        gap = range(last.end, unit.start)
        if unit.source != first.source or any(page[at] == "\n" and at not in soft for at in gap):
            break
        last = unit
    return span_of(units, first, last)


def _joint(space: re.Match[str]) -> str:
    """A line break between Chinese characters is none."""
    text, (start, end) = space.string, space.span()
    return "" if not text[start - 1 : start].isascii() and not text[end : end + 1].isascii() else " "


def document_of(units: Units, unit: Unit) -> int:
    return units.sources[unit.source].document_id


def has_any(text: str, words: Sequence[str]) -> bool:
    return any(word in text for word in words)


def undecorated(text: str) -> str:
    """Without the marks of a heading, a quote or emphasis around it."""
    return _DECORATION.sub("", text)
