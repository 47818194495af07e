"""Interest against a sheet worked by hand: the formula, the days and the result stand beside each case."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from aipc_app.review.compute.ceiling import UnknownRate, capped, ceiling, prime_rate
from aipc_app.review.compute.days import DayCount, add_months, days_between, days_by_year, whole_months
from aipc_app.review.compute.fees import court_fee
from aipc_app.review.compute.interest import Payment, RatePeriod, interest, run_account

D = Decimal

# principal, from (counted), to (not counted), per cent a year, day count, yuan
ONE_RATE = [
    # 100,000 x 12% x 365/365
    ("100000", date(2021, 1, 1), date(2022, 1, 1), "12", DayCount.ACTUAL_365, "12000.00"),
    # 366 days of a leap year over 365: 12,000 x 366/365
    ("100000", date(2020, 1, 1), date(2021, 1, 1), "12", DayCount.ACTUAL_365, "12032.88"),
    # the same by actual/actual is one whole year
    ("100000", date(2020, 1, 1), date(2021, 1, 1), "12", DayCount.ACTUAL_ACTUAL, "12000.00"),
    # 365/360
    ("100000", date(2021, 1, 1), date(2022, 1, 1), "12", DayCount.ACTUAL_360, "12166.67"),
    # one day: 100,000 x 12% / 365
    ("100000", date(2021, 3, 1), date(2021, 3, 2), "12", DayCount.ACTUAL_365, "32.88"),
    # 28 February to 1 March of a common year is one day, of a leap year two
    ("365000", date(2021, 2, 28), date(2021, 3, 1), "10", DayCount.ACTUAL_365, "100.00"),
    ("365000", date(2020, 2, 28), date(2020, 3, 1), "10", DayCount.ACTUAL_365, "200.00"),
    # over the turn of the year: 31 days of 2019 and 31 of 2020, each by its own year: 36,500x10%x(31/365+31/366)
    ("36500", date(2019, 12, 1), date(2020, 2, 1), "10", DayCount.ACTUAL_ACTUAL, "619.15"),
    # nothing between a day and itself
    ("100000", date(2021, 3, 1), date(2021, 3, 1), "12", DayCount.ACTUAL_365, "0.00"),
    # the sample: 450,000 at 15.4% from 8 March 2021 to 4 March 2022, both counted: 362 days
    ("450000", date(2021, 3, 8), date(2022, 3, 5), "15.4", DayCount.ACTUAL_365, "68730.41"),
    # half a cent goes up: 1,825 x 0.1% x 1/365 = 0.005
    ("1825", date(2021, 1, 1), date(2021, 1, 2), "0.1", DayCount.ACTUAL_365, "0.01"),
    # two years with a leap day: 731 days
    ("10000", date(2019, 6, 1), date(2021, 6, 1), "7.3", DayCount.ACTUAL_365, "1462.00"),
]


@pytest.mark.parametrize(("principal", "start", "end", "percent", "count", "expected"), ONE_RATE)
def test_interest_at_one_rate(
    principal: str, start: date, end: date, percent: str, count: DayCount, expected: str
) -> None:
    assert interest(D(principal), start, end, D(percent), count) == D(expected)


def test_a_rate_change_in_the_middle_counts_from_its_day() -> None:
    # 100,000: 181 days at 10% (1 Jan to 1 July) = 4,958.90; 184 days at 8% = 4,032.88
    rates = [RatePeriod(date(2021, 1, 1), D(10)), RatePeriod(date(2021, 7, 1), D(8))]
    account = run_account(D(100000), date(2021, 1, 1), date(2022, 1, 1), rates)
    assert [(s.days, s.amount) for s in account.steps] == [(181, D("4958.90")), (184, D("4032.88"))]
    assert account.accrued == D("8991.78")


def test_a_payment_goes_to_interest_first_then_to_principal() -> None:
    # 100,000 at 36.5%: 100 a day. After 30 days 3,000 are due; 13,000 paid: 3,000 interest, 10,000 principal.
    rates = [RatePeriod(date(2021, 1, 1), D("36.5"))]
    paid = [Payment(date(2021, 1, 31), D(13000))]
    account = run_account(D(100000), date(2021, 1, 1), date(2021, 2, 10), rates, paid)
    (applied,) = account.applied
    assert (applied.interest, applied.principal, applied.balance) == (D("3000.00"), D("10000.00"), D("90000.00"))
    assert (account.principal, account.interest) == (D("90000.00"), D("900.00"))  # ten days at 90 a day


def test_a_payment_below_the_interest_leaves_the_principal() -> None:
    rates = [RatePeriod(date(2021, 1, 1), D("36.5"))]
    account = run_account(D(100000), date(2021, 1, 1), date(2021, 1, 31), rates, [Payment(date(2021, 1, 11), D(400))])
    assert (account.principal, account.interest) == (D(100000), D("2600.00"))  # 3,000 less 400


def test_a_payment_agreed_to_be_principal_leaves_the_interest() -> None:
    rates = [RatePeriod(date(2021, 1, 1), D("36.5"))]
    paid = [Payment(date(2021, 1, 11), D(50000), to_principal=True)]
    account = run_account(D(100000), date(2021, 1, 1), date(2021, 1, 21), rates, paid)
    assert (account.principal, account.interest) == (D(50000), D("1500.00"))  # 10 x 100 and 10 x 50


def test_two_payments_on_one_day_are_taken_one_after_the_other() -> None:
    rates = [RatePeriod(date(2021, 1, 1), D("36.5"))]
    paid = [Payment(date(2021, 1, 11), D(600)), Payment(date(2021, 1, 11), D(600))]
    account = run_account(D(100000), date(2021, 1, 1), date(2021, 1, 11), rates, paid)
    assert [a.interest for a in account.applied] == [D("600"), D("400.00")]
    assert account.principal == D("99800.00")


def test_what_is_paid_beyond_the_debt_is_told() -> None:
    rates = [RatePeriod(date(2021, 1, 1), D("36.5"))]
    paid = [Payment(date(2021, 1, 11), D(102000))]
    account = run_account(D(100000), date(2021, 1, 1), date(2021, 6, 1), rates, paid)
    assert (account.principal, account.interest, account.applied[0].over) == (D("0.00"), D("0.00"), D("1000.00"))


def test_a_payment_on_the_last_day_counts_and_a_later_one_does_not() -> None:
    rates = [RatePeriod(date(2021, 1, 1), D("36.5"))]
    paid = [Payment(date(2021, 1, 11), D(1000)), Payment(date(2021, 1, 12), D(50000))]
    account = run_account(D(100000), date(2021, 1, 1), date(2021, 1, 11), rates, paid)
    assert (len(account.applied), account.principal, account.interest) == (1, D(100000), D("0.00"))


def test_the_sample_account_as_worked_by_hand() -> None:
    # 450,000 at 15.4%: 189.863.../day. 2021-03-08..09-10: 186 days = 35,314.52 due; 60,000: 24,685.48 to principal.
    # 425,314.52: 132 days = 23,687.11 due; 30,000 (2022-01-20): 6,312.89 to principal.
    # 419,001.63: 176 days = 31,114.03 due; 100,000 (2022-07-15): 68,885.97 to principal; 350,115.66 left.
    # 2022-07-15..2024-04-16: 641 days = 94,688.54.
    rates = [RatePeriod(date(2021, 3, 5), D("15.4"))]
    paid = [
        Payment(date(2021, 9, 10), D(60000)),
        Payment(date(2022, 1, 20), D(30000)),
        Payment(date(2022, 7, 15), D(100000)),
    ]
    account = run_account(D(450000), date(2021, 3, 8), date(2024, 4, 16), rates, paid)
    assert [s.days for s in account.steps] == [186, 132, 176, 641]
    assert [(a.interest, a.principal) for a in account.applied] == [
        (D("35314.52"), D("24685.48")), (D("23687.11"), D("6312.89")), (D("31114.03"), D("68885.97"))
    ]  # fmt: skip
    assert (account.principal, account.interest) == (D("350115.66"), D("94688.54"))


@pytest.mark.parametrize(
    ("day", "percent"),
    [
        (date(2019, 8, 20), "4.25"), (date(2019, 9, 19), "4.25"), (date(2019, 9, 20), "4.20"),
        (date(2020, 8, 20), "3.85"), (date(2021, 3, 5), "3.85"), (date(2021, 12, 19), "3.85"),
        (date(2021, 12, 20), "3.80"), (date(2022, 1, 20), "3.70"), (date(2023, 8, 21), "3.45"),
        (date(2024, 10, 21), "3.10"),
    ],
)  # fmt: skip
def test_the_prime_rate_of_a_day(day: date, percent: str) -> None:
    assert prime_rate(day) == D(percent)


@pytest.mark.parametrize("day", [date(2019, 8, 19), date(2031, 1, 1)])
def test_a_day_that_the_table_does_not_reach_is_not_guessed(day: date) -> None:
    with pytest.raises(UnknownRate):
        prime_rate(day)


def test_the_ceiling_of_a_contract_after_the_change_is_four_times_the_rate_of_its_day() -> None:
    assert ceiling(date(2021, 3, 5), date(2024, 4, 16)) == (RatePeriod(date(2021, 3, 5), D("15.40")),)


def test_the_ceiling_on_the_very_day_of_the_change_is_the_new_one() -> None:
    assert ceiling(date(2020, 8, 20)) == (RatePeriod(date(2020, 8, 20), D("15.40")),)


def test_an_old_contract_sued_upon_before_the_change_keeps_24_per_cent() -> None:
    assert ceiling(date(2018, 1, 1), date(2020, 8, 19)) == (RatePeriod(date(2018, 1, 1), D(24)),)


def test_an_old_contract_sued_upon_after_the_change_has_both_ceilings() -> None:
    # art. 31: 24% until 2020-08-19, then four times the rate at the suit (3.80 on 2021-12-25)
    assert ceiling(date(2019, 1, 1), date(2021, 12, 25)) == (
        RatePeriod(date(2019, 1, 1), D(24)),
        RatePeriod(date(2020, 8, 20), D("15.20")),
    )


def test_the_lower_of_agreed_rate_and_ceiling_applies_in_each_period() -> None:
    limits = (RatePeriod(date(2019, 1, 1), D(24)), RatePeriod(date(2020, 8, 20), D("15.4")))
    agreed = (RatePeriod(date(2019, 1, 1), D(20)),)
    assert capped(agreed, limits) == (RatePeriod(date(2019, 1, 1), D(20)), RatePeriod(date(2020, 8, 20), D("15.4")))


def test_interest_over_the_change_of_2020() -> None:
    # 100,000 at 36% agreed, from 2020-01-01: 232 days at 24% = 15,254.79; from 2020-08-20 to 2021-01-01: 134 days at
    # 15.4% = 5,653.70
    rates = capped((RatePeriod(date(2020, 1, 1), D(36)),), ceiling(date(2020, 1, 1), date(2021, 3, 1)))
    account = run_account(D(100000), date(2020, 1, 1), date(2021, 1, 1), rates)
    assert [(s.days, s.percent, s.amount) for s in account.steps] == [
        (232, D(24), D("15254.79")),
        (134, D("15.40"), D("5653.70")),
    ]


@pytest.mark.parametrize(
    ("start", "months", "end"),
    [
        (date(2021, 1, 31), 1, date(2021, 2, 28)), (date(2020, 1, 31), 1, date(2020, 2, 29)),
        (date(2020, 2, 29), 12, date(2021, 2, 28)), (date(2022, 3, 4), 6, date(2022, 9, 4)),
        (date(2022, 3, 4), 36, date(2025, 3, 4)), (date(2021, 11, 30), 3, date(2022, 2, 28)),
        (date(2021, 3, 15), -3, date(2020, 12, 15)),
    ],
)  # fmt: skip
def test_months_are_added_by_the_calendar(start: date, months: int, end: date) -> None:
    assert add_months(start, months) == end


def test_days_and_whole_months_between() -> None:
    assert days_between(date(2020, 2, 28), date(2020, 3, 1)) == 2
    assert whole_months(date(2021, 1, 31), date(2021, 2, 28)) == (1, 0)
    assert whole_months(date(2021, 1, 15), date(2021, 3, 14)) == (1, 27)
    assert days_by_year(date(2019, 12, 1), date(2021, 1, 2)) == ((2019, 31), (2020, 366), (2021, 1))


@pytest.mark.parametrize(
    ("amount", "fee", "half"),
    [
        ("10000", "50.00", "25.00"), ("100000", "2300.00", "1150.00"), ("200000", "4300.00", "2150.00"),
        ("300000", "5800.00", "2900.00"), ("500000", "8800.00", "4400.00"), ("1000000", "13800.00", "6900.00"),
        ("2000000", "22800.00", "11400.00"), ("25000000", "166800.00", "83400.00"),
    ],
)  # fmt: skip
def test_court_fees_by_their_steps(amount: str, fee: str, half: str) -> None:
    assert court_fee(D(amount)) == D(fee)
    assert court_fee(D(amount), half=True) == D(half)


@pytest.mark.parametrize(
    ("principal", "start", "end"),
    [("-1", date(2021, 1, 1), date(2021, 1, 2)), ("1", date(2021, 1, 2), date(2021, 1, 1))],
)
def test_what_does_not_fit_is_refused(principal: str, start: date, end: date) -> None:
    with pytest.raises(ValueError, match="fit"):
        run_account(D(principal), start, end, [RatePeriod(date(2020, 1, 1), D(1))])


def test_a_first_day_without_a_rate_is_refused() -> None:
    with pytest.raises(ValueError, match="rate"):
        run_account(D(1), date(2021, 1, 1), date(2021, 2, 1), [RatePeriod(date(2021, 1, 5), D(1))])
