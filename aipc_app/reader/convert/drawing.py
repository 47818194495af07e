"""What a drawing of Windows says: its words put together as lines, its bitmaps as they are."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

MOST_PICTURES = 20  # of one drawing: each may be recognised, and the drawing counts as one picture
_SAME_LINE, _GAP = 0.6, 0.35  # of a character's width
_SAYS = re.compile(r"[^\W\d_]{3}|[\u3400-\u9fff]{2}|\d{4}")  # a formula's letters apart say nothing


@dataclass(frozen=True)
class Word:
    """Characters written at one place; `end` where they end, `width` of one of them, both 0 where it isn't told."""

    text: str
    x: float
    y: float
    end: float = 0.0
    width: float = 0.0


@dataclass
class Drawing:
    """In the order of drawing; `pictures` as files of their own. `unread`: there are glyphs whose text isn't known."""

    words: list[Word] = field(default_factory=list)
    pictures: list[bytes] = field(default_factory=list)
    unread: bool = False

    @property
    def text(self) -> str:
        """Its lines; "" where they say nothing."""
        found = "\n".join(lines(self.words))
        return found if _SAYS.search(found) else ""


def lines(words: Sequence[Word]) -> Iterator[str]:
    """Words that follow each other on one height are one line."""
    line = ""
    before: Word | None = None
    for word in words:
        text = "".join(char for char in word.text if char.isspace() or unicodedata.category(char)[0] != "C")
        if not text.strip():
            continue
        if before is None or not _continues(before, word):
            yield from [line.strip()] * bool(line.strip())
            line = ""
        line += (" " if line and before is not None and _apart(before, word) else "") + text
        before = word
    yield from [line.strip()] * bool(line.strip())


def _continues(before: Word, word: Word) -> bool:
    width = max(before.width, word.width)
    return abs(word.y - before.y) <= _SAME_LINE * width and word.x >= (before.end or before.x) - width


def _apart(before: Word, word: Word) -> bool:
    return not before.end or word.x - before.end > _GAP * max(before.width, word.width)
