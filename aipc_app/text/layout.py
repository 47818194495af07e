"""Lines of a page: which are rows, headings or list items, and which break is only where a line was full."""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from itertools import pairwise

_ROW = re.compile(r"\t| \| |^\s*\|")
_LIST_ITEM = re.compile(
    r"\s*(?:[-*+•·●○■□▪◆◇※➢–—]\s|[①-⑳⑴-⒇⒈-⒛㈠-㈩]|#{1,6}\s|>\s"
    r"|[(（]?(?:\d{1,3}|[一二三四五六七八九十百]{1,4}|[ivxIVX]{1,5}|[a-zA-Z])[)）]"
    r"|\d{1,3}(?:\.\d{1,3}){0,4}\.?[\s、．]|\d{1,3}[、．]|[一二三四五六七八九十百]{1,4}[、．]"
    r"|第\s?[一二三四五六七八九十百千零〇\d]{1,9}\s?(?:[条章节编]|部分)"
    r"|(?:Article|Section|Chapter|Part|Clause|Schedule)\s[\dIVX]+)"
)
_LABEL = re.compile(r"\s*[^\s：:，,。.；;]{1,12}\s?[：:]")
_CONTINUING_END = re.compile(r"[，,、（(《“\-—]$|(?<=[a-z])\s?(?:of|the|and|or|to|in|by|for|with|an?)$")
_ENDED = re.compile(r"[。！？；][”’」』）》)]?$")
_SPLIT_DATE = re.compile(r"[\d年月〇零一二三四五六七八九十]$")
_DATE_GOES_ON = re.compile(r"\d{0,4}[年月日]|[一二三四五六七八九十〇]{1,4}[年月日]")
# No printed page is set wider than this, in columns; longer lines are paragraphs.
_WIDEST_PRINTED = 190
_NARROWEST_PRINTED = 28
_NEIGHBOURS = 6
# Columns are counted, not measured: letters of different breadth make a full line look shorter.
_RAGGED = 0.93
_ALIKE = 0.88
_FIRST_WORD = re.compile(r"[!-~]+")


def display_width(text: str) -> int:
    """Columns a text takes, with wide characters as two."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(character) in "WFA" else 1 for character in text)


def is_row(line: str) -> bool:
    """Whether a line is a row of a table: it has a tab, or bars between or before its cells."""
    return _ROW.search(line) is not None


def starts_item(line: str) -> bool:
    """Whether a line starts something of its own: a list item, an article, a Markdown heading."""
    return _LIST_ITEM.match(line) is not None


def soft_breaks(text: str) -> frozenset[int]:
    """Indexes of the line breaks that stand inside a paragraph, where the printed line was merely full."""
    lines = text.split("\n")
    if len(lines) < 2:
        return frozenset()
    widths = [display_width(line.rstrip()) for line in lines]
    soft, at = set(), -1
    for index, (line, following) in enumerate(pairwise(lines)):
        at += len(line) + 1
        if _goes_on(line.rstrip(), following.strip(), widths, index):
            soft.add(at)
    return frozenset(soft)


def _goes_on(line: str, following: str, widths: list[int], index: int) -> bool:
    if not line or not following or is_row(line) or is_row(following):
        return False
    if starts_item(following) or line.lstrip().startswith("#") or _ENDED.search(line):
        return False
    if _SPLIT_DATE.search(line) and _DATE_GOES_ON.match(following):
        return True
    if _LABEL.match(following) or line.endswith(("：", ":")):
        return False
    if _CONTINUING_END.search(line):
        return True
    return _is_full(following, widths, index)


def _measure(nearby: list[int]) -> int:
    """The width that most of the lines around reach; a title is shorter, and now and then two lines come as one."""
    ordered = sorted(width for width in nearby if width >= _NARROWEST_PRINTED)
    alike = ((bisect_right(ordered, width) - bisect_left(ordered, width * _ALIKE), width) for width in ordered)
    return max(alike, default=(0, 0))[1]


def _is_full(following: str, widths: list[int], index: int) -> bool:
    """Whether the first word of the next line would not have fitted on this one."""
    measure = _measure(widths[max(0, index - _NEIGHBOURS) : index + _NEIGHBOURS + 1])
    if not _NARROWEST_PRINTED <= measure <= _WIDEST_PRINTED:
        return False
    if following[0].isascii() and following[0].islower():
        return widths[index] > measure // 2
    first = _FIRST_WORD.match(following)
    needed = 1 + len(first[0]) if first else 2
    return widths[index] + needed > measure * _RAGGED
