"""Percentages, rates per year, month or day, multiples, fractions and ratios."""

import re
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

import msgspec

from aipc_app.text.numbers import CHINESE, MIXED, ZH_NUMERAL, parse_number
from aipc_app.text.values import FactKind, Found, Quantity

_ANY = rf"(?:{MIXED}|{CHINESE})"
_PERCENT_OF = re.compile(rf"(?P<base>百|千|万)分之\s?(?P<number>{_ANY})")
_BASES = {"百": Decimal(1), "千": Decimal("0.1"), "万": Decimal("0.01")}
_PARTS_OF = re.compile(
    rf"(?P<whole>[{ZH_NUMERAL}]{{1,6}}|\d{{1,4}})分之(?P<part>[{ZH_NUMERAL}]{{1,6}}|\d{{1,4}})"
)
_RATIO = re.compile(
    r"(?<![\d.:])(?P<part>\d{1,4}(?:\.\d{1,4})?)\s?[:比]\s?(?P<whole>\d{1,4}(?:\.\d{1,4})?)(?![\d:]|\.\d)"
)
_NAMED = re.compile(
    r"\b(?P<part>one|two|three|four)(?:[\s-](?P<whole>half|thirds?|fifths?)|-(?P<quarter>quarters?))\b", re.IGNORECASE
)
_NAMED_WHOLES = {"half": 2, "third": 3, "quarter": 4, "fifth": 5}
_INTEREST = re.compile(
    rf"(?P<period>月|年)(?:息|利率?|利息)\s?(?:为|按|是|:)?\s?(?P<fen>{_ANY})\s?分"
    rf"(?:\s?(?P<li>{_ANY})\s?厘?)?(?![之钟])"
)
_FEN_INTEREST = re.compile(rf"(?P<fen>{_ANY})\s?分(?:利息|利|的?月息)")
_PERCENT = re.compile(
    r"\s?(?:(?P<points>个?百分点|percentage\spoints?)|(?P<percent>%|per\s?cent\b|pct\b)|(?P<mille>‰)"
    r"|(?P<myriad>‱)|(?P<tenth>成(?![员为立本交果长功绩]))|(?P<basis>个?基点|bps?\b|basis\spoints?))",
    re.IGNORECASE,
)
_SCALES = {"percent": Decimal(1), "mille": Decimal("0.1"), "myriad": Decimal("0.01"), "tenth": Decimal(10)}
_PERIODS = tuple(
    (unit, re.compile(rf"(?:{forms})[^,，;。\d%\x00\n]{{0,8}}$", re.IGNORECASE))
    for unit, forms in (
        (
            "year",
            r"年化?(?:利率|利息|息|化率|化|利|收益率)|annual(?:i[sz]ed)?\s(?:percentage\s|interest\s)?rate|annual\sinterest",
        ),
        ("month", r"月(?:利率|利息|息|利|费率)|monthly\s(?:interest\s)?rate|monthly\sinterest"),
        ("day", r"日(?:利率|利息|息|利)|每日|逐日|按日|日(?=$)|daily\s(?:interest\s)?rate"),
    )
)
_PERIOD_AFTER = re.compile(
    r"\s?(?:/\s?(?P<slash>年|月|日|天|year|month|day)|per\s(?P<per>annum|year|month|day)|(?P<pa>p\.?a\.?)(?![a-z])"
    r"|a\s(?P<a>year|month|day)\b)",
    re.IGNORECASE,
)
_PERIOD_NAMES = {"年": "year", "annum": "year", "月": "month", "日": "day", "天": "day"}
_CONTEXT = 30
_MULTIPLE = re.compile(r"\s?(?:倍|[x×](?![\w×])|times\b)", re.IGNORECASE)
_TWICE = re.compile(r"\b(?P<word>twice|thrice)\b", re.IGNORECASE)


