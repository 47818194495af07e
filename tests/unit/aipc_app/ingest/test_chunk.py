"""Passages: exact, whole, of a size that fits, cut where a reader would cut."""

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aipc_app.ingest.chunk import Cut, Limits, PageText, cut
from aipc_app.ingest.running_heads import edges_of

SENTENCE = "原告于二〇二一年三月五日向被告交付借款本金人民币五十万元整，约定年利率为百分之十二，借款期限为一年。"


def cut_texts(*texts: str) -> tuple[Cut, ...]:
    return cut([PageText(number, text) for number, text in enumerate(texts, start=1)])


def chinese_characters(text: str) -> int:
    return sum("\u4e00" <= character <= "\u9fff" for character in text)


def test_prose_is_cut_at_sentences_near_the_target_and_says_the_last_one_again() -> None:
    cuts = cut_texts(SENTENCE * 40)
    assert len(cuts) > 3
    for one in cuts:
        assert one.text.startswith("原告") and one.text.endswith("。")
        assert 150 <= chinese_characters(one.text) <= 600
    for before, after in pairwise(cuts):
        assert 0 < before.end - after.start <= 2 * len(SENTENCE)


def test_english_prose_is_cut_near_two_hundred_words() -> None:
    text = "The Borrower shall repay the principal together with all accrued interest on the due date. " * 60
    cuts = cut_texts(text)
    assert all(100 <= len(one.text.split()) <= 300 for one in cuts)
    assert all(one.text.endswith(".") for one in cuts)


def test_a_passage_never_crosses_a_page() -> None:
    cuts = cut_texts("第一页的内容还没有说完，", "第二页接着说。")
    assert [(one.page, one.text) for one in cuts] == [(1, "第一页的内容还没有说完，"), (2, "第二页接着说。")]


def test_empty_pages_have_no_passages() -> None:
    assert cut([]) == ()
    assert cut_texts("", " \n\n\t\u3000") == ()


@pytest.mark.parametrize("count", range(8, 24))
def test_no_tiny_tail_is_left(count: int) -> None:
    cuts = cut_texts("原告已经还款。" * count * 7 + "此致。")
    assert chinese_characters(cuts[-1].text) >= Limits().minimum
    assert cuts[-1].text.endswith("此致。")


def test_sections_start_passages_and_give_their_heading_path() -> None:
    cuts = cut_texts(
        f"# 民事起诉状\n\n## 诉讼请求\n\n{SENTENCE * 3}\n\n## 事实与理由\n\n{SENTENCE * 3}"
        f"\n\n### 利息\n\n{SENTENCE * 3}"
    )
    assert [(one.heading, one.text.startswith("#")) for one in cuts] == [
        ("民事起诉状 / 诉讼请求", True),
        ("民事起诉状 / 事实与理由", True),
        ("民事起诉状 / 事实与理由 / 利息", True),
    ]


def test_headings_of_a_plain_judgment_are_seen() -> None:
    cuts = cut_texts(
        f"北京市朝阳区人民法院\n民事判决书\n（2021）京0105民初1234号\n{SENTENCE * 3}\n原告诉称，{SENTENCE * 3}\n"
        f"本院认为，{SENTENCE * 3}\n一、关于借款本金\n{SENTENCE * 3}\n判决如下：\n{SENTENCE * 3}"
    )
    headings = [one.heading or "" for one in cuts]
    assert [heading.rpartition(" / ")[2] for heading in headings] == [
        "北京市朝阳区人民法院",
        "原告诉称",
        "本院认为",
        "一、关于借款本金",
        "判决如下",
    ]


def test_small_sections_are_gathered() -> None:
    cuts = cut_texts("一、借款金额\n五十万元。\n二、借款期限\n一年。\n三、利率\n年利率百分之十二。")
    assert len(cuts) == 1


