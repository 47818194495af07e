"""Keys by which the exact search meets what a document says."""

from __future__ import annotations

import pytest

from aipc_app.text.fact_keys import fact_keys


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("借款五十万元整", "500,000元是谁借的"),
        ("二〇二一年三月五日", "2021-03-05 发生了什么"),
        ("2021年3月5日转账", "2021年3月的转账"),
        ("第六百八十条第二款", "第680条"),
        ("年利率15.4%", "百分之十五点四"),
        ("（2021）京01民初5号", "(2021)京01民初5号"),
        ("USD 1,200.50", "1200.50"),
    ],
)
def test_a_question_meets_what_is_written_another_way(said: str, asked: str) -> None:
    assert set(fact_keys(said)) & set(fact_keys(asked))


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("借款五十万元", "借款五万元"),
        ("2021年3月5日", "2021年4月5日"),
        ("第六百八十条", "第六百八十一条"),
        ("15天内", "15%"),
    ],
)
def test_other_facts_do_not_meet(said: str, asked: str) -> None:
    assert not set(fact_keys(said)) & set(fact_keys(asked))


def test_small_bare_figures_and_years_give_no_key() -> None:
    assert fact_keys("共3份，2021年，第2页") == ()


def test_a_whole_date_agrees_more_often_than_its_month() -> None:
    asked = set(fact_keys("2021年3月5日"))
    assert len(asked & set(fact_keys("2021年3月5日"))) > len(asked & set(fact_keys("2021年3月9日"))) > 0
