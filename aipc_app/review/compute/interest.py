"""Simple interest over periods of different rates and balances, with part payments and the working shown.

A day bears interest on the balance at its beginning; the first day counts, the last doesn't. Payments go to interest
that is due first, then to principal (Civil Code art. 561), unless it is said that they are principal.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

from msgspec import Struct

from aipc_app.review.compute.days import DayCount, days_between, days_by_year

_CENT = Decimal("0.01")


class RatePeriod(Struct, frozen=True):
    """Per cent per year from `start` on, until the next period begins."""

    start: date
    percent: Decimal


class Payment(Struct, frozen=True):
    """`to_principal`: all of it is principal, as the parties agreed."""

    on: date
    amount: Decimal
    to_principal: bool = False


class Step(Struct, frozen=True):
    """Interest of one stretch of days without a change; `exact` before rounding."""

    start: date
    end: date
    balance: Decimal
    percent: Decimal
    days: int
    exact: Fraction

    @property
    def amount(self) -> Decimal:
        return cents(self.exact)


class Applied(Struct, frozen=True):
    """Where one payment went. `over`: what was paid beyond everything that was owed."""

    payment: Payment
    interest: Decimal
    principal: Decimal
    balance: Decimal
    over: Decimal = Decimal(0)


class Account(Struct, frozen=True):
    """The loan as it stands at `end`. `interest` is what is due and unpaid."""

    steps: tuple[Step, ...]
    applied: tuple[Applied, ...]
    principal: Decimal
    interest: Decimal
    end: date

    @property
    def accrued(self) -> Decimal:
        """All the interest that arose, paid or not."""
        return cents(sum((step.exact for step in self.steps), Fraction(0)))


def cents(amount: Fraction | Decimal) -> Decimal:
    """To the cent, half up."""
    exact = amount if isinstance(amount, Decimal) else Decimal(amount.numerator) / Decimal(amount.denominator)
    return exact.quantize(_CENT, ROUND_HALF_UP)


def interest(
    principal: Decimal, start: date, end: date, percent: Decimal, count: DayCount = DayCount.ACTUAL_365
) -> Decimal:
    """Simple interest of one stretch at one rate, to the cent."""
    return cents(_exact(principal, start, end, percent, count))


def run_account(
    principal: Decimal,
    start: date,
    end: date,
    rates: Sequence[RatePeriod],
    payments: Sequence[Payment] = (),
    count: DayCount = DayCount.ACTUAL_365,
) -> Account:
    """Carry the loan from `start` to `end` (not counted). Raises ValueError for dates or rates that don't fit."""
    _check(principal, start, end, rates)
    paid = sorted((p for p in payments if start <= p.on <= end), key=lambda p: p.on)
    marks = sorted({start, end, *(r.start for r in rates if start < r.start < end), *(p.on for p in paid)})
    balance, due = principal, Fraction(0)
    steps: list[Step] = []
    applied: list[Applied] = []
    for at, until in zip(marks, [*marks[1:], None], strict=True):
        for payment in (p for p in paid if p.on == at):
            done = _apply(payment, balance, cents(due))
            applied.append(done)
            balance, due = done.balance, max(Fraction(0), due - Fraction(done.interest))
        if until is not None and balance > 0:
            percent = _rate_on(rates, at)
            exact = _exact(balance, at, until, percent, count)
            steps.append(Step(at, until, balance, percent, days_between(at, until), exact))
            due += exact
    return Account(tuple(steps), tuple(applied), balance, cents(due), end)


def _apply(payment: Payment, balance: Decimal, due: Decimal) -> Applied:
    to_interest = Decimal(0) if payment.to_principal else min(payment.amount, due)
    to_principal = min(payment.amount - to_interest, balance)
    over = payment.amount - to_interest - to_principal
    return Applied(payment, to_interest, to_principal, balance - to_principal, over)


def _exact(principal: Decimal, start: date, end: date, percent: Decimal, count: DayCount) -> Fraction:
    yearly = Fraction(principal) * Fraction(percent) / 100
    if count is DayCount.ACTUAL_ACTUAL:
        shares = (Fraction(days, 366 if _is_leap(year) else 365) for year, days in days_by_year(start, end))
        return yearly * sum(shares, Fraction(0))
    return yearly * days_between(start, end) / (360 if count is DayCount.ACTUAL_360 else 365)


def _rate_on(rates: Sequence[RatePeriod], day: date) -> Decimal:
    return max((r for r in rates if r.start <= day), key=lambda r: r.start).percent


def _is_leap(year: int) -> bool:
    return (date(year + 1, 1, 1) - date(year, 1, 1)).days == 366


def _check(principal: Decimal, start: date, end: date, rates: Sequence[RatePeriod]) -> None:
    if principal < 0 or end < start:
        raise ValueError("the principal or the dates don't fit")
    if not any(rate.start <= start for rate in rates):
        raise ValueError("no rate is given for the first day")
