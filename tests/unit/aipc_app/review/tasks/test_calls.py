"""Calls of a free task: a grammar without a word of any document, and nothing read that it doesn't have."""

from __future__ import annotations

import re

import pytest

from aipc_app.review.tasks import calls
from aipc_app.review.tasks.calls import grammar_of, read_call, written


def rules(grammar: str) -> dict[str, str]:
    return dict(line.split(" ::= ", 1) for line in grammar.splitlines())


def test_the_grammar_has_every_tool_and_leaves_out_those_with_nothing_to_work_on() -> None:
    tools = {calls.name_of(kind).replace("_", "-") for kind in calls.TOOLS}
    assert tools <= set(rules(grammar_of(["D1"], ["T1"]))) and len(tools) == 10
    assert {"read-table", "sum-table"}.isdisjoint(rules(grammar_of(["D1"], [])))
    assert "read-page" not in rules(grammar_of([], ["T1"]))
    assert tools & set(rules(grammar_of(["D1"], ["T1"], only_answer=True))) == {"answer"}


def test_documents_and_tables_can_be_named_by_number_only() -> None:
    assert '("\\"D1\\"" | "\\"D2\\"")' in rules(grammar_of(["D1", "D2"], ["T1"]))["read-page"]


def test_every_rule_that_is_named_is_there() -> None:
    found = rules(grammar_of(["D1"], ["T1"]))
    for body in found.values():
        bare = re.sub(r"\[(?:[^\]\\]|\\.)*\]|\"(?:[^\"\\]|\\.)*\"", " ", body)
        assert set(re.findall(r"[a-z][a-z-]*", bare)) <= set(found)


@pytest.mark.parametrize(
    "call",
    [
        calls.SumTable(
            why="合计", table="T1", column="金额", where="", after="2021-03-31", before="", operation="sum"
        ),
        calls.ReadPage(document="D1", page=1, part=2),
        calls.AddToDate(date="2021-03-05", amount=-3, unit="months"),
        calls.Answer(why="够了", found=True, sentences=("一。", "二。")),
        calls.Answer(found=False, sentences=()),
    ],
)
def test_a_call_survives_being_written_and_read(call: calls.Call) -> None:
    assert read_call(written(call)) == call


@pytest.mark.parametrize(
    "text",
    [
        "", "{}", '{"tool": "shell", "command": "ls"}', '{"tool": "read_page", "document": "D1"}',
        '{"tool": "search_case", "query": "a", "path": "/etc"}', '{"tool": "answer", "found": true, "sente',
        '{"tool": "sum_table", "table": "T1", "column": "", "where": "", "after": "", "before": "", "operation": "x"}',
    ],
)  # fmt: skip
def test_anything_else_is_no_call(text: str) -> None:
    assert read_call(text) is None