class Reading(msgspec.Struct, frozen=True):
    """What was read behind a numeral, and where it ends."""

    kind: FactKind
    value: Quantity
    end: int


def find_fractions(text: str) -> Iterator[Found]:
    """百分之十五, 三分之一, 3:7, two-thirds, 月息2分 and twice: figures that are no plain numeral."""
    for match in _PERCENT_OF.finditer(text):
        yield from _percent_of(text, match)
    for match in _PARTS_OF.finditer(text):
        yield from _fraction(match, parse_number(match["part"]), parse_number(match["whole"]))
    for match in _NAMED.finditer(text):
        whole = _NAMED_WHOLES[(match["whole"] or "quarter").lower().rstrip("s")]
        yield from _fraction(match, parse_number(match["part"]), Decimal(whole))
    for match in _RATIO.finditer(text):
        yield Found(FactKind.FRACTION, f"{match['part']}:{match['whole']}", *match.span())
    for match in _TWICE.finditer(text):
        yield Found(FactKind.MULTIPLE, Quantity(Decimal(2 if match["word"].lower() == "twice" else 3)), *match.span())


def find_interest(text: str) -> Iterator[Found]:
    """Customary interest: 月息2分 is 2% a month, 年息1分 10% a year, 1分利 1% a month."""
    for pattern in (_INTEREST, _FEN_INTEREST):
        for match in pattern.finditer(text):
            groups = match.groupdict()
            fen, li = parse_number(match["fen"]), parse_number(groups.get("li") or "0")
            if fen is None or li is None:
                continue
            yearly = groups.get("period") == "年"
            value = (fen + li / 10) * (10 if yearly else 1)
            yield Found(FactKind.RATE, Quantity(value, "year" if yearly else "month"), *match.span())


def read_percent(text: str, value: Decimal, start: int, end: int) -> Reading | None:
    """The percentage or rate whose numeral stands at start:end of folded text, or None."""
    match = _PERCENT.match(text, end)
    if match is None:
        return None
    if match["points"] or match["basis"]:
        points = value if match["points"] else value / 100
        return Reading(FactKind.PERCENT, Quantity(points, "point"), match.end())
    return _with_period(text, value * _SCALES[match.lastgroup or "percent"], start, match.end())


def read_multiple(text: str, value: Decimal, end: int) -> Reading | None:
    """The multiple whose numeral ends at `end`: 四倍, 1.25x, four times."""
    match = _MULTIPLE.match(text, end)
    return None if match is None else Reading(FactKind.MULTIPLE, Quantity(value), match.end())


def fraction_value(text: str) -> Fraction:
    """The value of a FRACTION fact: 1/3 or 3:7."""
    part, whole = re.split("[/:]", text)
    return Fraction(part) / Fraction(whole)


def _percent_of(text: str, match: re.Match[str]) -> Iterator[Found]:
    value = parse_number(match["number"])
    if value is not None:
        reading = _with_period(text, value * _BASES[match["base"]], match.start(), match.end())
        yield Found(reading.kind, reading.value, match.start(), reading.end)


def _with_period(text: str, percent: Decimal, start: int, end: int) -> Reading:
    after = _PERIOD_AFTER.match(text, end)
    if after is not None:
        name = (after["slash"] or after["per"] or after["a"] or "year").lower()
        return Reading(FactKind.RATE, Quantity(percent, _PERIOD_NAMES.get(name, name)), after.end())
    for period, before in _PERIODS:
        if before.search(text, max(0, start - _CONTEXT), start):
            return Reading(FactKind.RATE, Quantity(percent, period), end)
    return Reading(FactKind.PERCENT, Quantity(percent), end)


def _fraction(match: re.Match[str], part: Decimal | None, whole: Decimal | None) -> Iterator[Found]:
    if part is None or not whole:
        return
    ratio = Fraction(part) / Fraction(whole)
    yield Found(FactKind.FRACTION, f"{ratio.numerator}/{ratio.denominator}", *match.span())
