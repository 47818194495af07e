"""Text made comparable: widths, scripts, case, quotes and spacing, with a way back to the original.

`fold` changes characters only, so that facts and tokens can still see the spacing; `normalise` also
settles whitespace, which makes a quote comparable with a page whose lines break elsewhere.
"""

import re
import unicodedata
from functools import cache
from itertools import chain, repeat

import msgspec

from aipc_app.text.radicals import IDEOGRAPH_OF_RADICAL

_UNIFIED = {
    **dict.fromkeys("“”„‟«»「」『』﹁﹂﹃﹄〝〞＂", '"'),
    **dict.fromkeys("‘’‚‛＇′", "'"),
    **dict.fromkeys("—–―‒‑‐−－﹣⁃", "-"),
    **dict.fromkeys("～〜∼˜", "~"),
    **dict.fromkeys("【［", "["),
    **dict.fromkeys("】］", "]"),
    **dict.fromkeys("〔﹝", "("),
    **dict.fromkeys("〕﹞", ")"),
    **dict.fromkeys("〈＜﹤", "<"),
    **dict.fromkeys("〉＞﹥", ">"),
    **dict.fromkeys("‧・•", "·"),
    "，": "，",  # `fold` keeps it: 50，100 is a list more often than a figure
    "﹑": "、",
    "｡": "。",
    "￥": "¥",
}
_INVISIBLE = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff\u200e\u200f\u202a\u202b\u202c\u202d\u202e")
# An enumerator glued to a figure ("①500元") must not become a digit of it.
_KEPT_FORMS = ("<super>", "<sub>", "<fraction>", "<circle>")
_CJK_BLOCKS = ((0x3400, 0x4DC0), (0x4E00, 0xA000), (0xF900, 0xFB00), (0x20000, 0x2EBF0))
_CJK = "\u2e80-\u2fdf\u3001-\u303f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002fa1f"
# Half-width forms of marks that stand without spaces in Chinese text.
_CLINGING = frozenset(",:;()[]\"!?<>|")
_SPACE = re.compile(r"\s+")
_IS_CJK = re.compile(f"[{_CJK}]")


class Normalised(msgspec.Struct, frozen=True):
    """Comparable text and, for each of its characters, the index of the original code point it came from."""

    text: str
    offsets: tuple[int, ...]

    def to_original(self, start: int, end: int) -> tuple[int, int]:
        """The half-open original range behind the half-open normalised one; ValueError if out of bounds."""
        if not 0 <= start <= end <= len(self.text):
            raise ValueError(f"range {start}:{end} is outside a text of {len(self.text)} characters")
        if start == end:
            at = self.offsets[start] if start < len(self.offsets) else (self.offsets[-1] + 1 if end else 0)
            return at, at
        return self.offsets[start], self.offsets[end - 1] + 1


class _FoldTable(dict[str, str]):
    """Original character to its comparable form, filled as characters are met."""

    def __missing__(self, character: str) -> str:
        folded = _fold_character(character)
        self[character] = folded
        return folded


_KEEPING_CASE = _FoldTable()


def fold(text: str) -> Normalised:
    """Widths, scripts, quotes and dashes unified, marks and invisible characters dropped; case and spacing kept."""
    table = _KEEPING_CASE
    parts = [table[character] for character in text]
    folded = "".join(parts)
    if len(folded) == len(parts) and all(parts):
        return Normalised(folded, tuple(range(len(parts))))
    offsets = chain.from_iterable(
        repeat(index, len(part)) for index, part in enumerate(parts) if part
    )
    return Normalised(folded, tuple(offsets))


def normalise(text: str) -> Normalised:
    """`fold`, then case folded and whitespace dropped beside CJK characters and collapsed elsewhere.

    A hyphen that ends a line between two Latin letters is dropped with its line break.
    """
    return _settle_spaces(_fold_case(fold(text)))


def settled(text: str) -> str:
    """The text of `normalise` with case kept, in which identifiers can still be told from words."""
    return _settle_spaces(fold(text)).text


