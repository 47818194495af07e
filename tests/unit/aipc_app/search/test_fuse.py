"""Reciprocal rank fusion."""

from __future__ import annotations

from aipc_app.domain.documents import Stage
from aipc_app.search.fuse import fuse


def order(**lists: list[int]) -> list[int]:
    return [found.passage_id for found in fuse({Stage(name): ids for name, ids in lists.items()})]


def test_what_several_stages_find_comes_before_what_one_finds() -> None:
    assert order(keyword=[1, 2], vector=[3, 2])[0] == 2


def test_meaning_counts_twice_as_much_as_words() -> None:
    assert order(keyword=[1], vector=[2]) == [2, 1]


def test_equal_scores_are_in_the_order_of_their_ids() -> None:
    assert order(vector=[8], exact=[7]) == [7, 8]


def test_what_was_asked_for_by_number_beats_first_in_everything_else() -> None:
    lists = {Stage.KEYWORD: [1], Stage.VECTOR: [1], Stage.EXACT: [2]}
    assert [found.passage_id for found in fuse(lists, certain=[2])] == [2, 1]


def test_text_in_another_language_is_not_put_behind_all_that_shares_a_word_with_the_query() -> None:
    lists = {Stage.KEYWORD: [2, 3], Stage.VECTOR: [1, 2, 3]}
    assert [found.passage_id for found in fuse(lists)] == [2, 3, 1]
    best = fuse(lists, foreign={1})[0]
    assert (best.passage_id, best.ranks) == (1, {Stage.VECTOR: 1})


def test_the_rank_in_each_stage_is_kept_and_the_score_is_a_share() -> None:
    (best,) = fuse({Stage.KEYWORD: [5], Stage.VECTOR: [5], Stage.EXACT: [5]}, certain=[5])
    assert best.ranks == {Stage.KEYWORD: 1, Stage.VECTOR: 1, Stage.EXACT: 1}
    assert best.score == 1.0
    assert fuse({}) == ()
