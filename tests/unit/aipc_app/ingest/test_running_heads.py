"""What is printed on every page is told from what is said on one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aipc_app.ingest.chunk import PageText, cut
from aipc_app.ingest.page_labels import Label, label_of, roman_value
from aipc_app.ingest.running_heads import edges_of

NUMERALS = "一二三四五六七八九十"


def bodies(*texts: str) -> list[str]:
    return [text[edges.body.start : edges.body.end] for text, edges in zip(texts, edges_of(texts), strict=True)]


def labels(*texts: str) -> list[str]:
    return [edges.label.text for edges in edges_of(texts)]


def test_heads_and_page_numbers_are_left_out_after_the_first_page() -> None:
    pages = [f"借款合同 编号 JK-2021\n{NUMERALS[i]}、甲方说了{NUMERALS[i]}。\n第{i + 1}页 共5页" for i in range(5)]
    assert bodies(*pages)[0] == "借款合同 编号 JK-2021\n一、甲方说了一。\n"
    assert bodies(*pages)[1:] == [f"{NUMERALS[i]}、甲方说了{NUMERALS[i]}。\n" for i in range(1, 5)]
    assert labels(*pages) == ["1", "2", "3", "4", "5"]


def test_printed_numbers_need_not_be_those_of_the_file() -> None:
    assert labels(*(f"内容{NUMERALS[i]}\n- {i + 107} -" for i in range(6))) == [str(i + 107) for i in range(6)]
    roman = [f"Some text {c}\n{n}" for c, n in zip("abcdef", ["i", "ii", "iii", "1", "2", "3"], strict=True)]
    assert labels(*roman) == ["i", "ii", "iii", "1", "2", "3"]


def test_the_volume_stands_before_the_number() -> None:
    pages = [f"第二卷 第{i}页\n询问笔录\n问：{c}？" for i, c in enumerate("甲乙丙", 15)]
    assert labels(*pages) == ["第二卷 15", "第二卷 16", "第二卷 17"]


def test_statements_and_tables_are_no_running_heads() -> None:
    sentence = "被告至今没有归还借款。"
    assert bodies(*[f"{sentence}\n{c}" for c in "甲乙丙丁"]) == [f"{sentence}\n{c}" for c in "甲乙丙丁"]
    spoken = "the next day she admonishes them harshly about the strike."
    assert bodies(*[f"{spoken}\n{c}" for c in "abcd"]) == [f"{spoken}\n{c}" for c in "abcd"]
    table = [f"期数 | 日期 | 金额\n{i} | 三月 | 500" for i in range(1, 6)]
    assert bodies(*table) == table
    entries = [f"2021-03-0{i} 转账 {i * 137}.50\n余额 {i * 7919}" for i in range(1, 9)]
    assert bodies(*entries) == entries


def test_numbers_that_count_nothing_are_no_page_numbers() -> None:
    amounts = [f"{c}共计\n{amount}" for c, amount in zip("甲乙丙丁", (500, 12, 999, 40), strict=True)]
    assert labels(*amounts) == ["", "", "", ""]
    assert bodies(*amounts) == amounts
    assert bodies("单独一页\n42") == ["单独一页\n42"]


@pytest.mark.parametrize(
    ("line", "label", "alone"),
    [
        ("第 3 页", Label("3"), True),
        ("第十二页 共二十页", Label("12"), True),
        ("Page 4 of 10", Label("4"), True),
        ("— 7 —", Label("7"), True),
        ("3/12", Label("3"), True),
        ("卷二 第15页", Label("15", "卷二"), True),
        ("借款合同 第3页", Label("3"), False),
        ("详见第3页的转账记录，可以证明。", Label(), False),
        ("Vol. II, page 88", Label("88", "Vol.II"), True),
        ("2021年", Label(), False),
    ],
)
def test_labels_of_lines(line: str, label: Label, alone: bool) -> None:
    assert label_of(line) == (label, alone)


def test_roman_numerals() -> None:
    assert [roman_value(one) for one in ("i", "iv", "ix", "xiv", "xl", "xcix")] == [1, 4, 9, 14, 40, 99]
    assert roman_value("mild") is None and roman_value("iiii") is None and roman_value("") is None


def test_numbers_beside_lines_are_not_what_a_passage_is_found_by() -> None:
    page = "\n".join(f"{number}  The witness was asked about matter {chr(96 + number)}" for number in range(1, 26))
    (passage,) = cut([PageText(1, page)])
    assert passage.text == page
    assert "25" not in passage.searched and "matter y" in passage.searched
    assert len(passage.searched) == len(passage.text)


def test_the_numbers_of_a_list_stay() -> None:
    page = "清单\n" + "\n".join(f"{number} 号证据，借条" for number in range(1, 13)) + "\n以上。" * 10
    assert edges_of([page])[0].line_numbers == ()


@given(st.lists(st.text(alphabet="第1页- 2\n甲a。|\t", max_size=60), max_size=6))
def test_a_body_is_part_of_its_page_and_line_numbers_are_digits(texts: list[str]) -> None:
    for text, edges in zip(texts, edges_of(texts), strict=True):
        assert 0 <= edges.body.start <= edges.body.end <= len(text)
        for span in edges.line_numbers:
            assert edges.body.start <= span.start < span.end <= edges.body.end
            assert text[span.start : span.end].isdigit()
