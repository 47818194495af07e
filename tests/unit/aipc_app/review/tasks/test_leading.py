"""What leads a small model: the part of a passage it is shown, the tools it is offered, the column a figure is of."""

from __future__ import annotations

import pytest

from aipc_app.answer.material import Source
from aipc_app.review.tables import Row, Table
from aipc_app.review.tasks.calls import TOOLS, name_of
from aipc_app.review.tasks.columns import of_another_column
from aipc_app.review.tasks.excerpt import excerpts
from aipc_app.review.tasks.focus import SEARCHES, first_tools
from aipc_app.text.facts import find_facts
from aipc_app.text.tokens import query_tokens

FILLER = "The loggers were compared side by side for three days before the season began. " * 12
ANSWER = "Of 804 riders approached, 611 answered the survey."


def source(text: str, start: int = 0) -> Source:
    return Source(document_id=1, document="a.pdf", page=1, page_text=text, start=start, end=len(text))


@pytest.mark.parametrize(
    ("text", "query", "answer"),
    [
        (FILLER + ANSWER + " " + FILLER, "How many riders did not answer the survey?", ANSWER),
        ("仪器每日校准。" * 90 + "被告于2021年9月还款60,000元。" + "仪器存五年。" * 60, "哪天还款", "还款60,000元"),
    ],
)
def test_the_excerpt_of_a_long_passage_has_the_sentence_that_was_looked_for(text: str, query: str, answer: str) -> None:
    ((start, end),) = excerpts([source(text)], query)
    assert answer in text[start:end] and end - start <= 640


def test_a_short_passage_is_shown_whole_and_offsets_are_the_pages() -> None:
    text = "第一页的开头。被告已还款。"
    assert excerpts([source(text, 7)], "还款") == [(7, len(text))]


def test_an_endless_sentence_is_cut() -> None:
    ((start, end),) = excerpts([source("还款" * 2_000)], "还款")
    assert (start, end) == (0, 260)


@pytest.mark.parametrize(
    ("task", "tool"),
    [
        ("从到期日到起诉一共相隔多少天？", "days_between"), ("列出每一笔付款并算出合计金额", "sum_table"),
        ("两份报告的数字相差多少？", "calculate"), ("What is the difference between the two?", "calculate"),
        ("Work out the average humidity", "sum_table"), ("How many days lie between?", "days_between"),
    ],
)  # fmt: skip
def test_the_words_of_a_task_tell_which_tools_come_first(task: str, tool: str) -> None:
    offered = first_tools(task)
    assert {tool, "read_page", "answer"} <= offered and not offered & SEARCHES
    assert offered <= {name_of(kind) for kind in TOOLS} >= SEARCHES


@pytest.mark.parametrize("task", ["概括本案争议焦点", "Who signed the contract?", "比较两份鉴定意见"])
def test_other_tasks_are_offered_everything(task: str) -> None:
    assert not first_tools(task)


HEADS = ("Canopy class", "Stops", "Air temperature (°C)", "Globe temperature (°C)", "Comfort (1 to 5)")
YEARS = ("项目", "2022年", "2023年", "备注")


def table(heads: tuple[str, ...], *rows: tuple[str, ...]) -> Table:
    return Table(Row(0, 0, 1, heads), tuple(Row(0, 1, 2, cells) for cells in rows))


CANOPY = table(HEADS, ("Less than 10%", "12", "33.4", "41.8", "2.1"), ("More than 40%", "11", "31.1", "34.0", "3.4"))
PROFIT = table(YEARS, ("净利润", "306", "234", "经审计"), ("营业收入", "4,820", "4,680", "经审计"))


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ("The mean comfort is 33.4 at the stops with the least canopy.", "33.4"),
        ("The mean comfort is 3.4.", None),
        ("The globe temperature was 33.4.", "33.4"),
        ("The air temperature was 33.4 and the comfort 2.1.", None),
        ("The least canopy went with 33.4.", None),  # names no column
        ("2023年净利润为306万元。", "306万元"),
        ("2023年净利润为234万元。", None),
        ("净利润由2022年的306降至2023年的234。", None),
        ("经审计的净利润为306。", None),  # a head without figures tells nothing
    ],
)
def test_a_figure_of_another_column_is_noticed(said: str, wrong: str | None) -> None:
    facts = [fact for fact in find_facts(said) if fact.text not in ("2022年", "2023年")]
    found = of_another_column(frozenset(query_tokens(said)), facts, [CANOPY, PROFIT])
    assert (found and found.text) == wrong
