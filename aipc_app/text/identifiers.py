"""Case and document numbers, titles in 《》, and the identifiers of people, accounts, cars and contracts."""

import re
from collections.abc import Iterator

from aipc_app.text.numbers import NO_UNIT_BEHIND
from aipc_app.text.values import FactKind, Found

_CASE = re.compile(
    r"(?P<prefix>[\u4e00-\u9fff]{0,6})[(\[]\s?(?P<year>(?:19|20)\d\d)\s?[)\]]\s?(?:年度?)?"
    r"(?P<body>(?:[\u4e00-\u9fff]\s?){0,8}(?:\d{1,6}\s?(?:[\u4e00-\u9fff]\s?){1,10})?)"
    r"(?P<number>\d{1,7})\s?号(?P<sub>(?:之[一二三四五六七八九十\d]{1,2})?)"
)
_DOCUMENT_PREFIX = re.compile(r"[\u4e00-\u9fff]{0,4}[发释函令办字复通告规电议纪公报]$")
_TITLE = re.compile(r"《(?P<title>[^《》\n]{1,120})》")
_NESTED_TITLE = re.compile(r"《(?P<title>[^《》\n]{0,60}《[^《》\n]{1,60}》[^《》\n]{0,80})》")
_AMENDMENT = re.compile(r"[(](?:\d{4}|[^()]*(?:修正|修订|施行|试行|版))[^()]*[)]$")
_PLATE = re.compile(
    r"(?P<value>[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼][A-Z][·\s]?"
    r"[A-Z0-9]{4,5}[A-Z0-9挂学警港澳])(?![A-Z0-9])"
)
_TAIL = re.compile(
    r"(?:尾号|末[四4六6]位|ending\s(?:in|with)|last\s(?:four|4)\sdigits)\s?(?:为|是|:|of)?\s?(?P<value>[\dXx]{3,6})(?!\d)"
)
_MASKED = re.compile(r"(?<![A-Za-z0-9*])(?P<value>(?:[A-Z0-9]{1,19}\*{2,}+|\*{4,}+)[A-Z0-9]{2,19})(?![A-Za-z0-9*])")
_SPACED = re.compile(r"(?<![\d.,])(?P<value>\d{4}(?:[\s-]\d{4}){2,5}(?:[\s-]\d{1,3})?)(?![\d]|[\s-]\d)")
_PHONE = re.compile(
    r"(?<![A-Za-z0-9.\-])(?P<value>(?:\+\d{2}|86)[\s-]?1[3-9]\d(?:[\s-]?\d{4}){2}|1[3-9]\d[\s-]\d{4}[\s-]\d{4}|0\d{2,3}-\d{7,8}(?:-\d{1,6})?"
    r"|\(0\d{2,3}\)\s?\d{7,8}|400-?\d{3}-?\d{4})(?![A-Za-z0-9]|-\d)"
    + NO_UNIT_BEHIND
)
_LONG = re.compile(
    r"(?<![A-Za-z0-9.,¥$€£])(?P<value>\d{17}[Xx]|\d{11,40}|0\d{6,10})(?![A-Za-z0-9]|[.,]\d)" + NO_UNIT_BEHIND
)
_MIXED = re.compile(
    r"(?<![A-Za-z0-9.\-/_])(?=[A-Z0-9\-/_]{0,40}\d)(?=[A-Z0-9\-/_]{0,40}[A-Z])"
    r"(?P<value>[A-Z0-9]{1,24}(?:[-/_][A-Z0-9]{1,24}){0,6})(?![A-Za-z0-9_]|[-/][A-Za-z0-9])"
)
_CURRENCY_CODE = re.compile(r"(?:RMB|CNY|USD|EUR|GBP|HKD|JPY|TWD|SGD|AUD|CAD|CHF|US|HK|NT)[\d,]+")


def find_case_numbers(text: str) -> Iterator[Found]:
    """(2021)京0105民初1234号 and 法释〔2020〕17号 in folded text, as one string without spaces, 字 and 第."""
    for match in _CASE.finditer(text):
        body = re.sub(r"\s|字?第?$", "", match["body"])
        kept = _DOCUMENT_PREFIX.search(match["prefix"]) if not body else None
        prefix = kept[0] if kept else ""
        if not prefix and not body:
            continue
        value = f"{prefix}({match['year']}){body}{int(match['number'])}号{match['sub']}"
        yield Found(FactKind.CASE_NUMBER, value, match.end("prefix") - len(prefix), match.end())


def find_titles(text: str) -> Iterator[Found]:
    """Titles between 《》 in folded text, comparable: without 中华人民共和国 in front, spaces, and a version behind."""
    for pattern in (_NESTED_TITLE, _TITLE):
        for match in pattern.finditer(text):
            value = comparable_title(match["title"])
            if value:
                yield Found(FactKind.TITLE, value, *match.span())


def comparable_title(title: str) -> str:
    """A title as it is compared: 中华人民共和国民法典 and 民法典 are the same."""
    bare = re.sub(r"\s", "", title).casefold()
    bare = _AMENDMENT.sub("", bare)
    return bare.removeprefix("中华人民共和国") or bare


def find_identifiers(text: str) -> Iterator[Found]:
    """Identifiers in folded text as upper-case letters and digits; "*1234" where only the end is told."""
    for match in _TAIL.finditer(text):
        yield Found(FactKind.IDENTIFIER, "*" + match["value"].upper(), match.start("value"), match.end("value"))
    for match in _MASKED.finditer(text):
        if any(character.isdigit() for character in match["value"]):
            yield Found(FactKind.IDENTIFIER, re.sub(r"\*+", "*", match["value"]), *match.span())
    for pattern in (_PLATE, _PHONE, _SPACED, _LONG, _MIXED):
        for match in pattern.finditer(text):
            yield from _identifier(match)


def identifiers_compatible(one: str, other: str) -> bool:
    """Whether both can be the same identifier: equal, or alike in all that a masked one shows."""
    if "*" not in one + other:
        return one == other
    if "*" in one and "*" in other:
        length = min(len(one.rpartition("*")[2]), len(other.rpartition("*")[2]))
        return length > 0 and one[-length:] == other[-length:]
    masked, whole = (one, other) if "*" in one else (other, one)
    shown, _, tail = masked.partition("*")
    return len(shown) + len(tail) <= len(whole) and whole.startswith(shown) and whole.endswith(tail)


def _identifier(match: re.Match[str]) -> Iterator[Found]:
    value = re.sub(r"[^0-9A-Z\u4e00-\u9fff]", "", match["value"].upper())
    digits = sum(character.isdigit() for character in value)
    if match.re is _MIXED and (digits < 3 or len(value) < 5 or _CURRENCY_CODE.fullmatch(match["value"])):
        return
    yield Found(FactKind.IDENTIFIER, value, *match.span("value"))
