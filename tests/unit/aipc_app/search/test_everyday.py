"""What lay people say in the words of statutes."""

from __future__ import annotations

from aipc_app.search.everyday import MOST_ADDED, legal_words


def test_everyday_words_bring_the_words_of_statutes_in_the_questions_order() -> None:
    assert legal_words("房东不退押金，能报警吗")[:2] == ("出租人", "定金")


def test_the_longest_of_overlapping_words_is_meant() -> None:
    assert legal_words("有人开赌场") == ("开设赌场",), "and not 赌博, for 赌"
    assert legal_words("酒后开车") == ("饮酒后驾驶机动车",), "and not 驾驶, for 开车"


def test_what_the_question_says_itself_is_not_added() -> None:
    assert legal_words("出租人不退押金，定金呢，房东") == ("返还",)


def test_a_question_in_terms_of_the_law_stays_as_it_is() -> None:
    assert legal_words("保证期间有多长") == ()
    assert legal_words("When must the landlord return the deposit?") == ()


def test_a_pasted_page_does_not_drown_in_added_words() -> None:
    page = "老板拖欠工资，房东不退押金，邻居打人，酒后开车撞了孩子，离婚要彩礼。" * 100
    assert len(legal_words(page)) == MOST_ADDED
