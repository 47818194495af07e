"""Lines that are headings, lines that are not, and the path they make."""

import pytest

from aipc_app.ingest.headings import Heading, HeadingPath, heading_of, title_of


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("## 第二章 合 同", "第二章 合同"),
        ("第三编　合　同", "第三编 合同"),
        ("第一节 一般规定", "第一节 一般规定"),
        ("一、案件基本情况", "一、案件基本情况"),
        ("判决如下：", "判决如下"),
        ("附件二：还款计划", "附件二：还款计划"),
        ("1.2 Scope of the Agreement", "1.2 Scope of the Agreement"),
        ("CONFIDENTIALITY AND NON-USE", "CONFIDENTIALITY AND NON-USE"),
        ("Abstract", "Abstract"),
        ("##### 1. **Short title**", "1. Short title"),
        ("Schedule 2 Fees", "Schedule 2 Fees"),
    ],
)
def test_headings(line: str, title: str) -> None:
    heading = heading_of(line)
    assert heading is not None and heading.title == title and not heading.inline


@pytest.mark.parametrize(
    "line",
    [
        "原告与被告签订借款合同。",
        "一、将刑法第一百五十一条第三款修改为：“走私珍稀植物的，处五年以下有期徒刑。”",
        "第三章的规定，适用于本合同。",
        "1. The Borrower shall repay the loan.",
        "甲\t乙\t丙",
        "| A | B |",
        "<!-- INFO END -->",
        "The Borrower repaid",
        "---",
    ],
)
def test_other_lines(line: str) -> None:
    assert heading_of(line) is None


def test_a_lead_opens_a_section_and_stays_in_its_paragraph() -> None:
    assert heading_of("原告诉称，被告至今未还。") == Heading("原告诉称", 45, inline=True)


def test_a_path_leaves_what_a_heading_ends() -> None:
    path = HeadingPath()
    for line in ("# 民法典", "## 第一章 总则", "### 第一节 甲", "### 第二节 乙", "## 第二章 丙"):
        heading = heading_of(line)
        assert heading is not None
        path.enter(heading)
    assert path.text() == "民法典 / 第二章 丙"
    assert HeadingPath().text() is None


def test_a_second_title_right_under_the_first_is_a_part_of_it() -> None:
    path = HeadingPath()
    path.enter(Heading("中华人民共和国民法典", 10))
    path.enter(Heading("合同编", 10), directly=True)
    assert path.text() == "中华人民共和国民法典 / 合同编"


def test_a_short_first_line_is_a_title() -> None:
    assert title_of("民事起诉状") == Heading("民事起诉状", 1)
    assert title_of("原告：张三") is None
    assert title_of("这是一句话。") is None
