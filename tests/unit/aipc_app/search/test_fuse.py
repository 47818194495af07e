"""Several rankings made one."""

from __future__ import annotations

from aipc_app.domain.documents import Stage
from aipc_app.search.fuse import fuse


def hits(*ids: int) -> list[tuple[int, float]]:
    """Found in this order, each a little less than the one before."""
    return [(id_, 0.9 - 0.1 * place) for place, id_ in enumerate(ids)]


def order(authority: dict[int, float] | None = None, **lists: list[int]) -> list[int]:
    found = fuse({Stage(name): hits(*ids) for name, ids in lists.items()}, authority=authority)
    return [one.passage_id for one in found]


def test_what_several_stages_find_comes_before_what_one_finds() -> None:
    assert order(keyword=[1, 2], vector=[3, 2])[0] == 2


def test_meaning_counts_more_than_words() -> None:
    assert order(keyword=[1], vector=[2]) == [2, 1]


def test_equal_scores_are_in_the_order_of_their_ids() -> None:
    assert order(vector=[8], exact=[7]) == [7, 8]


def test_how_sure_a_stage_is_counts_not_the_place_alone() -> None:
    far, close = [(1, 10.0), (2, 2.0)], [(1, 10.0), (2, 9.9)]
    vector = [(2, 0.9), (1, 0.5)]
    assert fuse({Stage.KEYWORD: far, Stage.VECTOR: vector})[0].passage_id == 2
    near = [(2, 0.60), (1, 0.59)]
    assert fuse({Stage.KEYWORD: far, Stage.VECTOR: near})[0].passage_id == 1
    assert fuse({Stage.KEYWORD: close, Stage.VECTOR: near})[0].passage_id == 2


def test_what_weighs_more_by_itself_comes_first_among_the_alike() -> None:
    assert order(vector=[1, 2]) == [1, 2]
    assert order(vector=[1, 2], authority={1: 0.0}) == [2, 1]


def test_what_was_asked_for_by_number_beats_first_in_everything_else() -> None:
    lists = {Stage.KEYWORD: hits(1), Stage.VECTOR: hits(1), Stage.EXACT: hits(2)}
    assert [found.passage_id for found in fuse(lists, certain=[2], authority={2: -0.5})] == [2, 1]


def test_text_in_another_language_is_not_put_behind_all_that_shares_a_word_with_the_query() -> None:
    lists = {Stage.KEYWORD: hits(2, 3), Stage.VECTOR: hits(1, 2, 3)}
    assert fuse(lists)[0].passage_id == 2
    best = fuse(lists, foreign={1})[0]
    assert (best.passage_id, best.ranks) == (1, {Stage.VECTOR: 1})


def test_the_rank_and_the_share_of_each_stage_are_kept_and_the_score_is_a_share() -> None:
    (best,) = fuse({Stage.KEYWORD: hits(5), Stage.VECTOR: hits(5), Stage.EXACT: hits(5)}, certain=[5])
    assert best.ranks == {Stage.KEYWORD: 1, Stage.VECTOR: 1, Stage.EXACT: 1}
    assert best.shares == {Stage.KEYWORD: 1.0, Stage.VECTOR: 1.5, Stage.EXACT: 1.5}
    assert best.score == 1.0
    assert fuse({}) == ()
