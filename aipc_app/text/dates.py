"""Dates, whole or in part, and times of day, in Chinese and English writing."""

import re
from collections.abc import Iterator

import msgspec

from aipc_app.text.numbers import NO_UNIT_BEHIND, ZH_DIGIT, parse_chinese
from aipc_app.text.values import DateValue, FactKind, Found

_ZH_SMALL = r"[一二三四五六七八九十廿卅元正]{1,3}"
_YEAR = rf"(?:(?:19|20)\d\d|(?<!\d)\d\d(?=\s?年\s?(?:\d|{_ZH_SMALL}\s?月))|[一二][{ZH_DIGIT}]{{3}})"
_MONTH = rf"(?:\d{{1,2}}|{_ZH_SMALL})"
_DAY = r"(?:\d{1,2}|[一二三四五六七八九十廿卅]{1,3})"
_ROC = r"(?:中华民国|民国)\s?(?P<roc>\d{2,3}|[一二三四五六七八九十百〇零]{1,5})"
_CHINESE = re.compile(
    rf"(?<!\d)(?:(?:{_ROC}|(?P<year>{_YEAR}))\s?年\s?(?:(?P<month>{_MONTH})\s?月(?!息|利|租|薪)"
    rf"(?:\s?(?P<day>{_DAY})\s?[日号])?)?"
    rf"|(?P<month2>{_MONTH})\s?月(?!息|利|租|薪)(?:份|底|初|末|(?:\s?(?P<day2>{_DAY})\s?[日号]))?)"
)
_DAY_OF_MONTH = re.compile(
    rf"(?:(?<=每月)|(?<=[当次同该本上下]月)|(?<=每个月)|(?<=[上下]个月))的?\s?(?P<day>{_DAY})\s?[日号](?!楼|院)"
)
_RANGE_DAY = re.compile(rf"\s?(?:至|到|-{{1,2}}|~)\s?(?P<day>{_DAY})\s?[日号]")
_RANGE_YEAR = re.compile(r"(?<!\d)(?P<year>(?:19|20)\d\d)(?=\s?年?\s?(?:至|到|-|~)\s?(?:19|20)\d\d\s?年(?!\s?\d))")
_NUMERIC = re.compile(
    r"(?<![\d.\-/])(?P<year>(?:19|20)\d\d)(?P<mark>[-/.])(?P<month>\d{1,2})"
    r"(?:(?P=mark)(?P<day>\d{1,2})(?![\d]|[-/.]\d)|(?<=[-/]\d\d)(?![\d]|[-/.]\d))"
)
_COMPACT = re.compile(
    r"(?<![A-Za-z0-9.\-¥$€£])(?P<year>(?:19|20)\d\d)(?P<month>[01]\d)(?P<day>[0-3]\d)(?![A-Za-z0-9]|[.\-]\d)"
    + NO_UNIT_BEHIND
)
_SLASHED = re.compile(
    r"(?<![\d./-])(?P<first>\d{1,2})(?P<mark>[/.-])(?P<second>\d{1,2})(?P=mark)(?P<year>(?:19|20)\d\d)(?!\d)"
)
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december",
)
_NAME = rf"(?P<name>{'|'.join(_MONTHS)}|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?)"
_DAY_EN = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR_EN = r"(?P<year>(?:1[5-9]|20)\d\d)(?!\d)"
_DAY_MONTH = re.compile(rf"(?<![\d.])\b{_DAY_EN}\s(?:day\s)?(?:of\s)?{_NAME}(?:,?\s{_YEAR_EN})?", re.IGNORECASE)
_MONTH_DAY = re.compile(rf"\b{_NAME}\s{_DAY_EN}(?![\d])(?:,?\s{_YEAR_EN})?", re.IGNORECASE)
_MONTH_YEAR = re.compile(rf"\b{_NAME},?\s{_YEAR_EN}", re.IGNORECASE)
_TIME = re.compile(
    r"(?<![\d:.])(?P<hour>[01]?\d|2[0-4]):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d))?(?![\d:])"
    r"(?:\s?(?P<half>[ap])\.?m\b\.?)?",
    re.IGNORECASE,
)
_ZH_TIME = re.compile(
    r"(?P<half>凌晨|早上|早晨|上午|中午|下午|傍晚|晚上|晚间|夜间)?\s?(?<!\d)"
    r"(?P<hour>\d{1,2}|[一二三四五六七八九十两]{1,3})\s?(?P<mark>时|点)(?!效|间|候|期|限|段)"
    r"(?:整|(?P<minute>\d{1,2}|半|[一二三四五六七八九十零〇]{1,3})(?P<minute_mark>分(?!之))?)?"
)


def find_dates(text: str) -> Iterator[Found]:
    """Dates in folded text, in no particular order, never two over the same characters."""
    for match in _CHINESE.finditer(text):
        yield from _chinese_dates(text, match)
    for match in _DAY_OF_MONTH.finditer(text):
        yield from _dated(match, _valid(None, None, _small(match["day"])))


def numeric_dates(text: str) -> Iterator[Found]:
    """2021-03-05, 2021/3/5, 2021.3.5, 20210305, 05/03/2021 and the first year of 2019-2021年."""
    for pattern in (_NUMERIC, _COMPACT):
        for match in pattern.finditer(text):
            yield from _dated(match, _valid(int(match["year"]), _int(match["month"]), _int(match["day"])))
    for match in _SLASHED.finditer(text):
        yield from _dated(match, _slashed(match))
    for match in _RANGE_YEAR.finditer(text):
        yield from _dated(match, DateValue(int(match["year"])))


