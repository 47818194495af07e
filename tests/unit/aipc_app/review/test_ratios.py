"""Ratios with their formula and inputs shown, and figures read from findings."""

from __future__ import annotations

from decimal import Decimal

import pytest

from aipc_app.domain.answers import Citation
from aipc_app.domain.review import Finding, FindingStatus
from aipc_app.review import values
from aipc_app.review.compute.ratios import ratio

D = Decimal


@pytest.mark.parametrize(
    ("name", "inputs", "text"),
    [
        ("leverage", {"liabilities": 2440, "assets": 5405}, "45.1%"),
        ("current_ratio", {"current_assets": 3160, "current_liabilities": 2240}, "1.41"),
        ("dscr", {"operating_cash": 168, "debt_service": 150}, "1.12"),
        ("gross_margin", {"gross_profit": 749, "revenue": 4680}, "16.0%"),
        ("growth", {"now": 4680, "before": 4450}, "5.2%"),
        ("growth", {"now": 234, "before": 306}, "-23.5%"),
        ("dso", {"receivables": 1687, "revenue": 4680}, "132天"),
        ("ltv", {"loan": 800, "value": 1180}, "67.8%"),
        ("ltv_with_prior", {"loan": 800, "prior": 300, "value": 1180}, "93.2%"),
    ],
)
def test_ratios_of_the_sample_as_worked_by_hand(name: str, inputs: dict[str, int], text: str) -> None:
    labels = {key: key for key in inputs}
    assert ratio(name, {key: D(value) for key, value in inputs.items()}, labels, "zh").text == text


def test_the_working_shows_formula_and_inputs() -> None:
    done = ratio("dscr", {"operating_cash": D(1680000), "debt_service": D(1500000)},
                 {"operating_cash": "经营现金流", "debt_service": "应还本息"}, "zh")  # fmt: skip
    assert done.working == "偿债保障比率（DSCR） = 经营现金流 ÷ 应还本息 = 1,680,000 ÷ 1,500,000 = 1.12"


def test_nothing_is_divided_by_nothing() -> None:
    with pytest.raises(ZeroDivisionError):
        ratio("leverage", {"liabilities": D(1), "assets": D(0)}, {"liabilities": "", "assets": ""}, "zh")


def finding(value: str, quote: str = "") -> Finding:
    citation = Citation(marker=1, document="甲", document_id=1, page=1, start=0, end=len(quote), quote=quote)
    return Finding(item="x", status=FindingStatus.SUPPORTED, value=value, citations=(citation,))


@pytest.mark.parametrize(
    ("value", "quote", "percent"),
    [
        ("月利率1.5%", "", "18.0"), ("1.5%", "借款月利率为1.5%", "18.0"), ("年利率12%", "", "12"),
        ("12%", "借款年利率为12%。", "12"), ("0.05%", "每日按0.05%计算", "18.25"),
    ],
)  # fmt: skip
def test_a_rate_takes_its_unit_from_the_value_or_the_quote(value: str, quote: str, percent: str) -> None:
    assert values.rate_per_year(finding(value, quote)) == D(percent)


def test_a_rate_without_a_unit_is_not_guessed() -> None:
    assert values.rate_per_year(finding("15%", "按15%计算")) is None


def test_amounts_and_days() -> None:
    assert values.money(finding("人民币50万元")) == D(500000)
    assert [d.isoformat() for d in values.days(finding("自2021年3月5日起至2022年3月4日止"))] == [
        "2021-03-05",
        "2022-03-04",
    ]
    assert values.day(finding("2021年3月")) is None
