"""What code finds word for word: headings, tables, fixed words, transcripts; and where it chooses nothing."""

from __future__ import annotations

import pytest

from aipc_app.answer.material import Source
from aipc_app.answer.units import Units, cut_units
from aipc_app.domain.review import Column, Item, ItemType, Look, Words
from aipc_app.review.look.find import look
from aipc_app.review.look.hits import Looked
from aipc_app.review.timeline import timeline

WORDS = Words(zh="事项", en="Item")


def units(text: str) -> Units:
    page = Source(document_id=1, document="甲.txt", page=1, page_text=text, start=0, end=len(text))
    return cut_units([page])


def find(text: str, rules: Look, type_: ItemType = ItemType.TEXT, columns: tuple[Column, ...] = ()) -> Looked:
    return look(Item(id="x", label=WORDS, type=type_, look=rules, columns=columns), units(text))


def texts(looked: Looked) -> list[str]:
    return [hit.text for hit in looked.hits]


PLEADING = "诉讼请求\n一、判令归还100元；\n二、诉讼费由被告负担。\n事实与理由\n2021年借款。\n此致\n甲法院\n"


def test_the_lines_below_a_heading_up_to_the_next() -> None:
    assert texts(find(PLEADING, Look(heads=("诉讼请求",)))) == ["一、判令归还100元；", "二、诉讼费由被告负担。"]
    assert texts(find(PLEADING, Look(heads=("事实与理由",), until=("此致",)))) == ["2021年借款。"]


def test_a_quote_is_the_page_from_start_to_end() -> None:
    for hit in find(PLEADING, Look(heads=("诉讼请求",))).hits:
        assert PLEADING[hit.start : hit.end] == hit.text


def test_a_heading_and_its_first_sentence_may_be_one_unit() -> None:
    text = "4. Method\nWe count.\n5. Limits\nThe study has a limit. It covers one town.\n6. Conclusion\nIt was warm.\n"
    assert texts(find(text, Look(heads=("Limits",)))) == ["The study has a limit.", "It covers one town."]


@pytest.mark.parametrize(
    ("text", "word", "value"),
    [
        ("借款金额：人民币500,000元（大写：伍拾万元整）。", "借款金额", "人民币500,000元"),
        ("甲方向乙方出借人民币500,000元。", "出借人民币", "人民币500,000元"),
        ("判令被告归还借款本金500,000元，支付利息3,000元。", "借款本金", "500,000元"),
    ],
)
def test_the_figure_behind_a_word(text: str, word: str, value: str) -> None:
    assert texts(find(text, Look(near=(word,)), ItemType.MONEY)) == [value]


def test_figures_that_differ_are_not_chosen_from_but_one_that_is_repeated_is_one() -> None:
    differing = find("律师费20,000元。\n律师费15,000元。\n", Look(near=("律师费",)), ItemType.MONEY)
    assert not differing and differing.several
    same = find("律师费20,000元。\n律师费2万元。\n", Look(near=("律师费",)), ItemType.MONEY)
    assert texts(same) == ["20,000元"]


BALANCE = (
    "单位：人民币万元\n| 项目 | 2022年末 | 2023年末 |\n| 资产总计 | 4,935 | 5,405 |\n"
    "| 短期借款（含一年内到期） | 600 | 760 |\n"
)


@pytest.mark.parametrize(
    ("row", "year", "value"),
    [("资产总计", "last", "5,405万元"), ("资产总计", "before", "4,935万元"), ("短期借款", "last", "760万元")],
)
def test_a_cell_under_its_year_with_the_unit_of_the_page(row: str, year: str, value: str) -> None:
    assert texts(find(BALANCE, Look(rows=(row,), year=year), ItemType.MONEY)) == [value]


def test_a_row_of_another_name_is_not_taken() -> None:
    assert not find(BALANCE, Look(rows=("资产",), year="last"), ItemType.MONEY)


