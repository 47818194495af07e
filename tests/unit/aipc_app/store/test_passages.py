"""Keyword and exact search, scoped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from aipc_app.domain.documents import LIBRARY_ID
from aipc_app.store import Store

if TYPE_CHECKING:
    from tests.unit.aipc_app.store.conftest import Filler


def texts_found(
    store: Store, tokens: list[str], cases: list[int], documents: frozenset[int] | None = None
) -> list[str]:
    found = store.passages.keyword(tokens, cases=cases, documents=documents, limit=10)
    return [passage.text for passage in store.passages.get([id_ for id_, _ in found])]


@pytest.mark.parametrize(
    "token", ["五十万", "500000", "3.14", "c++", "(2021)京01民初5号", '引"号', "a*b", "naïve", "第680条"]
)
def test_a_token_is_found_whole_whatever_signs_it_has(store: Store, fill: Filler, token: str) -> None:
    case = store.cases.create("one")
    document = fill.document(case.id)
    fill.read(document.id, [f"前 {token} 后", "五 十 万 500 000 3 14 c naive 京 680"])
    assert texts_found(store, [token], [case.id]) == [f"前 {token} 后"]


def test_operators_of_the_query_language_are_plain_words(store: Store, fill: Filler) -> None:
    case = store.cases.create("one")
    fill.read(fill.document(case.id).id, ["apple", "pear or near"])
    assert texts_found(store, ["OR", "NEAR", "tokens:apple", "-"], [case.id]) == ["pear or near"]
    assert texts_found(store, [], [case.id]) == []


def test_the_passage_with_the_rarer_word_comes_first_and_scores_are_positive(store: Store, fill: Filler) -> None:
    case = store.cases.create("one")
    fill.read(fill.document(case.id).id, [*["合同 约定"] * 8, "合同 利息", "无关"])
    found = store.passages.keyword(["合同", "利息"], cases=[case.id], documents=None, limit=20)
    assert store.passages.get([found[0][0]])[0].text == "合同 利息"
    assert len(found) == 9
    assert all(score > 0 for _, score in found)
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)


def test_a_search_sees_only_its_cases_and_its_documents(store: Store, fill: Filler) -> None:
    one, two = store.cases.create("one"), store.cases.create("two")
    a, b = fill.document(one.id, "a"), fill.document(one.id, "b")
    c, law = fill.document(two.id, "c"), fill.document(LIBRARY_ID, "law")
    for document, text in ((a, "利息 a"), (b, "利息 b"), (c, "利息 c"), (law, "利息 law")):
        fill.read(document.id, [text], [(("amount", "5"),)])

    def both(cases: list[int], documents: frozenset[int] | None = None) -> set[str]:
        words = set(texts_found(store, ["利息"], cases, documents))
        hits = store.passages.exact([("amount", "5")], cases=cases, documents=documents, limit=10)
        assert {p.text for p in store.passages.get([id_ for id_, _ in hits])} == words
        return {text[3:] for text in words}

    assert both([one.id]) == {"a", "b"}
    assert both([two.id]) == {"c"}
    assert both([one.id, LIBRARY_ID]) == {"a", "b", "law"}
    assert both([one.id], frozenset({b.id, c.id})) == {"b"}
    assert both([one.id], frozenset()) == set()
    assert both([]) == set()
    store.documents.link(two.id, a.id)
    assert both([two.id]) == {"a", "c"}


def test_exact_counts_how_many_facts_agree(store: Store, fill: Filler) -> None:
    case = store.cases.create("one")
    facts = [(("amount", "500000"),), (("amount", "500000"), ("date", "2021-03-05")), (("date", "2020"),)]
    fill.read(fill.document(case.id).id, ["p1", "p2", "p3"], facts)
    wanted = [("amount", "500000"), ("date", "2021-03-05"), ("date", "2021-03-05")]
    found = store.passages.exact(wanted, cases=[case.id], documents=None, limit=10)
    assert [(store.passages.get([id_])[0].text, hits) for id_, hits in found] == [("p2", 2), ("p1", 1)]
    assert store.passages.exact([], cases=[case.id], documents=None, limit=10) == ()


def test_passages_come_in_the_order_asked_and_those_gone_are_left_out(store: Store, fill: Filler) -> None:
    case = store.cases.create("one")
    document = fill.document(case.id)
    fill.read(document.id, ["a", "b", "c"])
    ids = [passage.id for passage in store.passages.of_document(document.id)]
    asked = [ids[2], 99999, ids[0], ids[2]]
    assert [passage.text for passage in store.passages.get(asked)] == ["c", "a", "c"]
    assert store.passages.get([]) == ()


def test_reading_again_replaces_words_facts_and_ids(store: Store, fill: Filler) -> None:
    case = store.cases.create("one")
    document = fill.document(case.id)
    fill.read(document.id, ["旧词"], [(("amount", "1"),)])
    (old,) = store.passages.of_document(document.id)
    fill.read(document.id, ["新词"])
    assert texts_found(store, ["旧词"], [case.id]) == []
    assert texts_found(store, ["新词"], [case.id]) == ["新词"]
    assert store.passages.exact([("amount", "1")], cases=[case.id], documents=None, limit=5) == ()
    assert store.passages.get([old.id]) == ()
    store.check()


def test_the_commonest_words_are_left_out_only_where_scoring_them_all_would_take_too_long(
    store: Store, fill: Filler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("aipc_app.store.passages.MOST_SCORED_ROWS", 12)
    case = store.cases.create("one")
    fill.read(fill.document(case.id).id, [*["合同"] * 10, "合同 利息", "利息"])
    assert texts_found(store, ["合同", "利息"], [case.id]) == ["利息", "合同 利息"]
    assert len(texts_found(store, ["合同"], [case.id])) == 10
    small = store.cases.create("small")
    fill.read(fill.document(small.id, "s").id, ["合同 甲", "利息"])
    assert set(texts_found(store, ["合同", "利息"], [small.id])) == {"合同 甲", "利息"}
