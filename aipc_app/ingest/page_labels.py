"""The page number as it is printed, and the volume it counts in: 第3页, 卷二 第15页, - 3 -, Page 3 of 10."""

from __future__ import annotations

import re

from msgspec import Struct

from aipc_app.text.numbers import parse_number

_LONGEST = 48
_ZH = "一二三四五六七八九十百零〇两"
_NUMBER = rf"(?:\d{{1,5}}|[{_ZH}]{{1,6}})"
_PAGE = (
    re.compile(rf"第\s*(?P<number>{_NUMBER})\s*[页頁](?!\s*[（(]?\s*第)"),
    re.compile(r"(?:^|[\s|·:：])(?:page|pg\.?|p\.)\s*(?P<number>\d{1,5}|[ivxlc]{1,7})\b", re.IGNORECASE),
    re.compile(rf"(?:[页頁][码碼次]?|页)\s*[：:]\s*(?P<number>{_NUMBER})"),
    re.compile(r"^\s*[-–—·]{1,2}\s*(?P<number>\d{1,5})\s*[-–—·]{1,2}\s*$"),
    re.compile(r"^\s*(?P<number>\d{1,4})\s*/\s*\d{1,4}\s*$"),
    re.compile(rf"^\s*(?P<number>{_NUMBER})\s*[页頁]\s*$"),
)
_VOLUME = (
    re.compile(rf"(?P<volume>第\s*(?:{_NUMBER})\s*[卷册冊])"),
    re.compile(rf"(?P<volume>(?:[正副]?卷|案卷|卷宗)\s*(?:[{_ZH}]{{1,4}}|\d{{1,3}})(?![\d{_ZH}页頁年]))"),
    re.compile(r"(?P<volume>[正副]卷)"),
    re.compile(r"\b(?P<volume>vol(?:ume|\.)?\s*(?:\d{1,3}|[IVX]{1,5}))\b", re.IGNORECASE),
)
_TOTAL = re.compile(rf"[共总總]\s*{_NUMBER}\s*[页頁]|\bof\s+\d{{1,5}}", re.IGNORECASE)
_SENTENCE = re.compile("[。，；！？]")
_SPACES = re.compile(r"[\s\u3000]+")
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_ROMAN_FORM = re.compile(r"(?:x[cl]|l?x{0,3})(?:i[xv]|v?i{0,3})", re.IGNORECASE)


class Label(Struct, frozen=True):
    """As printed: the number of the page, and the volume where one is named; "" for what isn't printed."""

    number: str = ""
    volume: str = ""

    @property
    def text(self) -> str:
        """Both, as a citation shows them."""
        return " ".join(part for part in (self.volume, self.number) if part)


def label_of(line: str) -> tuple[Label, bool]:
    """The label that a line at a page's edge seems to print, and whether the line has nothing else on it."""
    if len(line.strip()) > _LONGEST or _SENTENCE.search(line):
        return Label(), False
    match = next((found for pattern in _PAGE if (found := pattern.search(line))), None)
    volume = next((found for pattern in _VOLUME if (found := pattern.search(line))), None)
    rest = line
    for found in (match, volume):
        if found is not None:
            rest = rest.replace(found[0], " ")
    label = Label(
        "" if match is None else _digits(match["number"]),
        "" if volume is None else _SPACES.sub("", volume["volume"]),
    )
    alone = bool(label.text) and not any(character.isalpha() for character in _TOTAL.sub("", rest))
    return label, alone


def roman_value(written: str) -> int | None:
    """The value of a small Roman numeral up to 99; None if it is none."""
    if not written or not _ROMAN_FORM.fullmatch(written):
        return None
    values = [_ROMAN[letter] for letter in written.lower()]
    following = [*values[1:], 0]
    return sum(-value if value < after else value for value, after in zip(values, following, strict=True))


def _digits(number: str) -> str:
    value = None if number.isascii() else parse_number(number)
    return number if value is None else str(int(value))
