"""What belongs to articles that were found."""

from __future__ import annotations

import pytest

from aipc_app.domain.documents import LIBRARY_ID, Along
from aipc_app.search.related import citations, defined_terms
from aipc_app.search.service import SearchService

from .conftest import Desk, articles

FILLER = [(f"第{number}条", f"与此无关的内容，编号{number}。") for number in "三四五六七八"]


@pytest.mark.parametrize(
    ("text", "before", "named"),
    [
        ("有本法第六百七十九条规定的情形", "有本法", ("第六百七十九条",)),
        ("依照本法第一百二十条之一、第五条第二款和第七条处罚", "依照本法", ("第一百二十条之一", "第五条", "第七条")),
        ("依照《公司法》第五条", "依照《公司法》", ("第五条",)),
    ],
)
def test_a_list_of_articles_is_named_together_with_what_stands_before(
    text: str, before: str, named: tuple[str, ...]
) -> None:
    assert list(citations(text)) == [(before, named)]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("本法所称公司，是指依照本法设立的公司。", ("公司",)),
        ("本条例所称“建设工程”，包括土木工程。", ("建设工程",)),
        ("前款所称的情形，由法院认定。", ()),
    ],
)
def test_the_words_whose_meaning_is_given_are_known(text: str, terms: tuple[str, ...]) -> None:
    assert defined_terms(text) == terms


def along(search: SearchService, query: str) -> tuple[list[str | None], list[tuple[str, str | None, Along, int]]]:
    """The articles that were found, and what comes along with which of them, from 1."""
    found = search.search(query, cases=(LIBRARY_ID,), limit=1)
    places = {item.passage.id: place for place, item in enumerate(found.evidence, 1)}
    return [item.passage.article for item in found.evidence], [
        (one.passage.document, one.passage.article, one.why, places[one.of]) for one in found.related
    ]


def test_what_a_found_article_refers_to_comes_with_it(desk: Desk, search: SearchService) -> None:
    law = [("第一条", "借款人应当还款。"), ("第二条", "逾期还款的，依照本法第九条处理。"), *FILLER]
    desk.add(LIBRARY_ID, "借贷法.md", articles("借贷法", [*law, ("第九条", "加收罚息。")]))
    others = [("第九条", "别的。"), ("第十条", "又一。"), ("第十一条", "三。")]
    desk.add(LIBRARY_ID, "他法.md", articles("他法", others))
    assert along(search, "逾期还款怎么处理") == (["第二条"], [("借贷法.md", "第九条", Along.CITED, 1)])


def test_an_interpretation_brings_the_article_of_the_law_that_it_applies_in_its_newest_version(
    desk: Desk, search: SearchService
) -> None:
    for day in ("2018-10-26", "2023-12-29"):
        law = [("第一条", "总则。"), ("第二条", f"{day}的条文。"), *FILLER]
        desk.add(LIBRARY_ID, f"民法商法/借贷法({day}).md", articles("中华人民共和国借贷法", law))
    applied = [("第一条", "依据《中华人民共和国借贷法》第二条请求加收罚息的，应予支持。"), *FILLER]
    desk.add(LIBRARY_ID, "司法解释/解释.md", articles("最高人民法院关于借贷的解释", applied))
    found, belonging = along(search, "请求加收罚息应予支持")
    assert (found, belonging) == (["第一条"], [("民法商法/借贷法(2023-12-29).md", "第二条", Along.CITED, 1)])


def test_a_law_is_known_by_a_part_of_its_files_name_too(desk: Desk, search: SearchService) -> None:
    excerpt = [("第一条", "总则。"), ("第二条", "利率由当事人约定。"), *FILLER]
    desk.add(LIBRARY_ID, "借贷法_第一编_节选.md", articles("中华人民共和国借贷法", excerpt))
    applied = [("第一条", "依据借贷法第二条请求加收罚息的，应予支持。"), *FILLER]
    desk.add(LIBRARY_ID, "解释.md", articles("关于借贷的解释", applied))
    found, belonging = along(search, "请求加收罚息应予支持")
    assert (found, belonging) == (["第一条"], [("借贷法_第一编_节选.md", "第二条", Along.CITED, 1)])


def test_a_folder_of_many_laws_is_no_law(desk: Desk, search: SearchService) -> None:
    for number in range(21):
        rules = articles(f"办法{number}", [("第二条", f"甲{number}。"), *FILLER])
        desk.add(LIBRARY_ID, f"行政法/办法{number}.md", rules)
    desk.add(LIBRARY_ID, "解释.md", articles("解释", [("第一条", "依据行政法第二条请求许可的，应予准许。"), *FILLER]))
    assert along(search, "请求许可应予准许") == (["第一条"], [])


def test_the_article_before_comes_along_where_it_is_spoken_of(desk: Desk, search: SearchService) -> None:
    third = ("第三条", "违反前条规定的，没收违法所得。")
    law = [("第一条", "总则。"), ("第二条", "不得高利放贷。"), third, *FILLER[1:]]
    desk.add(LIBRARY_ID, "借贷法.md", articles("借贷法", law))
    assert along(search, "没收违法所得") == (["第三条"], [("借贷法.md", "第二条", Along.PREVIOUS, 1)])


def test_the_rest_of_a_long_article_comes_along(desk: Desk, search: SearchService) -> None:
    long = "".join(f"第{number}项情形应当登记备案并公告周知。" for number in range(60)) + "隐瞒抵押的，加收罚息。"
    desk.add(LIBRARY_ID, "借贷法.md", articles("借贷法", [("第一条", "总则。"), ("第二条", long), *FILLER]))
    found, belonging = along(search, "隐瞒抵押加收罚息")
    assert found == ["第二条"]
    assert {(article, why) for _, article, why, _ in belonging} == {("第二条", Along.REST)}


def test_an_article_that_says_what_a_word_means_comes_along(desk: Desk, search: SearchService) -> None:
    law = [("第一条", "总则。"), ("第二条", "职业放贷人的合同无效，返还本金。"), *FILLER]
    meaning = ("第九条", "本法所称职业放贷人，是指以放贷为业的人。")
    desk.add(LIBRARY_ID, "借贷法.md", articles("借贷法", [*law, meaning]))
    assert along(search, "合同无效返还本金") == (["第二条"], [("借贷法.md", "第九条", Along.DEFINITION, 1)])


def test_a_case_of_its_own_brings_nothing_along(desk: Desk, search: SearchService) -> None:
    case = desk.case("甲")
    text = [("第一条", "总则。"), ("第二条", "逾期还款的，依照本规定第九条处理。"), *FILLER, ("第九条", "加收罚息。")]
    desk.add(case, "规定.md", articles("内部规定", text))
    assert search.search("逾期还款怎么处理", cases=(case,), limit=1).related == ()
