"""Statutory ceilings of interest in private lending.

Provisions of the Supreme People's Court on private lending: until 2020-08-19 (Fa Shi [2015] 18, art. 26) up to 24% a
year is enforced, between 24% and 36% what was paid stays paid, beyond 36% it is void; from 2020-08-20 (amended, art. 25
and 31) four times the one-year loan prime rate at the time of the contract; for a contract from before that day in a
case accepted after it, the old ceiling until 2020-08-19 and four times the rate at the time of the suit from then on.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct

from aipc_app.review.compute.interest import RatePeriod

CHANGE = date(2020, 8, 20)
PROTECTED, VOID_ABOVE = Decimal(24), Decimal(36)
MULTIPLE = 4


class UnknownRate(ValueError):
    """The table of loan prime rates doesn't reach this day."""


class _Rate(Struct, frozen=True, forbid_unknown_fields=True):
    start: date
    percent: str


class _Table(Struct, frozen=True, forbid_unknown_fields=True):
    known_until: date
    rate: tuple[_Rate, ...]


@cache
def _table() -> _Table:
    return msgspec.toml.decode((Path(__file__).parent / "lpr.toml").read_bytes(), type=_Table)


def prime_rate(day: date) -> Decimal:
    """One-year LPR in force on `day`, per cent a year. Raises UnknownRate before 2019-08-20, past the table's end."""
    table = _table()
    known = [rate for rate in table.rate if rate.start <= day]
    if not known or day > table.known_until:
        raise UnknownRate(day.isoformat())
    return Decimal(known[-1].percent)


def ceiling(contract: date, filed: date | None = None) -> tuple[RatePeriod, ...]:
    """The highest rates that are enforced, by period, for a contract of this day in a case filed on that one.

    Raises UnknownRate.
    """
    if contract >= CHANGE:
        return (RatePeriod(contract, MULTIPLE * prime_rate(contract)),)
    if filed is None or filed < CHANGE:
        return (RatePeriod(contract, PROTECTED),)
    return (RatePeriod(contract, PROTECTED), RatePeriod(CHANGE, MULTIPLE * prime_rate(filed)))


def capped(agreed: Sequence[RatePeriod], ceilings: Sequence[RatePeriod]) -> tuple[RatePeriod, ...]:
    """The agreed rate, or the ceiling where that is lower, wherever either changes."""
    first = max(min(r.start for r in agreed), min(r.start for r in ceilings))
    starts = sorted({first, *(r.start for r in (*agreed, *ceilings) if r.start > first)})
    return tuple(RatePeriod(day, min(_on(agreed, day), _on(ceilings, day))) for day in starts)


def _on(rates: Sequence[RatePeriod], day: date) -> Decimal:
    return max((r for r in rates if r.start <= day), key=lambda r: r.start).percent
