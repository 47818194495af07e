"""Judgments by their parts, agreements by their clauses, tables under their header."""

import re
from pathlib import Path

import pytest

from aipc_app.domain.documents import PassageDraft
from aipc_app.ingest.chunk import Cut, PageText, cut
from aipc_app.ingest.clauses import ClauseSequence, clause_of, clauses_in, numbering_of
from aipc_app.ingest.passages import index_passage

SENTENCE = "原告于二〇二一年三月五日向被告交付借款本金人民币五十万元整，约定年利率为百分之十二，借款期限为一年。"


def cut_texts(*texts: str) -> tuple[Cut, ...]:
    return cut([PageText(number, text) for number, text in enumerate(texts, start=1)])


def test_a_judgment_is_cut_at_its_parts_and_the_parties_names_are_no_obstacle() -> None:
    cuts = cut_texts(
        f"某市某区人民法院\n民事判决书\n（2021）某0105民初1234号\n{SENTENCE * 3}\n原告陈国梁诉称：{SENTENCE * 3}\n"
        f"被告赵立新（下称赵某）辩称，{SENTENCE * 3}\n经本院审理查明：{SENTENCE * 3}\n另查明，{SENTENCE * 3}\n"
        f"本院认为，{SENTENCE * 3}综上，依照《中华人民共和国民法典》第六百七十五条规定，判决如下：\n"
        f"一、被告于本判决生效之日起十日内归还借款。\n二、驳回其他请求。{SENTENCE * 3}"
    )
    parts = [(one.heading or "").rpartition(" / ")[2] for one in cuts]
    assert parts[1:] == ["原告诉称", "被告辩称", "经本院审理查明", "另查明", "本院认为", "判决如下"]
    assert cuts[-1].text.startswith("综上，依照《中华人民共和国民法典》")
    assert "一、被告于本判决" in cuts[-1].text


def test_a_statute_that_speaks_of_parties_is_not_cut_at_them() -> None:
    rule = "第二条 再审案件应当开庭审理。\n被申请人及原审其他当事人提出的再审请求，应当审查。"
    cuts = cut_texts(f"民事诉讼规定\n第一条 甲。\n{rule}\n第三条 乙。\n第四条 丙。")
    assert next(one for one in cuts if one.article == "第二条").text == rule


AGREEMENT = "LOAN AGREEMENT\nBETWEEN A AND B\n" + "".join(
    f"{number}. {title}\n{number}.1 The Borrower shall {verb} the Loan in accordance with the terms set out below, "
    f"in {number + 1}0 instalments of equal amount, without set-off or deduction of any kind whatsoever.\n"
    f"{number}.2 The Lender may, by giving notice in writing, ask the Borrower to {verb} at an earlier date, "
    "and the Borrower must then comply within thirty days of receiving that notice from the Lender. "
    + "Nothing in this clause takes away from any other right that the Lender has under the law of the place. " * 5
    + "\n"
    for number, (title, verb) in enumerate(
        [("DEFINITIONS", "define"), ("REPAYMENT", "repay"), ("INTEREST", "bear"), ("NOTICES", "notify")], 1
    )
)


def test_an_agreement_is_cut_at_its_clauses_under_their_titles() -> None:
    cuts = [one for one in cut_texts(AGREEMENT) if one.article]
    assert {one.heading for one in cuts} == {
        f"LOAN AGREEMENT / {number}. {title}"
        for number, title in enumerate(["DEFINITIONS", "REPAYMENT", "INTEREST", "NOTICES"], 1)
    }
    assert {"2.1", "3.1", "4.1"} <= {one.article for one in cuts}
    for one in cuts[1:]:
        assert re.match(r"\d\.", one.text)


def test_a_clause_is_found_by_its_number() -> None:
    (one,) = [one for one in cut_texts(AGREEMENT) if one.article == "3.1"]
    indexed = index_passage(PassageDraft(page=1, start=one.start, end=one.end, text=one.text, article=one.article))
    assert ("article", "3.1") in indexed.facts
    assert clauses_in("3.1 The Loan\nbears interest\n3.2 No fee", "3.1") == ("clause 3.1", "clause 3.2")
    assert clauses_in("第三条 甲", "第三条") == ()


@pytest.mark.parametrize(
    ("line", "number", "title"),
    [
        ("12. Governing Law. This Agreement is governed by", "12", "Governing Law"),
        ("1 Definitions and Interpretation", "1", "Definitions and Interpretation"),
        ("2.3 The Recipient shall", "2.3", None),
        ("##### 14. **Short title.**", "14", "Short title"),
        ("1、借款金额：五十万元", "1", "借款金额"),
        ("3.CONTACTS", "3", "CONTACTS"),
    ],
)
def test_lines_that_open_a_clause(line: str, number: str, title: str | None) -> None:
    clause = clause_of(line)
    assert clause is not None and clause.number == number
    assert title is None or clause.title == title


@pytest.mark.parametrize(
    "line",
    ["12 monkeys were seen", "1 张三 500", "3.5 million was paid", "1\t甲\t乙", "2 TERM .......... 4", "2021年3月"],
)
def test_lines_that_open_none(line: str) -> None:
    sequence = ClauseSequence()
    assert sequence.begins("1. Definitions") and sequence.begins("2. Term")
    assert sequence.begins(line) is None


def test_a_number_that_does_not_go_on_opens_no_clause() -> None:
    sequence = ClauseSequence()
    begun = [sequence.begins(line) is not None for line in ("1. A", "1.1 B", "1.2 C", "7. D", "2. E", "2.1 F", "3. G")]
    assert begun == [True, True, True, False, True, True, True]


def test_few_numbers_are_no_clauses() -> None:
    assert numbering_of([f"{SENTENCE}\n1. 一份\n2. 两份\n{SENTENCE}"]) is None


def test_rows_far_from_their_header_are_found_under_it() -> None:
    rows = [f"{number} | 2021年{number % 12 + 1}月5日 | {number * 137} | 未逾期" for number in range(1, 160)]
    first, *rest = cut_texts("还款明细\n\n期数 | 到期日 | 金额 | 状态\n" + "\n".join(rows))
    assert first.heading == "还款明细" and "期数 | 到期日" in first.text
    assert len(rest) > 2
    assert {one.heading for one in rest} == {"还款明细 / 期数 | 到期日 | 金额 | 状态"}


def test_a_table_goes_on_over_the_page() -> None:
    pages = ["明细\n\n期数 | 金额\n1 | 100\n2 | 200", "3 | 300\n4 | 400\n\n以上为全部。"]
    assert [one.heading for one in cut_texts(*pages)] == ["明细", "明细 / 期数 | 金额"]


def test_rows_of_figures_have_no_header() -> None:
    cuts = cut_texts("\n".join(f"{number} | {number * 7}" for number in range(600)))
    assert {one.heading for one in cuts} == {None}


@pytest.mark.data
def test_sections_of_an_irish_act_are_named(shared_data: Path) -> None:
    text = (shared_data / "laws/en_ie/ie/IE-2013-act-45.md").read_text(encoding="utf-8")
    articles = [one.article for one in cut([PageText(1, text)]) if one.article]
    numbers = [int(re.sub(r"\D", "", article)) for article in dict.fromkeys(articles)]
    assert numbers == sorted(numbers)
    assert len(numbers) >= 30 and articles[0].startswith("Section ")
