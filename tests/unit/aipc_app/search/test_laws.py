"""Which law a query names."""

from __future__ import annotations

import pytest

from aipc_app.domain.documents import Passage
from aipc_app.search.laws import NamedLaws, bears, comparable


def passage(document: str, heading: str | None = None) -> Passage:
    return Passage(id=1, document_id=1, document=document, page=1, start=0, end=1, text="x", heading=heading)


@pytest.mark.parametrize(
    ("query", "document", "heading"),
    [
        ("民法典第六百八十条", "民法典/合同编.md", None),
        ("《中华人民共和国民法典》第680条", "civil.md", "中华人民共和国民法典 / 合同编"),
        ("个体工商户条例 第二条", "行政法规/个体工商户条例(2016-02-06).md", None),
        ("刑法第二百六十六条", "x.md", "中华人民共和国刑法 / 第二编 分则"),
        ("Section 45 of the Companies Act 2014", "Companies Act 2014.html", None),
    ],
)
def test_a_law_is_known_by_its_file_its_folder_or_its_title(query: str, document: str, heading: str | None) -> None:
    laws, found = NamedLaws(query), passage(document, heading)
    names = laws.most([found])
    assert bears(found, names)
    assert any(laws.stands_before_article(name) for name in names)


def test_of_two_names_the_longer_is_meant() -> None:
    law, rules = passage("专利法(2020-10-17).md"), passage("专利法实施细则(2010-01-09).md")
    names = NamedLaws("专利法实施细则第五条").most([law, rules])
    assert bears(rules, names)
    assert not bears(law, names)
    assert bears(law, NamedLaws("专利法第五条").most([law, rules]))


def test_a_law_that_is_only_the_beginning_of_another_name_is_not_meant() -> None:
    laws = NamedLaws("公司法司法解释三第五条")
    names = laws.most([passage("公司法.md")])
    assert not any(laws.stands_before_article(name) for name in names)


def test_no_law_is_named_by_a_query_without_one() -> None:
    assert NamedLaws("第六百八十条").most([passage("民法典/合同编.md", "中华人民共和国民法典")]) == frozenset()


def test_names_are_compared_without_versions_and_spaces() -> None:
    assert comparable("中华人民共和国公司法（2018-10-26）") == comparable("公司法") == "公司法"
