"""Romanised names are found in any order of their parts, at whole syllables, and English words are left alone."""

from __future__ import annotations

import pytest

from aipc_app.text.romanised import romanise, unknown_name

MATERIAL = romanise("原告陈国梁，被告赵立新、孙慧敏，住江澄市；西安市吕布。")


@pytest.mark.parametrize(
    "name", ["Zhao Lixin", "Lixin Zhao", "ZHAO Li-xin", "Sun Huimin", "Jiangcheng People's Court", "Xi'an", "Lü Bu"]
)
def test_a_name_that_stands_there_is_known(name: str) -> None:
    assert unknown_name(name, MATERIAL) is None


@pytest.mark.parametrize(
    ("name", "unknown"),
    [("Xu Lingxin", "Xu Lingxin"), ("Jiangzhou", "Jiangzhou"), ("Jiangsu Province", "Jiangsu"), ("Ao Lixin",) * 2],
)
def test_a_name_that_stands_nowhere_is_given_back_without_its_translated_words(name: str, unknown: str) -> None:
    assert unknown_name(name, MATERIAL) == unknown


@pytest.mark.parametrize("words", ["Supreme People's Court", "Civil Code", "Loan Contract", "China", "Renminbi"])
def test_words_that_are_no_names_are_not_looked_up(words: str) -> None:
    assert unknown_name(words, MATERIAL) is None