def comparable(text: str) -> str:
    """The text of `normalise`, for comparing where no offsets are needed."""
    return normalise(text).text


def is_cjk(character: str) -> bool:
    """Whether the character is a CJK ideograph, radical or CJK punctuation mark."""
    return _IS_CJK.match(character) is not None


def _fold_case(folded: Normalised) -> Normalised:
    lowered = folded.text.replace("，", ",").casefold()
    if len(lowered) == len(folded.text):
        return Normalised(lowered, folded.offsets)
    parts = [character.replace("，", ",").casefold() for character in folded.text]
    offsets = chain.from_iterable(
        repeat(offset, len(part)) for offset, part in zip(folded.offsets, parts, strict=True)
    )
    return Normalised("".join(parts), tuple(offsets))


def _settle_spaces(folded: Normalised) -> Normalised:
    text, offsets = folded.text, folded.offsets
    kept_text: list[str] = []
    kept_offsets: list[tuple[int, ...]] = []
    at = 0
    for space in _SPACE.finditer(text):
        start, end = space.span()
        replacement, drop_before = _space_between(text, start, end)
        kept_text.append(text[at : start - drop_before] + replacement)
        kept_offsets.append(offsets[at : start - drop_before] + offsets[start : start + len(replacement)])
        at = end
    if not kept_text:
        return folded
    kept_text.append(text[at:])
    kept_offsets.append(offsets[at:])
    return Normalised("".join(kept_text), tuple(chain.from_iterable(kept_offsets)))


def _space_between(text: str, start: int, end: int) -> tuple[str, int]:
    """What a run of whitespace becomes, and how many characters before it go with it (a line-end hyphen)."""
    if start == 0 or end == len(text):
        return "", 0
    before, after = text[start - 1], text[end]
    if is_cjk(before) or is_cjk(after):
        return "", 0
    if _clings(before, text[start - 2 : start - 1], after) or (after in _CLINGING and not before.isalnum()):
        return "", 0
    hyphenated = before == "-" and "\n" in text[start:end] and start > 1
    if hyphenated and text[start - 2].isalpha() and after.isalpha() and after.islower():
        return "", 1
    return " ", 0


def _clings(mark: str, before: str, after: str) -> bool:
    """Whether no space belongs behind the mark: in 100, 200 and in English prose it does."""
    return mark in _CLINGING and (not after.isalnum() or is_cjk(before or " "))


def _fold_character(character: str) -> str:
    if character in _UNIFIED:
        return _UNIFIED[character]
    if character in _INVISIBLE or "\u0300" <= character <= "\u036f":
        return ""
    if character.isspace():
        return character if character in "\n\t" else ("\n" if character in "\u2028\u2029\x85\r\x0b\x0c" else " ")
    character = IDEOGRAPH_OF_RADICAL.get(character, character)
    simplified = _simplified().get(character)
    if simplified is not None:
        return simplified
    return _compatible_form(character)


def _compatible_form(character: str) -> str:
    decomposed = unicodedata.decomposition(character)
    if decomposed.startswith(_KEPT_FORMS) or "\u2488" <= character <= "\u249b":
        return character
    if not decomposed:
        return character if unicodedata.category(character) != "Cc" else ""
    points = [chr(int(point, 16)) for point in decomposed.split() if not point.startswith("<")]
    return "".join(_KEEPING_CASE[point] for point in points)


@cache
def _simplified() -> dict[str, str]:
    """Traditional character to simplified, by OpenCC's single-character table (t2s)."""
    import opencc

    characters = [chr(point) for first, last in _CJK_BLOCKS for point in range(first, last)]
    canonical = [unicodedata.normalize("NFC", character) for character in characters]
    converted = opencc.OpenCC("t2s").convert("\n".join(canonical)).split("\n")
    pairs = zip(characters, converted, strict=True)
    return {before: after for before, after in pairs if before != after}
