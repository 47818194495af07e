"""The calculator and the calendar of free tasks: right to the digit, and nothing but figures, signs and brackets."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from aipc_app.review.tasks.reckoning import NotReckoned, day_of, moved, reckon, shown_figure

RESULTS = {3: Decimal("7.5")}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1350-1180", "170"),
        ("5,260 - 4,680 =", "580"),
        ("1,350万元-1,180万元", "1700000"),
        ("1350万元/1180万元*1180", "1350"),
        ("14,600 ÷ 1,150 × 2", "25.39130434782608695652173914"),
        ("(312-234)/234", "0.3333333333333333333333333333"),
        ("0.1+0.2", "0.3"),
        ("12345678901234567.89+1", "12345678901234568.89"),
        ("15%×200", "30"),
        ("-3+s3*2", "12.0"),
        ("（1＋2）×3", "9"),
    ],
)
def test_an_expression_is_worked_out_in_decimals(expression: str, value: str) -> None:
    assert reckon(expression, RESULTS).value == Decimal(value)


@pytest.mark.parametrize(
    "expression",
    [
        "", "__import__('os').system('true')", "open('/etc/passwd')", "9**9**9", "1<<99", "(1).real", "[1][0]", "a+1",
        "lambda: 1", "1 if 1 else 2", "True+1", "'1'+'2'", "1e999999999*1e999999999", "1;2", "+" * 190, "(" * 190,
        "1,2", "x:=3", "f'{1}'", "1//2", "7%3", "1" * 300, "s3()", "print(1)", "sum([1,2])",
    ],
)  # fmt: skip
def test_what_is_no_sum_of_figures_is_refused(expression: str) -> None:
    with pytest.raises(NotReckoned):
        reckon(expression, RESULTS)


@pytest.mark.parametrize(("expression", "key"), [("1/0", "by_zero"), ("s4+1", "no_step"), ("", "no_expression")])
def test_a_refusal_says_why(expression: str, key: str) -> None:
    with pytest.raises(NotReckoned) as refused:
        reckon(expression, RESULTS)
    assert refused.value.key == key


def test_the_figures_that_were_named_are_told() -> None:
    done = reckon("s3*(1,350-1,180)", RESULTS)
    assert done.figures == (Decimal(1350), Decimal(1180)) and done.steps == (3,)


@pytest.mark.parametrize(
    ("expression", "named"),
    [
        ("12+12+11", "12 12 11"), ("611-12", "611 12"), ("12*30", "12"), ("1,200*12", "1200"),
        ("(312+234)/2", "312 234"), ("5万-3万", "5 3"), ("s3/12", ""), ("-10+2", "10 2"),
    ],
)  # fmt: skip
def test_a_constant_scales_what_was_read_and_is_nothing_that_could_be_added(expression: str, named: str) -> None:
    assert reckon(expression, RESULTS).figures == tuple(map(Decimal, named.split()))


def test_figures_are_shown_in_groups_of_three() -> None:
    assert shown_figure(Decimal("190000.00")) == "190,000"
    assert shown_figure(Decimal("0.123456")) == "0.1235"
    assert shown_figure(Decimal("-1234.50")) == "-1,234.5"


def test_dates_are_read_in_either_writing_and_counted() -> None:
    assert (day_of("2024年4月16日") - day_of("2022-03-04")).days == 774
    for text in ("2024年4月", "去年", "2023-02-30", "2024-01-01至2024-02-01"):
        with pytest.raises(NotReckoned):
            day_of(text)


def test_the_last_day_of_a_month_stays_in_its_month() -> None:
    assert moved(date(2024, 1, 31), 1, "months") == date(2024, 2, 29)
    assert moved(date(2024, 2, 29), 1, "years") == date(2025, 2, 28)
    assert moved(date(2024, 3, 1), -1, "days") == date(2024, 2, 29)
    with pytest.raises(NotReckoned):
        moved(date(2024, 1, 1), 9_999, "years")
