"""Dates of the civil calendar, as Chinese civil law counts them (Civil Code art. 200-204)."""

from __future__ import annotations

import calendar
from datetime import date, timedelta
from enum import StrEnum


class DayCount(StrEnum):
    """How a rate per year becomes one per day."""

    ACTUAL_365 = "actual/365"
    ACTUAL_360 = "actual/360"
    ACTUAL_ACTUAL = "actual/actual"  # a day of a leap year is one of 366


def days_between(start: date, end: date) -> int:
    """Days from `start`, counted, to `end`, not counted (算头不算尾). Negative when `end` comes first."""
    return (end - start).days


def add_months(start: date, months: int) -> date:
    """The day of the same number, or the month's last where it has none (Civil Code art. 202)."""
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    return date(year, month + 1, min(start.day, calendar.monthrange(year, month + 1)[1]))


def add_days(start: date, days: int) -> date:
    return start + timedelta(days=days)


def period_end(start: date, months: int) -> date:
    """The last day of a period of months that begins on the day after `start` (Civil Code art. 201, 202)."""
    return add_months(start, months)


def whole_months(start: date, end: date) -> tuple[int, int]:
    """Whole months from `start` to `end`, and the days over."""
    months = (end.year - start.year) * 12 + end.month - start.month
    if add_months(start, months) > end:
        months -= 1
    return months, (end - add_months(start, months)).days


def days_by_year(start: date, end: date) -> tuple[tuple[int, int], ...]:
    """(year, days in it) from `start`, counted, to `end`, not counted."""
    parts, at = [], start
    while at < end:
        stop = min(end, date(at.year + 1, 1, 1))
        parts.append((at.year, (stop - at).days))
        at = stop
    return tuple(parts)
