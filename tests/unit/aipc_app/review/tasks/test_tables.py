"""Rows of a table chosen by word and date, and what is worked out over them."""

from __future__ import annotations

from decimal import Decimal

import pytest

from aipc_app.answer.material import Source
from aipc_app.answer.units import cut_units
from aipc_app.review.tables import Table
from aipc_app.review.tasks.reckoning import NotReckoned
from aipc_app.review.tasks.tables import case_tables, pick, work_out, working_of

BANK = """交易明细
| 序号 | 交易时间 | 付款人 | 金额（元） | 附言 |
| --- | --- | --- | --- | --- |
| 1 | 2021-03-08 10:36 | 陈国梁 | 450,000.00 | 借款 |
| 2 | 2021-09-10 15:58 | 赵立新 | 60,000.00 | 还款 |
| 3 | 2022-01-20 09:12 | 赵立新 | 30,000.00 | 利息 |
| 4 | 2022-07-15 14:27 | 李春燕 | 100,000.00 | 货款 |
| 合计 | | | 640,000.00 | |
"""
PROFIT = """单位：万元
| 项目 | 2021年 | 2022年 | 2023年 |
| 利润总额 | 390 | 360 | 275 |
| 净利润 | 332 | 306 | 234 |
| 投资净额 | -265 | -210 | -192 |
"""


def table(text: str) -> Table:
    (found,) = case_tables(cut_units((Source(document_id=1, document="甲.md", page=1, page_text=text, start=0,
                                             end=len(text)),)))  # fmt: skip
    return found


def values(of: Table, column: str = "", where: str = "", after: str = "", before: str = "") -> list[Decimal]:
    return [value for _, value, _ in pick(of, column=column, where=where, after=after, before=before).figures]


def test_rows_after_a_month_are_added_without_the_total_row() -> None:
    found = values(table(BANK), "金额", after="2021-03")
    assert found == [60_000, 30_000, 100_000]
    assert working_of("sum", found, work_out("sum", found)) == "60,000 + 30,000 + 100,000 = 190,000"


def test_rows_are_chosen_by_a_word_and_by_either_bound() -> None:
    assert values(table(BANK), "金额（元）", where="赵立新") == [60_000, 30_000]
    assert values(table(BANK), "金额", where="还款|利息") == [60_000, 30_000]
    assert values(table(BANK), "金额", before="2022-01-20") == [450_000, 60_000]
    assert values(table(BANK), "金额", after="2021-09-10") == [30_000, 100_000]  # later than that day
    assert values(table(BANK), "金额", where="合计") == [640_000]
    assert values(table(BANK), "金额") == [450_000, 60_000, 30_000, 100_000]  # not the total


def test_the_label_of_a_row_in_the_place_of_a_column_means_that_row() -> None:
    assert values(table(PROFIT), "净利润") == [332, 306, 234]
    assert values(table(PROFIT), "净利润", after="2021") == [306, 234]
    assert values(table(PROFIT), "净利润", before="2023") == [332, 306]
    assert pick(table(PROFIT), column="净利润", where="", after="2021", before="").columns == ("净利润 2022年 2023年",)
    with pytest.raises(NotReckoned) as refused:
        values(table(PROFIT), "净利润", after="2023")
    assert refused.value.key == "no_rows" and "2023年" in refused.value.about


def test_a_row_of_just_this_name_goes_before_rows_that_hold_it() -> None:
    assert values(table(PROFIT), where="净利润") == [332, 306, 234]
    assert values(table(PROFIT), "2023", where="净利润") == [234]
    assert values(table(PROFIT), where="投资净额") == [-265, -210, -192]
    shares = table("| 项目 | 2022年 |\n| 净利润增速 | 7.8 |\n| 净利润 | 306 |\n")
    assert values(shares, where="净利润") == [306] and values(shares, where="利润") == [Decimal("7.8"), 306]


@pytest.mark.parametrize(
    ("chosen", "key"),
    [
        ({"column": "年"}, "no_column"), ({"where": "不存在"}, "no_rows"), ({"after": "明年"}, "no_date"),
        ({"column": "项目"}, "no_figures"),
    ],
)  # fmt: skip
def test_what_can_not_be_chosen_is_refused(chosen: dict[str, str], key: str) -> None:
    with pytest.raises(NotReckoned) as refused:
        work_out("sum", values(table(PROFIT), **chosen))
    assert refused.value.key == key


@pytest.mark.parametrize(
    ("operation", "value"), [("sum", 872), ("count", 3), ("largest", 332), ("smallest", 234)]
)
def test_operations(operation: str, value: int) -> None:
    assert work_out(operation, values(table(PROFIT), where="净利润")) == value


def test_an_average_is_exact() -> None:
    assert work_out("average", [Decimal("0.1"), Decimal("0.2")]) == Decimal("0.15")


def test_two_lines_set_in_columns_are_no_table() -> None:
    text = "案号：（2024）江0112民初3876号　　案由：民间借贷纠纷\n提交人：陈国梁　　提交日期：2024年5月20日\n"
    source = Source(document_id=1, document="清单.docx", page=1, page_text=text, start=0, end=len(text))
    assert case_tables(cut_units((source,))) == ()
