"""What the retrieval benchmark counts."""

from __future__ import annotations

from aipc_app.bench.retrieval_scores import facts, ranks, recalls, spans
from aipc_app.bench.retrieval_sets import CaseQuestion, Question, SpanQuestion, statutes, text_of
from aipc_app.domain.documents import Passage


def passage(document: str, start: int, end: int) -> Passage:
    return Passage(id=1, document_id=1, document=document, page=1, start=start, end=end, text="x" * (end - start))


def test_a_gold_item_is_found_at_the_first_of_its_places() -> None:
    gold = (frozenset({("a", "1"), ("b", "1")}), frozenset({("c", "2")}))
    assert ranks([("x", ""), ("b", "1"), ("a", "1")], Question("?", gold)) == [2, 0]


def test_recall_is_the_share_of_gold_items_and_the_first_counts_for_the_place() -> None:
    counted = recalls([[2, 0], [7]])
    assert (counted["recall_at_5"], counted["recall_at_10"]) == (0.25, 0.75)
    assert counted["mrr"] == round((1 / 2 + 1 / 7) / 2, 4)


def test_characters_that_two_passages_share_count_once() -> None:
    question = SpanQuestion("?", (("a", 10, 30),))
    counted = spans([((passage("a", 0, 20), passage("a", 10, 20), passage("b", 10, 30)), question)])
    assert counted == {"precision": 0.25, "recall": 0.5}


def test_a_drawn_haystack_keeps_the_gold_articles(tmp_path) -> None:  # type: ignore[no-untyped-def]
    folder = tmp_path / "laws" / "cn"
    folder.mkdir(parents=True)
    law = "# 甲法\n\n" + "\n\n".join(f"第{n}条 内容{n}。" for n in "一二三四五六七八九")
    (folder / "甲法.md").write_text(law, encoding="utf-8")
    assert len(text_of("甲法.md", law).passages) >= 9
    question = Question("?", (frozenset({("laws/cn/甲法.md", "第五条")}),))
    (kept,) = statutes(tmp_path, [question], 2)
    assert {one.article for one in kept.passages} >= {"第五条"} and len(kept.passages) == 3


def test_a_key_fact_stands_in_any_of_its_ways_and_a_document_counts_once() -> None:
    text = "借款金额为500,000元。"
    found = Passage(id=1, document_id=1, document="x/合同.txt", page=1, start=0, end=len(text), text=text)
    question = CaseQuestion("?", (("50万元", "45万元"), ("2021年3月5日",)), ("合同.txt", "凭证.txt"))
    assert facts([((found, found), question)]) == {"key_facts": 0.5, "documents": 0.5}
    assert facts([((), question)]) == {"key_facts": 0.0, "documents": 0.0}
