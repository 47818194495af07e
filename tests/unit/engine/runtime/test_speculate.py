"""What is guessed from the prompt, and when it pays."""

from __future__ import annotations

import numpy as np
import pytest

from engine.runtime.speculate import LONGEST_DRAFT, DecodeCosts, Lookup, Speculation, lead

TEXT = [*range(10, 40)]


def measured(**times: float) -> DecodeCosts:
    costs = DecodeCosts()
    for tokens, seconds in times.items():
        costs.note(int(tokens[1:]), seconds)
    return costs


def test_the_longest_earlier_match_wins_and_the_latest_among_equals() -> None:
    lookup = Lookup([1, 2, 3, 7, 9, 1, 2, 3, 8, 5, 2, 3, 4, 9, 1, 2, 3])
    assert lookup.find() == (4, 8)  # 9 1 2 3
    assert lookup.following(8, 3) == [8, 5, 2]
    equal = Lookup([1, 2, 3, 7, 0, 1, 2, 3, 8, 6, 1, 2, 3])
    assert equal.find() == (3, 8)


def test_what_never_stood_there_is_not_guessed() -> None:
    assert Lookup([1, 2, 3, 4, 5]).find() == (0, 0)
    assert Lookup([1, 2]).find() == (0, 0)
    assert Speculation(TEXT, DecodeCosts()).draft([*TEXT, 1, 2, 3], 8) == []


def test_the_answers_own_words_are_looked_up_too() -> None:
    lookup = Lookup([1, 2])
    lookup.extend([3, 4, 1, 2, 3])
    assert lookup.find() == (3, 3)
    assert lookup.following(3, 9) == [4, 1, 2, 3]


def test_a_draft_follows_the_match() -> None:
    guesses = Speculation(TEXT, measured(t1=1.0, t2=1.1, t3=1.2, t9=1.8))
    draft = guesses.draft([*TEXT, *TEXT[3:9]], 8)
    assert draft == TEXT[9 : 9 + len(draft)] and len(draft) >= 2
    assert guesses.draft([*TEXT, *TEXT[3:10]], 1) == [TEXT[10]]


def test_nothing_is_drafted_where_a_batch_costs_what_its_tokens_cost() -> None:
    guesses = Speculation(TEXT, measured(t1=1.0, t2=2.0, t3=3.0))
    assert guesses.draft([*TEXT, *TEXT[3:20]], 8) == []


def test_cheap_batches_make_longer_drafts_than_dear_ones() -> None:
    lengths = [
        len(Speculation(TEXT, measured(t1=1.0, t3=1 + 2 * each)).draft([*TEXT, *TEXT[:15]], 8)) for each in (0.02, 0.4)
    ]
    assert lengths[0] == LONGEST_DRAFT > lengths[1] >= 1


def test_wrong_guesses_end_the_guessing_of_that_kind_only() -> None:
    guesses = Speculation(TEXT, DecodeCosts())
    short, long = [*TEXT, *TEXT[3:6]], [*TEXT, *TEXT[3:18]]
    for _ in range(8):
        guesses.note(len(guesses.draft(short, 8)) or 1, 0)
    assert guesses.draft(short, 8) == []
    assert Speculation(TEXT, DecodeCosts()).draft(long, 8)
    assert guesses.accepted == 0 < guesses.drafted


def test_costs_are_medians_in_single_tokens_time() -> None:
    costs = DecodeCosts()
    for seconds in (0.1, 0.1, 9.0):
        costs.note(1, seconds)
    for seconds in (0.3, 0.2, 0.2):
        costs.note(3, seconds)
    assert costs.of(1) == 1.0
    assert costs.of(3) == pytest.approx(2.0)
    assert costs.of(5) == pytest.approx(3.0)  # from its nearest neighbour


def test_the_lead_is_between_the_best_two() -> None:
    assert lead(np.array([1.0, 5.0, 3.5, -2.0], np.float32)) == pytest.approx(1.5)
