"""What may be shown of an answer while it is being generated."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from engine.types.generation import DeltaKind, TextDelta
from engine.types.text import AnswerText, StopFilter, ThoughtSplitter, held_back


def shown(text: AnswerText, pieces: list[bytes]) -> list[TextDelta]:
    return [delta for piece in pieces for delta in text.feed(piece)] + text.finish()


def split(data: bytes, at: list[int]) -> list[bytes]:
    edges = [0, *sorted(i % (len(data) + 1) for i in at), len(data)]
    return [data[a:b] for a, b in pairwise(edges)]


cuts = st.lists(st.integers(0, 400), max_size=12)


@given(st.text(max_size=60), cuts)
def test_only_whole_characters_are_shown_however_their_bytes_arrive(answer: str, at: list[int]) -> None:
    text = AnswerText((), thinking=False, answering=True)
    deltas = shown(text, split(answer.encode(), at))
    assert "".join(delta.text for delta in deltas) == answer == text.answer
    assert all("�" not in delta.text for delta in deltas) or "�" in answer


def test_a_character_that_never_gets_complete_is_not_shown() -> None:
    text = AnswerText((), thinking=False)
    assert text.feed("一".encode() + "二".encode()[:2]) == [TextDelta("一")]
    assert text.finish() == []
    assert text.answer == "一"


def test_bytes_that_are_no_text_are_marked_and_the_rest_goes_on() -> None:
    text = AnswerText((), thinking=False)
    assert "".join(delta.text for delta in shown(text, [b"a\xff", b"b"])) == "a�b"


@given(st.text("abST", max_size=30), cuts)
def test_nothing_of_a_stop_word_is_ever_shown(answer: str, at: list[int]) -> None:
    text = AnswerText(("STOP", "aS"), thinking=False, answering=True)
    shown(text, split(answer.encode(), at))
    ends = [i for i in (answer.find("STOP"), answer.find("aS")) if i >= 0]
    assert text.answer == (answer[: min(ends)] if ends else answer)
    assert text.stopped == bool(ends)


def test_text_that_may_become_a_stop_word_is_held_back_until_it_did_not() -> None:
    stop = StopFilter(["\n\nQuestion:"])
    assert stop.feed("Yes.\n") == "Yes."
    assert stop.feed("\nQuest") == ""
    assert stop.feed("s") == "\n\nQuests"
    assert stop.feed("\n") == ""
    assert stop.finish() == "\n"
    assert not stop.stopped


def test_after_a_stop_word_nothing_more_is_shown() -> None:
    stop = StopFilter(["。"])
    assert stop.feed("是。否") == "是"
    assert stop.feed("更多") == "" and stop.finish() == ""
    assert stop.stopped


def test_held_back_is_the_longest_possible_beginning() -> None:
    assert held_back("xaab", ["aabb", "bz"]) == 3
    assert held_back("xyz", ["aabb"]) == 0
    assert held_back("aabb", ["aabb"]) == 0  # whole, so no longer a beginning


@given(cuts)
def test_a_thought_is_kept_apart_from_the_answer(at: list[int]) -> None:
    text = AnswerText((), thinking=False)
    deltas = shown(text, split("\n<think>Hm, 500 < 600.</think>\n\n五十万元。".encode(), at))
    assert text.thought == "Hm, 500 < 600."
    assert text.answer == "五十万元。"
    assert "".join(d.text for d in deltas if d.kind is DeltaKind.THOUGHT) == text.thought


@given(cuts)
def test_a_thought_that_the_template_opened_needs_no_opening_tag(at: list[int]) -> None:
    text = AnswerText((), thinking=True)
    shown(text, split(b"Let me see.</think>Yes.", at))
    assert (text.thought, text.answer) == ("Let me see.", "Yes.")


def test_a_thought_cut_off_by_the_length_is_a_thought_still() -> None:
    text = AnswerText((), thinking=False)
    shown(text, [b"<think>I wonder </thi"])
    assert (text.thought, text.answer) == ("I wonder </thi", "")


def test_think_tags_inside_an_answer_are_text() -> None:
    text = AnswerText((), thinking=False)
    shown(text, [b"The tag <think> opens", b" a thought</think>."])
    assert text.answer == "The tag <think> opens a thought</think>."


def test_an_answer_that_only_begins_like_a_tag_is_shown_whole() -> None:
    text = AnswerText((), thinking=False)
    assert text.feed(b"<thi") == []
    assert text.feed(b"ng>") == [TextDelta("<thing>")]


def test_stop_words_do_not_end_a_thought() -> None:
    text = AnswerText(("stop",), thinking=True)
    shown(text, [b"don't stop</think>now stop here"])
    assert (text.thought, text.answer, text.stopped) == ("don't stop", "now ", True)


def test_leading_blanks_of_an_answer_without_thought_are_kept() -> None:
    splitter = ThoughtSplitter(thinking=False)
    assert splitter.feed("  x") == [(DeltaKind.ANSWER, "  x")]
