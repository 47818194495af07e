"""A sentence that names an article is held to that article, in a real store with a small library."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from aipc_app.answer.attribute import attribute
from aipc_app.answer.claim import make_claim
from aipc_app.answer.law import Judged, check_law
from aipc_app.answer.units import cut_units
from aipc_app.domain.answers import SentenceState
from aipc_app.domain.documents import LIBRARY_ID, Passage
from aipc_app.domain.fields import DocumentField, FieldName
from aipc_app.paths import Home
from aipc_app.search.lawbook import LawBook
from aipc_app.store import Store
from aipc_app.text import tokens
from tests.unit.aipc_app.answer.material import source
from tests.unit.aipc_app.answer.shelf import put_text

HARBOUR = "# 中华人民共和国港口停泊法\n\n" + "".join(
    f"第{numeral}条　{text}\n\n"
    for numeral, text in (
        ("一", "为了规范船舶停泊，制定本法。"),
        ("二", "船舶进港应当提前二十四小时向港务机构申报。"),
        ("三", "港务机构应当自收到申报之日起十二小时内安排泊位。"),
        ("四", "船舶不得在航道内抛锚。"),
        ("五", "本法自2019年7月1日起施行，《船舶靠泊暂行办法》同时废止。"),
    )
)
OLD = (
    "# 船舶靠泊暂行办法\n\n第一条　船舶靠泊应当缴纳靠泊费。\n\n第二条　靠泊费按吨位计收。\n\n"
    "第三条　本办法自1998年1月1日起施行。\n"
)
EXCERPT = (
    "# 海上救助法（节选）\n\n第七条　救助人有权获得报酬。\n\n第九条　报酬由获救方承担。\n\n"
    "第十二条　遇险人员的救助不收取报酬。\n"
)
BUOYS = "# 浮标法\n\n第一条　浮标应当每月检查一次。\n\n第二条　检查应当记录。\n\n第三条　记录保存三年。\n"
CASE = "答辩状\n被告依据《港口停泊法》第九条提出抗辩。船舶于2021年5月3日进港，停泊费为8,000元。\n"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    home = Home(tmp_path / "home")
    home.create()
    tokens.configure(home.caches)
    store = Store.open(home)
    for name, text in (
        ("港口停泊法.md", HARBOUR),
        ("旧/船舶靠泊暂行办法(1998-01-01).md", OLD),
        ("海上救助法_节选.md", EXCERPT),
    ):
        put_text(store, LIBRARY_ID, name, text)
    yield store
    store.close()


def judged(store: Store, sentence: str) -> Judged:
    claim, units = make_claim(sentence), cut_units((source(CASE, name="答辩状.txt"),))

    def page_text(passage: Passage) -> str:
        return store.documents.page(passage.document_id, passage.page).text

    return check_law(claim, Judged(verdict=attribute(claim, units), units=units), LawBook(store), page_text)


@pytest.mark.parametrize(
    "sentence",
    [
        "根据《港口停泊法》第二条，船舶进港应当提前24小时向港务机构申报。",
        "《中华人民共和国港口停泊法》第三条规定，港务机构应当自收到申报之日起12小时内安排泊位。",
        "港口停泊法第四条规定船舶不得在航道内抛锚。",
        "《海上救助法》第七条规定，救助人有权获得报酬。",
    ],
)
def test_what_the_article_says_is_supported_by_it(store: Store, sentence: str) -> None:
    found = judged(store, sentence)
    assert found.verdict.state is SentenceState.SUPPORTED, found.verdict.reason
    assert all(found.units.sources[span.source].library for span in found.verdict.spans)


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("根据《港口停泊法》第三条，船舶进港应当提前24小时向港务机构申报。", "第三条”没有写"),
        ("根据《港口停泊法》第二条，船舶进港应当提前48小时向港务机构申报。", "没有写"),
        ("根据《港口停泊法》第二十条，船舶进港应当提前24小时向港务机构申报。", "共5条"),
    ],
)
def test_another_article_a_changed_figure_and_one_that_does_not_exist_are_not(
    store: Store, sentence: str, reason: str
) -> None:
    found = judged(store, sentence)
    assert found.verdict.state is SentenceState.UNSUPPORTED
    assert reason in found.verdict.reason


def test_a_case_document_that_cites_a_missing_article_is_reported_with_a_doubt(store: Store) -> None:
    found = judged(store, "被告依据《港口停泊法》第九条提出抗辩。")
    assert found.verdict.state is SentenceState.IN_DOUBT
    assert "共5条" in found.verdict.reason
    assert found.verdict.spans


def test_a_law_that_another_one_repeals_is_said_to_be(store: Store) -> None:
    found = judged(store, "《船舶靠泊暂行办法》第一条规定，船舶靠泊应当缴纳靠泊费。")
    assert found.verdict.state is SentenceState.IN_DOUBT
    assert "废止" in found.verdict.reason and "港口停泊法" in found.verdict.reason


def test_a_law_that_is_not_yet_in_force_is_said_to_be(store: Store) -> None:
    law = put_text(store, LIBRARY_ID, "浮标法.md", BUOYS)
    store.fields.save_found(law, [DocumentField(name=FieldName.EFFECTIVE_DATE, value="2999-01-01")])
    found = judged(store, "《浮标法》第一条规定，浮标应当每月检查一次。")
    assert found.verdict.state is SentenceState.IN_DOUBT
    assert "2999-01-01" in found.verdict.reason


def test_an_excerpt_lacks_articles_that_exist(store: Store) -> None:
    assert "共" not in judged(store, "《海上救助法》第八条规定，救助人应当及时救助。").verdict.reason


def test_a_law_that_the_library_lacks_is_left_to_the_material(store: Store) -> None:
    found = judged(store, "《渔业法》第二条规定，捕捞应当持证。")
    assert found.verdict.reason == attribute(make_claim("《渔业法》第二条规定，捕捞应当持证。"), found.units).reason
