"""Chinese names in Latin letters: does a romanised name that an English sentence uses stand in a Chinese text?"""

from __future__ import annotations

import itertools
import re
from functools import cache, lru_cache

from msgspec import Struct

from aipc_app.text.normalise import settled

_HAN_RUN = re.compile(r"[\u3400-\u9fff]+")
_MOST_PARTS = 4
# Capitalised English words that can also be read as two or more syllables of pinyin.
_ENGLISH_WORDS = frozenset((
    "angle", "bike", "cake", "change", "china", "chinese", "code", "danger", "date", "dates", "due", "fate", "fee",
    "female", "fine", "game", "gate", "gauge", "gender", "guide", "hanger", "hence", "hope", "june", "lake", "lane",
    "late", "like", "line", "make", "male", "manager", "mate", "memo", "mine", "mode", "name", "nine", "note",
    "page", "pine", "rate", "renminbi", "sale", "same", "see", "site", "sue", "take", "time", "tune", "vote",
    "wage", "wages", "wine", "woman", "women", "yuan",
))  # fmt: skip


class Syllables(Struct, frozen=True):
    """A text's Han characters as pinyin in one string, and where a syllable begins or ends in it."""

    letters: str
    borders: frozenset[int]


@lru_cache(maxsize=4)  # an answer's sentences are checked against the same material; 0.4 s for 30,000 characters
def romanise(text: str) -> Syllables:
    """The text's Han runs as pinyin without tones; ü is u. Runs are kept apart by a blank."""
    from pypinyin import lazy_pinyin

    letters, borders = "", {0}
    for run in _HAN_RUN.findall(settled(text)):
        for syllable in lazy_pinyin(run):
            letters += _plain(syllable)
            borders.add(len(letters))
        letters += " "
        borders.add(len(letters))
    return Syllables(letters, frozenset(borders))


def unknown_name(name: str, material: Syllables) -> str | None:
    """The romanised part of a name that the material hasn't, in whichever order its parts are; None if it has all.

    Words that are no pinyin (Province, Court) are not looked at: they are translations.
    """
    for parts in _romanised_runs(name):
        if not any(_stands("".join(order), material) for order in itertools.permutations(parts)):
            return " ".join(parts)
    return None


def _romanised_runs(name: str) -> list[tuple[str, ...]]:
    words = re.findall(r"[A-Za-z][A-Za-z'’-]*", name)
    runs: list[tuple[str, ...]] = []
    for is_pinyin, group in itertools.groupby(words, _is_pinyin):
        parts = tuple(group)[:_MOST_PARTS]
        if is_pinyin and sum(_count(part) for part in parts) >= 2 and not _all_english(parts):
            runs.append(parts)
    return runs


def _all_english(parts: tuple[str, ...]) -> bool:
    return all(part.lower() in _ENGLISH_WORDS for part in parts)


def _stands(letters: str, material: Syllables) -> bool:
    wanted, at = _plain(letters), -1
    while (at := material.letters.find(wanted, at + 1)) >= 0:
        if at in material.borders and at + len(wanted) in material.borders:
            return True
    return False


def _plain(word: str) -> str:
    return re.sub(r"['’-]", "", word).lower().replace("ü", "u").replace("lv", "lu").replace("nv", "nu")


def _is_pinyin(word: str) -> bool:
    return _count(word) > 0


@cache
def _count(word: str) -> int:
    """The least number of syllables that make up the word; 0 when it is no pinyin."""
    letters = _plain(word)
    least = [0] + [0] * len(letters)
    for end in range(1, len(letters) + 1):
        ways = [
            least[start] + 1
            for start in range(max(0, end - 6), end)
            if (start == 0 or least[start]) and letters[start:end] in _syllables()
        ]
        least[end] = min(ways, default=0)
    return least[-1]


@cache
def _syllables() -> frozenset[str]:
    from pypinyin.constants import PINYIN_DICT
    from pypinyin.contrib.tone_convert import to_normal

    readings = {one for value in PINYIN_DICT.values() for one in value.split(",")}
    plain = {_plain(to_normal(reading)) for reading in readings}
    return frozenset(one for one in plain if any(vowel in one for vowel in "aeiou") and one not in ("o", "lo", "yo"))