def english_dates(text: str) -> Iterator[Found]:
    """March 5, 2021; 5 March 2021; 5th of March 2021; Mar. 5; March 2021."""
    for pattern in (_DAY_MONTH, _MONTH_DAY, _MONTH_YEAR):
        for match in pattern.finditer(text):
            groups = match.groupdict()
            month = _month_number(match["name"])
            yield from _dated(match, _valid(_int(groups.get("year")), month, _int(groups.get("day"))))


def find_times(text: str) -> Iterator[Found]:
    """Times of day as "hh:mm" or "hh:mm:ss"; 下午2时30分 is 14:30."""
    for match in _TIME.finditer(text):
        hour = _afternoon(int(match["hour"]), (match["half"] or "").lower() == "p")
        second = f":{match['second']}" if match["second"] else ""
        yield Found(FactKind.TIME, f"{hour:02}:{match['minute']}{second}", *match.span())
    for match in _ZH_TIME.finditer(text):
        value = _chinese_time(match)
        if value is not None:
            yield Found(FactKind.TIME, value, *match.span())


def dates_compatible(one: DateValue, other: DateValue) -> bool:
    """Whether both can be the same day: what both say agrees, and they say some part in common."""
    readings = [(a, b) for a in _readings(one) for b in _readings(other)]
    return any(_agree(a, b) for a, b in readings)


def date_within(claim: DateValue, source: DateValue) -> bool:
    """Whether the source says everything that the claim says."""
    return any(
        _agree(a, b) and all(part is None or part == known for part, known in zip(_parts(a), _parts(b), strict=True))
        for a in _readings(claim)
        for b in _readings(source)
    )


def _agree(one: DateValue, other: DateValue) -> bool:
    pairs = [(a, b) for a, b in zip(_parts(one), _parts(other), strict=True) if a is not None and b is not None]
    return bool(pairs) and all(a == b for a, b in pairs)


def _parts(date: DateValue) -> tuple[int | None, int | None, int | None]:
    return date.year, date.month, date.day


def _readings(date: DateValue) -> tuple[DateValue, ...]:
    if not date.day_first:
        return (date,)
    return date, msgspec.structs.replace(date, month=date.day, day=date.month)


def _dated(match: re.Match[str], value: DateValue | None) -> Iterator[Found]:
    if value is not None:
        yield Found(FactKind.DATE, value, *match.span())


def _chinese_dates(text: str, match: re.Match[str]) -> Iterator[Found]:
    if match["month2"] is not None and text[max(0, match.start() - 1) : match.start()] in tuple("个第每数几"):
        return
    value = _valid(_year(match), _small(match["month"] or match["month2"]), _small(match["day"] or match["day2"]))
    if value is None:
        return
    yield Found(FactKind.DATE, value, *match.span())
    if value.day is None:
        return
    end = _RANGE_DAY.match(text, match.end())
    last = _valid(value.year, value.month, _small(end["day"])) if end else None
    if end is not None and last is not None:
        yield Found(FactKind.DATE, last, end.start("day"), end.end())


def _year(match: re.Match[str]) -> int | None:
    if match["roc"] is not None:
        value = parse_chinese(match["roc"])
        return None if value is None else int(value) + 1911
    if match["year"] is None:
        return None
    value = parse_chinese(match["year"])
    if value is None or value >= 100:
        return None if value is None else int(value)
    return int(value) + (2000 if value < 50 else 1900)


def _small(text: str | None) -> int | None:
    if text is None:
        return None
    if text in ("元", "正"):
        return 1
    value = parse_chinese(text)
    return 0 if value is None else int(value)


def _int(text: str | None) -> int | None:
    return None if text is None else int(text)


def _valid(year: int | None, month: int | None, day: int | None) -> DateValue | None:
    if month is not None and not 1 <= month <= 12:
        return None
    if day is not None and not 1 <= day <= 31:
        return None
    return None if year is month is day is None else DateValue(year, month, day)


def _slashed(match: re.Match[str]) -> DateValue | None:
    first, second, year = int(match["first"]), int(match["second"]), int(match["year"])
    if first > 12:
        return _valid(year, second, first)
    value = _valid(year, first, second)
    if value is None or second > 12 or first == second:
        return value
    return msgspec.structs.replace(value, day_first=True)


def _month_number(name: str) -> int:
    short = name.lower()[:3]
    return next(index for index, month in enumerate(_MONTHS, start=1) if month.startswith(short))


def _afternoon(hour: int, afternoon: bool) -> int:
    return hour + 12 if afternoon and hour < 12 else hour


def _chinese_time(match: re.Match[str]) -> str | None:
    """None where 点 or 时 may be something else: without a half of the day it needs its minutes or a plain 时."""
    half_past = match["minute"] == "半"
    plain_hour = match["mark"] == "时" and match["hour"].isdecimal()
    sure = match["half"] or match["minute_mark"] or half_past or plain_hour
    hour, minute = _small(match["hour"]), 30 if half_past else _small(match["minute"])
    if not sure or hour is None or hour > 24 or (minute or 0) > 59:
        return None
    hour = _afternoon(hour, match["half"] in ("下午", "傍晚", "晚上", "晚间", "夜间"))
    return f"{hour:02}:{minute or 0:02}"
