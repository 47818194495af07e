"""An article that begins is told from one that is cited."""

import pytest

from aipc_app.ingest.statutes import ArticleMark, ArticleSequence, article_mark, is_statute


@pytest.mark.parametrize(
    ("line", "mark"),
    [
        ("第六百八十条 禁止高利放贷", ArticleMark("第六百八十条", "680")),
        ("　　第 一百二十 条之一　甲", ArticleMark("第一百二十条之一", "120-1")),
        ("**第三条　借款期限**　一年。", ArticleMark("第三条", "3")),
        ("第12条 甲", ArticleMark("第12条", "12")),
        ("Article 5. Repayment", ArticleMark("Article 5", "5")),
        ("Section 4.2", ArticleMark("Section 4.2", "4.2")),
    ],
)
def test_lines_that_open_an_article(line: str, mark: ArticleMark) -> None:
    assert article_mark(line) == mark


@pytest.mark.parametrize(
    "line",
    [
        "第二条的规定",
        "第二条、第三条",
        "第二条第一款",
        "第一审人民法院认为，附条件",
        "第三章 合同",
        "依照第二条",
        "Sections 4",
    ],
)
def test_lines_that_do_not(line: str) -> None:
    assert article_mark(line) is None


def test_an_article_out_of_order_in_the_middle_of_a_sentence_is_cited() -> None:
    sequence = ArticleSequence()
    assert sequence.begins("第一条 甲。", after="", after_blank=True)
    assert not sequence.begins("第九条 所列情形之一的，", after="有本条例", after_blank=False)
    assert sequence.begins("第二条 乙", after="（一）没有句号的一项", after_blank=False)
    assert sequence.begins("第九条 丙", after="前一条完。", after_blank=False)


def test_a_short_statute_may_have_a_long_preamble_if_its_articles_count_from_one() -> None:
    preamble = "为正确审理案件，结合审判实践，制定本规定。" * 20
    assert is_statute([preamble + "\n第一条 甲。\n第二条 乙。"])
    assert not is_statute([preamble + "\n第七条 甲。\n第九条 乙。"])
    assert not is_statute([preamble])
