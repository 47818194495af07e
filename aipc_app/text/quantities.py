"""Every numeral that is left once dates, articles and identifiers are taken, with what it counts."""

import re
from collections.abc import Iterator
from decimal import Decimal

import msgspec

from aipc_app.text.amounts import read_money
from aipc_app.text.durations import read_duration
from aipc_app.text.numbers import ABOUT, CHINESE, COLLOQUIAL, MIXED, SCALED, WORDS, ZH_NUMERAL, parse_number
from aipc_app.text.percentages import read_multiple, read_percent
from aipc_app.text.values import FactKind, Found, Quantity

_NUMERAL = re.compile(
    rf"(?:(?P<minus>-)(?=\d)|(?P<negative>负)\s?(?=[\d{ZH_NUMERAL}]))?"
    rf"(?:(?<![A-Za-z\d.])(?<![A-Za-z]-)(?P<arabic>{ABOUT}|{COLLOQUIAL}|{SCALED}|{MIXED})(?!\.\d|[¼-¾⅐-⅞])"
    rf"|(?<![{ZH_NUMERAL}])(?P<chinese>{ABOUT}|{CHINESE})"
    rf"|\b(?P<words>{WORDS}))",
    re.IGNORECASE,
)
_RANGE = re.compile(r"\s?(?:至|到|~|-{1,2}|to)\s?", re.IGNORECASE)
_SAID_TWICE = re.compile(r"\s?[(]\s?")
_MEASURE = re.compile(r"\s?(?:周岁|[个名位份次笔张套台辆栋幢间项件宗户口人岁家页期层条款处批组类种])(?!之)")
_LARGE = re.compile(r"[万亿]{1,2}$")
_SMALLEST_SPELLED = 13


class _Numeral(msgspec.Struct, frozen=True):
    value: Decimal
    start: int
    end: int
    negative: bool
    text: str
    style: str


def find_quantities(text: str) -> Iterator[Found]:
    """Numbers, counts, amounts, durations, percentages, rates and multiples in folded text.

    In 3至5年 and 50-60万元 the first figure gets the unit and the scale of the second.
    """
    numerals = list(_numerals(text))
    readings: list[Found | None] = []
    previous_end = -1
    for numeral in numerals:
        if numeral.negative and text[numeral.start] == "-" and previous_end == numeral.start:
            numeral = msgspec.structs.replace(numeral, value=-numeral.value, start=numeral.start + 1, negative=False)
        reading = _read(text, numeral, previous_end)
        readings.append(reading)
        previous_end = reading.end if reading else numeral.end
    for index, numeral in enumerate(numerals):
        following = numerals[index + 1] if index + 1 < len(numerals) else None
        found = _inherited(text, numeral, readings[index], following, readings[index + 1]) if following else None
        kept = found or readings[index]
        if kept is not None:
            yield kept


def _numerals(text: str) -> Iterator[_Numeral]:
    for match in _NUMERAL.finditer(text):
        style = match.lastgroup or "arabic"
        written = match[style]
        value = parse_number(re.sub("[余多]", "", written))
        if value is None:
            continue
        before = text[match.start() - 1 : match.start()]
        joined = bool(before) and before.isascii() and (before.isalnum() or before in ")]%")
        negative = bool(match["negative"] or (match["minus"] and not joined))
        start = match.start() if negative else match.start(style)
        yield _Numeral(-value if negative else value, start, match.end(), negative, written, style)


def _read(text: str, numeral: _Numeral, taken: int) -> Found | None:
    """What the numeral counts, by what stands beside it; None if it is no figure at all (张三, 一方)."""
    value, start, end = numeral.value, numeral.start, numeral.end
    bracketed = text[start - 1 : start] == "(" and text[end : end + 1] == ")"
    if bracketed and taken > 0 and not text[taken : start - 1].strip():
        beyond = _read_unit(text, numeral, end + 1, taken)
        if beyond is not None:
            return beyond
    return _read_unit(text, numeral, end, taken) or _bare(text, numeral, value, start, end)


def _read_unit(text: str, numeral: _Numeral, end: int, taken: int) -> Found | None:
    value, start = numeral.value, numeral.start
    about = bool(re.search("[余多]", numeral.text))
    ratio = read_percent(text, value, start, end) or read_multiple(text, value, end)
    if ratio is not None:
        return Found(ratio.kind, ratio.value, start, ratio.end)
    money = read_money(text, start, end, taken)
    if money is not None:
        amount = Quantity(value * money.scale + money.cents, money.currency, about)
        return Found(FactKind.AMOUNT, amount, money.start, money.end)
    duration = read_duration(text, value, end)
    if duration is not None:
        return Found(FactKind.DURATION, Quantity(duration.amount, duration.unit, about), start, duration.end)
    return None


def _bare(text: str, numeral: _Numeral, value: Decimal, start: int, end: int) -> Found | None:
    if text[start - 1 : start] == "第":
        return None
    about = bool(re.search("[余多]", numeral.text))
    measure = _MEASURE.match(text, end)
    single = numeral.style == "chinese" and len(numeral.text) == 1
    if value == 1 and (single or numeral.style == "words"):
        return None
    if measure is not None:
        return Found(FactKind.COUNT, Quantity(value, "", about), start, measure.end())
    if numeral.style == "words" and value < _SMALLEST_SPELLED:
        return Found(FactKind.COUNT, Quantity(value), start, end)
    if single:
        return None
    return Found(FactKind.NUMBER, Quantity(value, "", about), start, end)


def _inherited(
    text: str, numeral: _Numeral, reading: Found | None, following: _Numeral, unit: Found | None
) -> Found | None:
    """The reading that the first figure of a range takes over from the second, or None."""
    if unit is None or unit.kind in (FactKind.NUMBER,) or not isinstance(unit.value, Quantity):
        return None
    if reading is not None and reading.kind is not FactKind.NUMBER:
        return None
    gap = text[numeral.end : following.start]
    if _SAID_TWICE.fullmatch(gap) and numeral.value == following.value:
        return Found(unit.kind, unit.value, numeral.start, numeral.end)
    if not _RANGE.fullmatch(gap) or not following.value:
        return None
    scale = _LARGE.search(following.text)
    factor = parse_number("一" + scale[0]) if scale and not _LARGE.search(numeral.text) else None
    ratio = unit.value.amount / following.value
    amount = numeral.value * ratio * (factor or 1)
    return Found(unit.kind, Quantity(amount, unit.value.unit), numeral.start, numeral.end)
