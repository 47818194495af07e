"""Is this page's text what a person would read on it? Pure statistics, cheap enough for every page."""

from __future__ import annotations

import unicodedata
from collections import Counter

MIN_CHARACTERS = 12  # fewer say nothing about a page
UNREADABLE_SHARE = 0.3
LATIN1_SHARE = 0.5  # French and Vietnamese stay far below

# Fonts of one Chinese typesetting system put Latin letters from U+7283 on: ISSN comes out as 犐犛犛犖.
# Ideographs of that range that Chinese text really uses are left out.
_IN_USE = frozenset("犊犒犟犬犯状犷犸犹狂狄狈狍狎狐狗狙狞狡狮")
_SHIFTED_LATIN = frozenset(map(chr, range(0x7283, 0x72D8))) - _IN_USE
_REPLACEMENT = "\ufffd"


def is_garbled(text: str, lost: int = 0) -> bool:
    """True when most likely no one can read `text`; `lost` counts glyphs that gave no character at all."""
    counts = Counter(text)
    total = lost + sum(n for char, n in counts.items() if not char.isspace())
    unreadable = lost + sum(n for char, n in counts.items() if _unreadable(char))
    if total < MIN_CHARACTERS:
        return unreadable > 0 and unreadable == total
    latin1 = sum(n for char, n in counts.items() if "\u00a1" <= char <= "\u00ff")
    return unreadable >= UNREADABLE_SHARE * total or latin1 >= LATIN1_SHARE * total


def _unreadable(char: str) -> bool:
    return char in _SHIFTED_LATIN or char == _REPLACEMENT or unicodedata.category(char) in ("Co", "Cn", "Cs")
