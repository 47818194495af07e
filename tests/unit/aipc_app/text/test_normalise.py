"""Texts that a reader takes for the same become equal, and every place leads back to the original."""

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aipc_app.text.normalise import comparable, fold, normalise, settled

MIXED_TEXT = st.text(
    alphabet=st.one_of(
        st.sampled_from("借款萬億圓５０，。：“”《》 \n\t\u3000-—①½²ﬁ㎡e\u0301\u200bÀßⅣabcABC019"),
        st.characters(codec="utf-8"),
    ),
    max_size=60,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("５０萬元", "50万元"),
        ("（２０２１）京０１０５民初１２３４號", "(2021)京0105民初1234号"),
        ("⼈⺠法院", "人民法院"),
        ("“借款”—『合同』", '"借款"-"合同"'),
        ("甲方应于\n期限内  还款", "甲方应于期限内还款"),
        ("the agree-\nment  of\tBoth", "The agreement of both"),
        ("借\u200b款\u00ad", "借款"),
        ("café CAFE\u0301", "cafe cafe"),
        ("合同编号： \n HT001", "合同编号:HT001"),
    ],
)
def test_the_same_in_other_characters_compares_as_equal(one: str, other: str) -> None:
    assert comparable(one) == comparable(other)


@pytest.mark.parametrize(
    ("one", "other"), [("①500元", "1500元"), ("10²", "102"), ("3½", "31/2"), ("a b", "ab"), ("50 60", "5060")]
)
def test_what_differs_in_meaning_stays_apart(one: str, other: str) -> None:
    assert comparable(one) != comparable(other)


def test_a_range_leads_back_to_the_characters_it_came_from() -> None:
    page = "甲方向乙方\n借款５０萬元 。"
    normalised = normalise(page)
    start = normalised.text.index("借款50万元")
    begin, end = normalised.to_original(start, start + len("借款50万元"))
    assert page[begin:end] == "借款５０萬元"


def test_an_empty_range_has_a_place_and_a_wrong_one_is_refused() -> None:
    normalised = normalise(" 借款 ")
    assert normalised.to_original(0, 0) == (1, 1)
    assert normalised.to_original(2, 2) == (3, 3)
    assert normalise("").to_original(0, 0) == (0, 0)
    with pytest.raises(ValueError, match="outside"):
        normalised.to_original(1, 3)


def test_settled_text_keeps_case() -> None:
    assert settled("合同 HT-1 Of") == "合同HT-1 Of"


@given(MIXED_TEXT)
def test_offsets_rise_within_the_original(text: str) -> None:
    for normalised in (fold(text), normalise(text)):
        assert len(normalised.offsets) == len(normalised.text)
        assert list(normalised.offsets) == sorted(normalised.offsets)
        assert all(0 <= offset < len(text) for offset in normalised.offsets)


@given(MIXED_TEXT)
def test_normalising_again_changes_nothing(text: str) -> None:
    once = comparable(text)
    assert comparable(once) == once


@given(st.text(alphabet=st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), max_size=30))
def test_each_ideograph_becomes_one_ideograph(text: str) -> None:
    assert normalise(text).offsets == tuple(range(len(text)))


@given(MIXED_TEXT)
def test_canonically_equal_texts_compare_as_equal(text: str) -> None:
    latin = "".join(character for character in text if character < "\u0250")
    assert comparable(unicodedata.normalize("NFD", latin)) == comparable(unicodedata.normalize("NFC", latin))


@pytest.mark.alone
def test_a_long_page_takes_a_fraction_of_a_second() -> None:
    normalise("萬")  # loads the table
    page = "甲方向乙方借款人民币５０萬元，年利率為１５．４％。\n" * 4000
    started = time.perf_counter()
    normalise(page)
    assert time.perf_counter() - started < 0.3 * len(page) / 100_000 * 2  # twice, for a machine that is busy
