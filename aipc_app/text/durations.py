"""Lengths of time: 15天 is 15日, 半年 is six months, 两年零三个月 is 27 months; working days stay apart."""

import re
from collections.abc import Iterator
from decimal import Decimal

import msgspec

from aipc_app.text.numbers import CHINESE, MIXED, WORDS, parse_number
from aipc_app.text.values import FactKind, Found, Quantity

_FORMS = (
    ("business day", 1, r"个?工作日|个?交易日|(?:business|working|trading)\sdays?"),
    ("month", 12, r"周?年(?!第|度报|级|利|息|化)|years?"),
    ("month", 3, r"个?季度|quarters?"),
    ("month", 1, r"个月|months?|月(?=以[内上下])"),
    ("day", 7, r"个?星期|周(?!岁|年|边|转)|个?礼拜|weeks?"),
    ("day", 1, r"天|日(?!元|圆|利|息|币|均)|(?:calendar\s)?days?"),
    ("hour", 1, r"个?小时|个?钟头|hours?"),
    ("minute", 1, r"分钟|minutes?"),
    ("second", 1, r"秒钟?|seconds?"),
)
_UNITS = tuple(
    (unit, scale, re.compile(rf"[\s-]?(?:{forms})(?![a-z])", re.IGNORECASE)) for unit, scale, forms in _FORMS
)
_HALF = re.compile(r"\s?半(?!数|价|额|年|个)", re.IGNORECASE)
_HALF_BEFORE_UNIT = re.compile(r"\s?个半(?=月|小时|钟头|星期)|\sand\sa\shalf(?=\s)", re.IGNORECASE)
_HALF_ALONE = re.compile(
    r"(?<![一二两三四五六七八九十\d个])(?:半(?:年(?!度)|个(?P<month>月))|\bhalf\sa\syear\b)", re.IGNORECASE
)
_NEXT = re.compile(rf"(?:\s?[零又,]\s?|,?\sand\s|\s)?(?P<number>{MIXED}|{CHINESE}|{WORDS})", re.IGNORECASE)


class Duration(msgspec.Struct, frozen=True):
    """A length of time read behind a numeral, in `unit`, and where it ends."""

    amount: Decimal
    unit: str
    end: int


def read_duration(text: str, value: Decimal, end: int) -> Duration | None:
    """The duration whose numeral, worth `value`, ends at `end` of folded text; None if no unit of time follows."""
    first = _read_one(text, value, end)
    if first is None or first.unit != "month":
        return first
    following = _NEXT.match(text, first.end)
    number = parse_number(following["number"]) if following else None
    if following is None or number is None:
        return first
    second = _read_one(text, number, following.end())
    if second is None or second.unit != "month" or second.amount >= 12 or first.amount < 12:
        return first
    return Duration(first.amount + second.amount, "month", second.end)


def half_durations(text: str) -> Iterator[Found]:
    """半年, 半个月 and half a year, which have no numeral."""
    for match in _HALF_ALONE.finditer(text):
        value = Quantity(Decimal(15), "day") if match["month"] else Quantity(Decimal(6), "month")
        yield Found(FactKind.DURATION, value, *match.span())


def _read_one(text: str, value: Decimal, end: int) -> Duration | None:
    middle = _HALF_BEFORE_UNIT.match(text, end)
    if middle is not None:
        value, end = value + Decimal("0.5"), middle.end()
    for unit, scale, form in _UNITS:
        match = form.match(text, end) or (_after_half(form, text, end) if middle else None)
        if match is None:
            continue
        half = _HALF.match(text, match.end()) if middle is None and scale != 1 else None
        amount = value * scale + (Decimal(scale) / 2 if half else 0)
        return Duration(amount, unit, half.end() if half else match.end())
    return None


def _after_half(form: re.Pattern[str], text: str, end: int) -> re.Match[str] | None:
    """三个半月: the 个 of 个月 stands before the half."""
    return form.match("个" + text[end : end + 4]) and re.compile(r"月").match(text, end)
