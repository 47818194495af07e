"""The first of what was found, sorted anew by reading each together with the question."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest

from aipc_app.domain.documents import Evidence, Passage, SearchResult, Stage
from aipc_app.errors import UserMistake
from aipc_app.search.rerank import MOST_RERANKED, reranked
from aipc_app.search.service import SearchService


class Length:
    """Longer texts answer better."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def rerank(
        self, query: str, texts: Sequence[str], *, cancel: threading.Event | None = None
    ) -> tuple[float, ...]:
        self.read += texts
        return tuple(float(len(text)) for text in texts)


def found(*texts: str, heading: str | None = None) -> SearchResult:
    passages = (
        Passage(
            id=number, document_id=1, document="a", page=1, start=0, end=len(text), text=text, heading=heading
        )
        for number, text in enumerate(texts)
    )
    evidence = tuple(Evidence(passage=one, score=0.5, ranks={Stage.KEYWORD: one.id + 1}) for one in passages)
    return SearchResult(evidence=evidence, seconds=0.1)


def test_the_better_ones_come_first_and_their_new_place_is_told() -> None:
    sorted_anew = reranked(Length(), "q", found("a", "ccc", "bb"), None).evidence
    assert [item.passage.text for item in sorted_anew] == ["ccc", "bb", "a"]
    assert [item.ranks[Stage.RERANK] for item in sorted_anew] == [1, 2, 3]
    assert [item.ranks[Stage.KEYWORD] for item in sorted_anew] == [2, 3, 1]


def test_equals_stay_as_they_were() -> None:
    assert [item.passage.text for item in reranked(Length(), "q", found("b", "a"), None).evidence] == ["b", "a"]


def test_only_the_first_are_read_and_the_rest_stays_behind() -> None:
    length = Length()
    texts = ["a"] * MOST_RERANKED + ["longest"]
    last = reranked(length, "q", found(*texts), None).evidence[-1]
    assert (last.passage.text, last.ranks) == ("longest", {Stage.KEYWORD: MOST_RERANKED + 1})
    assert len(length.read) == MOST_RERANKED


def test_a_passage_is_read_with_its_heading() -> None:
    length = Length()
    reranked(length, "q", found("a", heading="第一章"), None)
    assert length.read == ["第一章\na"]


def test_without_a_model_it_is_told_where_one_is_chosen(search: SearchService) -> None:
    assert not search.reranks
    with pytest.raises(UserMistake, match="Settings"):
        search.rerank("q", found("a"))