def test_table_rows_stay_whole() -> None:
    rows = [
        f"第{number}期\t2021年{number % 12 + 1}月5日\t本金{number}000元。\t已还；未逾期" for number in range(1, 120)
    ]
    cuts = cut_texts("还款明细\n" + "\n".join(rows))
    assert len(cuts) > 3
    for one in cuts:
        lines = one.text.split("\n")
        assert all(line in rows or line == "还款明细" for line in lines)


STATUTE = (
    "# 民间借贷条例\n\n2020年1月1日 国务院公布\n\n## 第一章 总 则\n\n第一条 为了规范民间借贷，制定本条例。\n\n"
    "第二条 本条例所称民间借贷，是指自然人、法人之间进行资金融通的行为。\n\n前款规定不适用于金融机构。\n\n"
    "## 第二章 合 同\n\n### 第一节 订 立\n\n第三条 借款合同应当采用书面形式。依照本条例\n第二条的规定除外。\n\n"
    "第三条之一 利率不得超过\n（一）合同成立时一年期贷款市场报价利率四倍；\n（二）其他限额。\n\n"
    "## 第三章 附 则\n\n第四条 本条例自2021年1月1日起施行。\n"
)


def test_a_statute_is_cut_at_its_articles_with_their_heading_paths() -> None:
    cuts = [one for one in cut_texts(STATUTE) if one.article]
    assert [(one.article, one.heading) for one in cuts] == [
        ("第一条", "民间借贷条例 / 第一章 总则"),
        ("第二条", "民间借贷条例 / 第一章 总则"),
        ("第三条", "民间借贷条例 / 第二章 合同 / 第一节 订立"),
        ("第三条之一", "民间借贷条例 / 第二章 合同 / 第一节 订立"),
        ("第四条", "民间借贷条例 / 第三章 附则"),
    ]
    assert cuts[1].text == (
        "第二条 本条例所称民间借贷，是指自然人、法人之间进行资金融通的行为。\n\n前款规定不适用于金融机构。"
    )
    assert not any(one.continued for one in cuts)


def test_an_article_number_is_given_without_its_spaces() -> None:
    cuts = cut_texts("第 一 条　总则。\n\n第 十 二 条　第二。\n\n第三条 终。")
    assert [one.article for one in cuts] == ["第一条", "第十二条", "第三条"]


def test_an_article_over_a_page_break_is_two_passages_of_the_same_article() -> None:
    first, second = STATUTE.split("前款规定")
    cuts = cut_texts(first, "前款规定" + second)
    article = [one for one in cuts if one.article == "第二条"]
    assert [(one.page, one.continued) for one in article] == [(1, False), (2, True)]
    assert article[1].text == "前款规定不适用于金融机构。"
    assert article[1].heading == article[0].heading
    assert [one.article for one in cuts if one.page == 2] == ["第二条", "第三条", "第三条之一", "第四条"]


def test_a_long_article_is_cut_at_its_paragraphs_without_overlap() -> None:
    paragraphs = [f"（{number}）{SENTENCE}" for number in "一二三四五六七八九十"] + [SENTENCE * 3]
    cuts = cut_texts("第一条 短。\n\n第二条 应当：\n" + "\n".join(paragraphs) + "\n\n第三条 短。")
    pieces = [one for one in cuts if one.article == "第二条"]
    assert len(pieces) > 1
    assert [one.continued for one in pieces] == [False] + [True] * (len(pieces) - 1)
    for before, after in pairwise(pieces):
        assert before.end <= after.start
        assert before.text.endswith("。")
    assert all(chinese_characters(one.text) <= 600 for one in pieces)


def test_a_table_of_contents_is_no_part_of_the_first_article() -> None:
    contents = "目 录\n第一章 总 则\n第二章 合 同\n第三章 附 则\n"
    cuts = cut_texts("借贷条例\n" + contents + "第一章 总 则\n第一条 甲。\n第二条 乙。\n第二章 合 同\n第三条 丙。")
    first = next(one for one in cuts if one.article == "第一条")
    assert first.text == "第一章 总 则\n第一条 甲。"
    assert first.heading == "借贷条例 / 第一章 总则"


