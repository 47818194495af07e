"""Findings as the figures they state: yuan, days of the calendar, rates. Pure."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal

from aipc_app.domain.review import Finding
from aipc_app.text.facts import Fact, FactKind, Quantity, find_facts
from aipc_app.text.values import DateValue

_PER_YEAR = {"year": Decimal(1), "month": Decimal(12), "day": Decimal(365)}
_UNIT_WORDS = (
    ("month", ("月利率", "月息", "per month", "monthly")),
    ("day", ("每日", "每逾期一日", "日利率", "per day")),
)
_BARE = re.compile(r"-?[\d,]+(?:\.\d+)?")


def money(finding: Finding) -> Decimal | None:
    """Its first amount, in the unit that is written; yuan where one is."""
    facts = find_facts(finding.shown)
    found = next((f for f in facts if f.kind is FactKind.AMOUNT), None)
    found = found or next((f for f in facts if f.kind is FactKind.NUMBER), None)
    return _amount(found)


def number(finding: Finding) -> Decimal | None:
    """Its first figure of any kind; a percentage as a share of 1."""
    kinds = (FactKind.AMOUNT, FactKind.NUMBER, FactKind.MULTIPLE, FactKind.DURATION, FactKind.COUNT)
    for fact in find_facts(finding.shown):
        if fact.kind in (FactKind.PERCENT, FactKind.RATE):
            amount = _amount(fact)
            return None if amount is None else amount / 100
        if fact.kind in kinds:
            return _amount(fact)
    return None


def days(finding: Finding) -> tuple[date, ...]:
    """Every whole date in it."""
    found = (_date(fact.value) for fact in find_facts(finding.shown) if isinstance(fact.value, DateValue))
    return tuple(day for day in found if day is not None)


def day(finding: Finding) -> date | None:
    """Its first whole date."""
    return next(iter(days(finding)), None)


def rate_per_year(finding: Finding) -> Decimal | None:
    """Its first rate, per cent a year. The unit is looked for in the value, then in its quotes; None without one."""
    for fact in find_facts(finding.shown):
        if fact.kind is FactKind.RATE and isinstance(fact.value, Quantity) and fact.value.unit in _PER_YEAR:
            return fact.value.amount * _PER_YEAR[fact.value.unit]
    amount = next((_amount(f) for f in find_facts(finding.shown) if f.kind is FactKind.PERCENT), None)
    return None if amount is None else _with_unit(amount, finding)


def _with_unit(amount: Decimal, finding: Finding) -> Decimal | None:
    quotes = " ".join((finding.shown, *(citation.quote for citation in finding.citations)))
    for fact in find_facts(quotes):
        if fact.kind is FactKind.RATE and isinstance(fact.value, Quantity) and fact.value.amount == amount:
            return amount * _PER_YEAR.get(fact.value.unit, Decimal(1))
    unit = next((unit for unit, words in _UNIT_WORDS if any(word in quotes for word in words)), None)
    if unit is None and not any(word in quotes for word in ("年", "annum", "annual", "year")):
        return None
    return amount * _PER_YEAR[unit or "year"]


def with_unit(cell: str, where: str) -> str:
    """A bare figure of a table with the unit its head or page names: 4,680 under （万元） is 4,680万元."""
    found = re.search(r"[（(](万元|千元|百万元|亿元|元)[)）]|单位[：:]\s*(?:人民币)?(万元|千元|百万元|亿元|元)", where)
    unit = next((group for group in found.groups() if group), "") if found else ""
    return f"{cell}{unit}" if unit and _BARE.fullmatch(cell) else cell


def _amount(fact: Fact | None) -> Decimal | None:
    return fact.value.amount if fact is not None and isinstance(fact.value, Quantity) else None


def _date(value: DateValue) -> date | None:
    try:
        return date(value.year or 0, value.month or 0, value.day or 0)
    except ValueError:
        return None
