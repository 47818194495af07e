"""Which line breaks a printer made, and which the writer."""

import pytest

from aipc_app.text.layout import display_width, is_row, soft_breaks, starts_item


def joined(text: str) -> str:
    soft = soft_breaks(text)
    return "".join(" " if index in soft else character for index, character in enumerate(text))


@pytest.mark.parametrize(
    "text",
    [
        "姓名：张三\n性别：男\n住址：北京市",
        "标题\n正文的第一段写得很长很长，长到了一整行也放不下的地步。\n第二段",
        "如下：\n借款本金五十万元整，利息另计，违约金另行计算，律师费由被告承担",
        "甲\t乙\n丙\t丁",
        "- one\n- two\n1. three\n（四）四\n第五条 五",
        "# Heading\ntext that follows the heading directly and is long enough for a line",
        "第一段。\n\n第二段。",
    ],
)
def test_breaks_that_the_writer_made_stay(text: str) -> None:
    assert joined(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "原告与被告于二〇二一年签订借款合同，约定借款本金为人民币五十\n万元整。",
        "签于2021年3月\n5日",
        "The Receiving Party shall hold and maintain the Confidential\nInformation.",
        "原告主张被告应当偿还借款本金及利息，\n并承担本案的诉讼费。",
    ],
)
def test_breaks_of_full_lines_go(text: str) -> None:
    assert joined(text) == text.replace("\n", " ")


def test_rows_and_items() -> None:
    assert is_row("a\tb") and is_row("| a |") and is_row("a | b") and not is_row("a|b c")
    assert starts_item("  - a") and starts_item("1.2 a") and starts_item("第三条 a") and not starts_item("2021年")


def test_wide_characters_take_two_columns() -> None:
    assert display_width("abc") == 3
    assert display_width("借款ab") == 6
