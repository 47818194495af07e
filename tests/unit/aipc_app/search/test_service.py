"""Search over a real store and a real encoder."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from aipc_app.domain.documents import LIBRARY_ID, Stage
from aipc_app.domain.jobs import JobKind
from aipc_app.search.service import SearchService
from aipc_app.store import Store
from aipc_app.workers.encoder import Encoder

from .conftest import Desk, articles

LOAN = (
    "借款合同\n\n甲方（出借人）张三，乙方（借款人）李四。\n\n"
    "乙方因经营周转需要，于2021年3月5日向甲方借款人民币五十万元整，约定借款期限一年，年利率12%。\n\n"
    "乙方应于2022年3月4日前一次性归还本金，逾期按日万分之五支付违约金。"
)
WEATHER = "会议纪要\n\n今天讨论了食堂的菜单，决定每周五供应面条，并更换了供应商。"
ENGLISH = "Site visit memo\n\nThe warehouse in Tianjin was half empty and the roof leaked over the third bay."


@pytest.fixture
def case(desk: Desk) -> int:
    number = desk.case("张三诉李四")
    for name, text in (("合同.txt", LOAN), ("纪要.txt", WEATHER), ("memo.txt", ENGLISH)):
        desk.add(number, name, text)
    return number


def documents(search: SearchService, query: str, *cases: int) -> list[str]:
    return [item.passage.document for item in search.search(query, cases=cases).evidence]


def test_words_and_meaning_and_figures_each_tell_their_rank(search: SearchService, case: int) -> None:
    best = search.search("2021年3月5日的借款本金是多少", cases=(case,)).evidence[0]
    assert best.passage.document == "合同.txt"
    assert best.ranks == {Stage.KEYWORD: 1, Stage.VECTOR: 1, Stage.EXACT: 1}
    assert 0 < best.score <= 1


def test_a_figure_is_found_however_it_is_written(search: SearchService, case: int) -> None:
    best = search.search("500,000元", cases=(case,)).evidence[0]
    assert best.passage.document == "合同.txt"
    assert Stage.EXACT in best.ranks


def test_a_question_finds_what_was_written_in_the_other_language(search: SearchService, case: int) -> None:
    assert documents(search, "仓库的屋顶有什么问题？", case)[0] == "memo.txt"
    assert documents(search, "When did the borrower have to repay the loan?", case)[0] == "合同.txt"


def test_a_passage_is_the_pages_own_text(search: SearchService, case: int, store: Store) -> None:
    for item in search.search("借款", cases=(case,)).evidence:
        page = store.documents.page(item.passage.document_id, item.passage.page)
        assert page.text[item.passage.start : item.passage.end] == item.passage.text


def test_cases_never_mix(desk: Desk, search: SearchService, case: int) -> None:
    other = desk.case("王五诉赵六")
    desk.add(other, "借条.txt", "今借到王五人民币三万元，赵六，2019年7月1日。")
    assert set(documents(search, "借款多少钱", other)) == {"借条.txt"}
    assert "借条.txt" not in documents(search, "借款多少钱", case)
    assert "借条.txt" in documents(search, "借款多少钱", case, other)


def test_a_document_that_was_taken_out_is_not_shown_even_if_the_index_still_has_it(
    search: SearchService, case: int, store: Store
) -> None:
    (loan,) = {item.passage.document_id for item in search.search("五十万元", cases=(case,), limit=1).evidence}
    other = store.cases.create("别案").id
    store.documents.link(other, loan)
    store.documents.unlink(case, loan)
    assert "合同.txt" not in documents(search, "借款期限多久", case)


def test_chosen_documents_alone_are_searched(search: SearchService, case: int, store: Store) -> None:
    chosen = frozenset(d.id for d in store.documents.of_case(case) if d.name != "合同.txt")
    found = search.search("借款期限多久", cases=(case,), documents=chosen).evidence
    assert found
    assert {item.passage.document_id for item in found} <= chosen
    assert search.search("借款期限多久", cases=(case,), documents=frozenset()).evidence == ()


def test_the_named_laws_own_article_comes_first(desk: Desk, search: SearchService) -> None:
    civil = [(f"第{n}条", f"民事主体从事民事活动的规定之{n}。") for n in ("五", "六", "七")]
    company = [
        ("第五条", "设立公司应当依法制定公司章程。"),
        ("第六条", "公司应当有自己的名称。"),
        ("第七条", "依照本法第五条办理。"),
    ]
    desk.add(LIBRARY_ID, "民法典/总则.md", articles("中华人民共和国民法典", civil))
    desk.add(LIBRARY_ID, "公司法(2018-10-26).md", articles("中华人民共和国公司法", company))
    for query, law in (("公司法第五条是怎么规定的", "公司法"), ("《民法典》第5条", "民法典")):
        best = search.search(query, cases=(LIBRARY_ID,)).evidence[0].passage
        assert best.article == "第五条"
        assert law in best.document


def test_a_case_number_is_found_first(desk: Desk, search: SearchService, case: int) -> None:
    desk.add(case, "判决书.txt", "北京市朝阳区人民法院民事判决书\n\n（2021）京0105民初1234号\n\n原告张三。")
    assert documents(search, "(2021)京0105民初1234号里原告是谁", case)[0] == "判决书.txt"


@pytest.mark.parametrize("query", ["", "  ", "？！。，…", "()[]{}\"'*", "\0", "🙂"])
def test_a_query_without_a_word_finds_nothing(search: SearchService, case: int, query: str) -> None:
    assert search.search(query, cases=(case,)).evidence == ()


@pytest.mark.parametrize("unit", ["借款", "a b ", "500000元 ", "第五条 ", "\" OR * NEAR( ", "2021年3月5日"])
def test_a_pasted_book_as_a_query_is_answered(search: SearchService, case: int, unit: str) -> None:
    result = search.search(unit * (100_000 // len(unit)), cases=(case,))
    assert result.missing == ()
    assert result.seconds < 20


def test_the_limit_is_kept(search: SearchService, case: int) -> None:
    assert len(search.search("借款", cases=(case,), limit=2).evidence) == 2
    assert search.search("借款", cases=(case,), limit=0).evidence == ()


def test_the_same_query_gives_the_same_list(search: SearchService, case: int) -> None:
    first, second = (search.search("借款期限多久", cases=(case,)).evidence for _ in range(2))
    assert first == second


def test_without_an_encoder_words_are_searched_and_the_gap_is_told(
    store: Store, case: int, tmp_path: Path
) -> None:
    broken = Encoder([sys.executable, "-c", "raise SystemExit(1)"], tmp_path)
    result = SearchService(store, broken).search("借款期限", cases=(case,))
    assert result.evidence[0].passage.document == "合同.txt"
    assert result.missing == (Stage.VECTOR,)
    broken.close()


def test_vectors_still_to_come_are_told(desk: Desk, search: SearchService, case: int, store: Store) -> None:
    late = desk.add(case, "补充协议.txt", "双方同意将还款日延至2023年6月1日。", vectors=False)
    store.jobs.add(JobKind.EMBED, late.id)
    result = search.search("还款日延到什么时候", cases=(case,))
    assert result.missing == (Stage.VECTOR,)
    assert "补充协议.txt" in {item.passage.document for item in result.evidence}


def test_a_lay_question_to_the_library_is_searched_in_the_words_of_statutes_too(
    desk: Desk, store: Store, encoder: Encoder
) -> None:
    law = [("第一条", "为了规范租赁。"), ("第二条", "出租人应当返还定金。"), ("第三条", "水费由双方约定。")]
    desk.add(LIBRARY_ID, "租赁法.md", articles("租赁法", law), vectors=False)
    case = desk.case("甲")
    desk.add(case, "记录.txt", "出租人应当返还定金。", vectors=False)
    words = frozenset({Stage.KEYWORD})
    both, plain = (SearchService(store, encoder, using=words, everyday=on) for on in (True, False))
    (found,) = both.search("房东不退押金", cases=(LIBRARY_ID,)).evidence
    assert found.passage.article == "第二条"
    assert plain.search("房东不退押金", cases=(LIBRARY_ID,)).evidence == ()
    assert both.search("房东不退押金", cases=(case,)).evidence == (), "a case is searched for what was typed"
