"""Which documents of the library are no longer law, or not yet."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from aipc_app.domain.documents import LIBRARY_ID, Document, Force, ForceState
from aipc_app.domain.fields import DocumentField, FieldName
from aipc_app.search import in_force
from aipc_app.search.in_force import LawsInForce, repealed_titles
from aipc_app.search.service import SearchService
from aipc_app.store import Store

from .conftest import Desk, articles

FILLER = [(f"第{number}条", f"与此无关的内容，编号{number}。") for number in "二三四五"]


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("本法自2021年1月1日起施行。《中华人民共和国婚姻法》、《中华人民共和国合同法》同时废止。",
         ("中华人民共和国婚姻法", "中华人民共和国合同法")),
        ("《关于借款的解释》（法释〔2015〕18号）同时废止。", ("关于借款的解释",)),
        ("《甲条例》和《乙办法》自本条例施行之日起予以废止", ("甲条例", "乙办法")),
        ("《甲法》第三条的规定同时废止。", ()),
        ("依照《甲法》设立的，继续有效；与本法抵触的规定废止。", ()),
    ],
)  # fmt: skip
def test_only_laws_that_are_repealed_as_a_whole_are_named(text: str, titles: tuple[str, ...]) -> None:
    assert repealed_titles(text) == titles


def law(desk: Desk, name: str, title: str, first: str) -> Document:
    return desk.add(LIBRARY_ID, name, articles(title, [("第一条", first), *FILLER]), vectors=False)


def test_of_two_versions_the_older_is_superseded(desk: Desk, store: Store) -> None:
    old = law(desk, "公司法(2018-10-26).md", "中华人民共和国公司法", "旧。")
    law(desk, "公司法(2023-12-29).md", "中华人民共和国公司法", "新。")
    assert LawsInForce(store).known() == {old.id: Force(state=ForceState.SUPERSEDED, by="2023-12-29")}


def test_a_law_that_another_repeals_is_marked_with_that_laws_name(desk: Desk, store: Store) -> None:
    old = law(desk, "合同法(1999-03-15).md", "中华人民共和国合同法", "旧。")
    law(desk, "民法典(2020-05-28).md", "中华人民共和国民法典", "《中华人民共和国合同法》同时废止。")
    assert LawsInForce(store).known() == {old.id: Force(state=ForceState.REPEALED, by="中华人民共和国民法典")}


def test_a_later_law_of_a_repealed_name_is_law(desk: Desk, store: Store) -> None:
    law(desk, "居民身份证法(2011-10-29).md", "居民身份证法", "《居民身份证条例》同时废止。")
    law(desk, "居民身份证条例(2020-01-01).md", "居民身份证条例", "新。")
    assert LawsInForce(store).known() == {}


def test_what_comes_into_force_later_is_marked_and_its_former_version_still_is_law(desk: Desk, store: Store) -> None:
    later = (date.today() + timedelta(days=90)).isoformat()
    law(desk, "会计法(2017-11-04).md", "会计法", "旧。")
    new = law(desk, "会计法(2026-06-28).md", "会计法", "新。")
    store.fields.save_found(new.id, [DocumentField(name=FieldName.EFFECTIVE_DATE, value=later)])
    assert LawsInForce(store).known() == {new.id: Force(state=ForceState.TO_COME, by=later)}


def test_what_is_added_is_known_at_once(desk: Desk, store: Store) -> None:
    laws = LawsInForce(store)
    old = law(desk, "公司法(2018-10-26).md", "公司法", "旧。")
    assert laws.known() == {}
    law(desk, "公司法(2023-12-29).md", "公司法", "新。")
    assert set(laws.known()) == {old.id}


def test_a_long_reading_is_not_repeated_for_every_search(
    desk: Desk, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(in_force, "_QUICK_S", 0.0)
    monkeypatch.setattr(in_force, "_PAUSES", 1e9)
    laws = LawsInForce(store)
    law(desk, "公司法(2018-10-26).md", "公司法", "旧。")
    assert laws.known() == {}
    law(desk, "公司法(2023-12-29).md", "公司法", "新。")
    assert laws.known() == {}
    assert len(LawsInForce(store).known()) == 1


def test_search_marks_what_is_no_longer_law_and_puts_it_behind_the_newer(desk: Desk, search: SearchService) -> None:
    for day in ("2018-10-26", "2023-12-29"):
        text = articles("公司法", [("第一条", "股东按期缴足出资额。"), *FILLER, ("第六条", day)])
        desk.add(LIBRARY_ID, f"公司法({day}).md", text)
    first, second = search.search("股东怎么出资", cases=(LIBRARY_ID,)).evidence[:2]
    assert (first.passage.document, first.force) == ("公司法(2023-12-29).md", None)
    assert second.force == Force(state=ForceState.SUPERSEDED, by="2023-12-29")
    assert second.passage.document == "公司法(2018-10-26).md"
