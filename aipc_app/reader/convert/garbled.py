"""Is this page's text what a person would read on it? Pure statistics, cheap enough for every page."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

MIN_CHARACTERS = 12  # fewer say nothing about a page
UNREADABLE_SHARE = 0.3
LATIN1_SHARE = 0.5  # French and Vietnamese stay far below
MIN_PRIVATE, PRIVATE_SHARE = 4, 0.01  # characters in runs of private use

# Fonts of one Chinese typesetting system put Latin letters from U+7283 on: ISSN comes out as 犐犛犛犖.
# Ideographs of that range that Chinese text really uses are left out.
_IN_USE = frozenset("犊犒犟犬犯状犷犸犹狂狄狈狍狎狐狗狙狞狡狮")
_SHIFTED_LATIN = frozenset(map(chr, range(0x7283, 0x72D8))) - _IN_USE
_REPLACEMENT = "\ufffd"
# Without U+F000-F0FF, where symbol fonts put their bullets, brackets and check marks.
_PRIVATE_RUN = re.compile("[\ue000-\uefff\uf100-\uf8ff\U000f0000-\U0010fffd]{3,}")


def is_garbled(text: str, lost: int = 0) -> bool:
    """True when most likely no one can read `text`; `lost` counts glyphs that gave no character at all."""
    counts = Counter(text)
    total = lost + sum(n for char, n in counts.items() if not char.isspace())
    unreadable = lost + sum(n for char, n in counts.items() if _unreadable(char))
    if total < MIN_CHARACTERS:
        return unreadable > 0 and unreadable == total
    latin1 = sum(n for char, n in counts.items() if "\u00a1" <= char <= "\u00ff")
    return unreadable >= UNREADABLE_SHARE * total or latin1 >= LATIN1_SHARE * total


def has_private_runs(text: str) -> bool:
    """Words in characters that only one font knows. Single ones are rare names and bullets, which stay."""
    runs = [run for run in _PRIVATE_RUN.findall(text) if len(set(run)) > 1]
    return sum(map(len, runs)) >= max(MIN_PRIVATE, PRIVATE_SHARE * len(text))


def _unreadable(char: str) -> bool:
    return char in _SHIFTED_LATIN or char == _REPLACEMENT or unicodedata.category(char) in ("Co", "Cn", "Cs")
