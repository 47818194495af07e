"""Articles that found articles refer to."""

from __future__ import annotations

import pytest

from aipc_app.domain.documents import LIBRARY_ID
from aipc_app.search.related import references
from aipc_app.search.service import SearchService

from .conftest import Desk, articles


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("有本法第六百七十九条规定的情形", ("第六百七十九条",)),
        ("依照本法第一百二十条之一、第五条第二款和第七条处罚", ("第一百二十条之一", "第五条", "第七条")),
        ("依照《中华人民共和国公司法》第五条", ()),
        ("第三条 本法第三条", ("第三条",)),
        ("本 法\n第 九 条", ("第九条",)),
    ],
)
def test_only_articles_of_the_same_law_are_named(text: str, named: tuple[str, ...]) -> None:
    assert references(text) == named


def test_what_a_found_article_refers_to_comes_with_it(desk: Desk, search: SearchService) -> None:
    law = [("第一条", "借款人应当还款。"), ("第二条", "逾期还款的，依照本法第九条处理。")]
    law += [(f"第{number}条", f"与此无关的内容，编号{number}。") for number in "三四五六七八"]
    desk.add(LIBRARY_ID, "借贷法.md", articles("借贷法", [*law, ("第九条", "加收罚息。")]))
    others = [("第九条", "别的。"), ("第十条", "又一。"), ("第十一条", "三。")]
    desk.add(LIBRARY_ID, "他法.md", articles("他法", others))
    found = search.search("逾期还款怎么处理", cases=(LIBRARY_ID,), limit=1)
    assert [item.passage.article for item in found.evidence] == ["第二条"]
    assert [(one.document, one.article) for one in found.related] == [("借贷法.md", "第九条")]