def test_a_contract_in_articles_is_cut_like_a_statute() -> None:
    clauses = [f"第{numeral}条 {SENTENCE}" for numeral in "一二三四"]
    assert [
        one.article for one in cut_texts("借款合同\n甲方：张三\n乙方：李四\n" + "\n".join(clauses)) if one.article
    ] == [
        "第一条",
        "第二条",
        "第三条",
        "第四条",
    ]
    english = "LOAN AGREEMENT\n" + "\n".join(f"Section {number}. The Borrower shall pay." for number in range(1, 5))
    assert [one.article for one in cut_texts(english) if one.article] == [f"Section {number}" for number in range(1, 5)]


def test_articles_quoted_at_the_end_of_a_judgment_dont_make_it_a_statute() -> None:
    law = "\n".join(f"第六百七十{numeral}条 借款人应当按照约定返还借款。" for numeral in "五六七八")
    cuts = cut_texts(SENTENCE * 40 + "\n附：本案适用的法律条文\n" + law)
    assert all(one.article is None for one in cuts)


def test_a_page_without_any_punctuation_is_cut_by_length() -> None:
    cuts = cut_texts("借" * 1_000_000)
    assert all(len(one.text) <= Limits().maximum for one in cuts)
    assert len(cuts) >= 1_000_000 / Limits().maximum


def test_limits_are_kept_to() -> None:
    limits = Limits(target=100, maximum=120, minimum=10, overlap=0)
    cuts = cut([PageText(1, SENTENCE * 10)], limits=limits)
    assert all(chinese_characters(one.text) <= 120 for one in cuts)
    assert sum(len(one.text) for one in cuts) == len(SENTENCE) * 10


LINES = [
    *(SENTENCE, "第一条 甲。", "第二条 乙", "第三条之一 丙；", "第十条", "# 标题", "## 第二章 合 同", "一、事实"),
    "原告诉称：",
    *("", "a\tb\tc", "| 甲 | 乙 |", "x" * 700, "借" * 900, "The end. Of it.", "　", "目录", "本院认为，"),
    *("第四条的规定", "\u2028", "1.", "INTRODUCTION"),
]
PAGES = st.lists(st.lists(st.sampled_from(LINES), max_size=12).map("\n".join), max_size=4)


@given(PAGES)
def test_every_character_of_the_body_is_in_a_passage_and_every_passage_is_exact(texts: list[str]) -> None:
    cuts = cut_texts(*texts)
    covered = [bytearray(len(text)) for text in texts]
    for one in cuts:
        assert texts[one.page - 1][one.start : one.end] == one.text == one.text.strip() != ""
        covered[one.page - 1][one.start : one.end] = b"x" * (one.end - one.start)
    for text, marks, edges in zip(texts, covered, edges_of(texts), strict=True):
        marks[: edges.body.start] = b"x" * edges.body.start
        marks[edges.body.end :] = b"x" * (len(text) - edges.body.end)
        assert all(mark or character.isspace() for mark, character in zip(marks, text, strict=True))


@given(PAGES)
def test_passages_come_in_order_and_none_lies_inside_another(texts: list[str]) -> None:
    cuts = cut_texts(*texts)
    for before, after in pairwise(cuts):
        assert before.page < after.page or (before.start < after.start and before.end < after.end)


@given(PAGES)
def test_an_article_is_named_once_and_then_continued(texts: list[str]) -> None:
    for one in cut_texts(*texts):
        assert one.article is not None or not one.continued


@pytest.mark.parametrize(
    "unit",
    ["借", "a", "。", "1", "\n", "第一条 甲\n", "a\t", " | ", "# a\n", "a. ", "第", "一、甲\n", "（一）", "THE ", "“"],
)
def test_large_pages_take_linear_time(unit: str) -> None:
    def seconds(count: int) -> float:
        text = unit * (count // len(unit))
        started = time.process_time()
        cut_texts(text)
        return time.process_time() - started

    assert seconds(60_000) < 35 * max(seconds(6_000), 0.002)
