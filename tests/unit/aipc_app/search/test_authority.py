"""What laws weigh before anybody asks."""

from __future__ import annotations

import pytest

from aipc_app.domain.documents import Passage
from aipc_app.search.authority import CODE, INTERPRETATION, LAW, OTHER, SUPERSEDED, authority, rank_of
from aipc_app.search.laws import comparable


@pytest.mark.parametrize(
    ("title", "rank"),
    [
        ("中华人民共和国民法典", CODE),
        ("中华人民共和国刑法", CODE),
        ("中华人民共和国公司法", LAW),
        ("公司法(2023-12-29)", LAW),
        ("最高人民法院关于适用《中华人民共和国民法典》有关担保制度的解释", INTERPRETATION),
        ("中华人民共和国刑法修正案（九）", OTHER),
        ("商标法实施条例", OTHER),
        ("企业职工带薪年休假实施办法", OTHER),
        ("Companies Act 2014", LAW),
    ],
)
def test_a_laws_name_tells_its_rank(title: str, rank: float) -> None:
    assert rank_of(comparable(title)) == rank


def passage(id_: int, document: str, heading: str, article: str = "第一条") -> Passage:
    return Passage(
        id=id_, document_id=id_, document=document, page=1, start=0, end=1, text="一", heading=heading, article=article
    )


def test_an_older_version_weighs_less_where_the_newer_one_was_found_too() -> None:
    old = passage(1, "公司法(2018-10-26).md", "中华人民共和国公司法 / 第一章 总则")
    new = passage(2, "公司法(2023-12-29).md", "中华人民共和国公司法 / 第一章 总则")
    other = passage(3, "公司法(2018-10-26).md", "中华人民共和国公司法 / 第二章", "第九条")
    assert authority([old, new, other], frozenset({1, 2, 3})) == {1: LAW + SUPERSEDED, 2: LAW, 3: LAW}


def test_a_cases_own_documents_stand_beside_the_codes() -> None:
    assert authority([passage(4, "合同.txt", "借款合同")], frozenset()) == {4: CODE}