def test_a_table_by_its_heads_in_the_order_of_the_items_columns() -> None:
    columns = (
        Column(id="amount", label=WORDS, names=("金额",)), Column(id="payer", label=WORDS, names=("付款人",)),
        Column(id="note", label=WORDS, names=("附言",)),
    )  # fmt: skip
    text = "| 付款人 | 金额（元） |\n| --- | --- |\n| 钱一 | 100.00 |\n| 孙二 | 50.00 |\n"
    found = find(text, Look(table=("金额",)), ItemType.TABLE, columns)
    assert [[hit.text for hit in row] for row in found.rows] == [["100.00", "钱一", ""], ["50.00", "孙二", ""]]


def test_columns_set_with_spaces_are_a_table_too() -> None:
    columns = (Column(id="bank", label=WORDS, names=("机构",)), Column(id="balance", label=WORDS, names=("余额",)))
    text = (
        "一、未结清信贷\n机构        余额（万元）    到期日\n甲银行      300             2024-06-15\n"
        "乙银行      460             2024-11-30\n"
    )
    found = find(text, Look(table=("余额",)), ItemType.TABLE, columns)
    assert [[hit.text for hit in row] for row in found.rows] == [["甲银行", "300"], ["乙银行", "460"]]


def test_figures_set_without_rules_keep_their_labels() -> None:
    text = (
        "Table 1. Means. Class Stops Air Comfort\nLess than 10% 12 33.4 2.1\n10 to 25% 12 32.6 2.6\n"
        "More than 40% 11 31.1 3.4\nIn the model it fell."
    )
    found = find(text, Look(method="tables"), ItemType.TABLE)
    assert [row[0].text for row in found.rows] == ["Less than 10%", "10 to 25%", "More than 40%"]
    assert found.rows[2][1].text.endswith("11 31.1 3.4")


def test_what_is_said_after_a_question_until_the_asker_speaks_again() -> None:
    text = "审判员：借款用在哪里？\n孙二：付了货款。\n钱一：我不知道。\n审判员：有无收条？\n钱一：没有。\n"
    assert texts(find(text, Look(asked=("用在",)))) == ["孙二：付了货款。", "钱一：我不知道。"]


def test_the_numbered_points_of_a_paper_each_with_what_follows() -> None:
    text = "答辩状\n一、只收到90元\n原告扣下10元。\n二、已还20元\n2022年还清。\n综上，请求驳回。\n"
    assert texts(find(text, Look(method="numbered"))) == [
        "一、只收到90元　原告扣下10元。",
        "二、已还20元　2022年还清。",
    ]


def test_the_last_date_of_a_paper() -> None:
    assert texts(find("2021年3月5日签订。\n具状人：钱一\n2024年4月16日\n", Look(method="last_date"))) == [
        "2024年4月16日"
    ]


def test_a_timeline_is_in_order_and_has_only_whole_dates() -> None:
    text = "2022年6月1日，被告归还20,000元。\n2021年3月，被告提出借款。\n2022年1月10日，原告转账90,000元。\n"
    item = Item(id="x", label=WORDS, type=ItemType.TABLE, look=Look(method="timeline"))
    found = timeline(item, units(text))
    assert [row[0].text for row in found.rows] == ["2022-01-10", "2022-06-01"]


def test_nothing_there_is_nothing_found() -> None:
    assert not find("今天天气好。", Look(heads=("诉讼请求",), near=("本金",), rows=("资产",), mentions=("担保",)))


def test_what_a_speaker_said_is_quoted_whole_and_elsewhere_the_sentence_alone() -> None:
    hearing = "审判员：请答辩。\n孙二：我只签了字。我不应当承担责任。\n审判员：休庭。\n"
    assert texts(find(hearing, Look(mentions=("不应当承担责任",)))) == ["孙二：我只签了字。我不应当承担责任。"]
    contract = "丙方签字。丙方提供担保。三方各执一份。\n"
    assert texts(find(contract, Look(mentions=("提供担保",)))) == ["丙方提供担保。"]


def test_the_last_day_of_messages() -> None:
    before = "—— 2021年3月3日 ——\n20:11 孙二：借一点。\n"
    chat = f"{before}—— 2023年5月6日 ——\n09:12 钱一：再不还我去法院。\n09:40 孙二：本金我认。\n"
    (told,) = find(chat, Look(method="last_exchange")).hits
    assert told.text == "2023年5月6日\n09:12 钱一：再不还我去法院。\n09:40 孙二：本金我认。"
    assert chat[told.start : told.end].endswith("本金我认。")
