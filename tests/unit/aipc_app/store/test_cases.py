"""Cases: names, archive, trash, deletion; and the library that none of these touch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from aipc_app.domain.answers import Answer, Mode, Turn
from aipc_app.domain.documents import LIBRARY_ID, CaseKind
from aipc_app.errors import UserMistake
from aipc_app.paths import Home
from aipc_app.store import Store

if TYPE_CHECKING:
    from tests.unit.aipc_app.store.conftest import Filler


def names(store: Store, *, archived: bool = False, trashed: bool = False) -> list[str]:
    return [case.name for case in store.cases.list(archived=archived, trashed=trashed)]


def test_a_new_home_has_a_library_and_no_case(store: Store) -> None:
    library = store.cases.library()
    assert (library.id, library.kind, library.documents) == (LIBRARY_ID, CaseKind.LIBRARY, 0)
    assert names(store) == []


def test_the_case_opened_last_comes_first(store: Store) -> None:
    one, two = store.cases.create("一"), store.cases.create("二")
    assert names(store) == ["二", "一"]
    store.cases.touch(one.id)
    assert names(store) == ["一", "二"]
    assert store.cases.get(two.id) == two


def test_a_name_is_taken_once_and_tidied(store: Store) -> None:
    assert store.cases.create("  民间\n借贷\x00 一 ").name == "民间 借贷 一"
    with pytest.raises(UserMistake, match="already"):
        store.cases.create("民间  借贷 一")
    with pytest.raises(UserMistake, match="needs a name"):
        store.cases.create(" \n ")
    with pytest.raises(UserMistake, match="at most"):
        store.cases.create("长" * 201)
    assert store.cases.by_name(" 民间 借贷  一") is not None
    assert store.cases.by_name("Law library") is None


def test_renaming_keeps_names_apart_and_may_keep_its_own(store: Store) -> None:
    one, _two = store.cases.create("一"), store.cases.create("二")
    with pytest.raises(UserMistake):
        store.cases.rename(one.id, "二")
    assert store.cases.rename(one.id, "一").name == "一"
    assert store.cases.rename(one.id, "三").name == "三"
    with pytest.raises(UserMistake, match="no case number 99"):
        store.cases.rename(99, "四")


def test_archive_and_trash_hide_and_bring_back(store: Store) -> None:
    one = store.cases.create("一")
    assert store.cases.archive(one.id, True).archived
    assert (names(store), names(store, archived=True)) == ([], ["一"])
    assert store.cases.trash(one.id, True).trashed
    assert (names(store, archived=True), names(store, trashed=True)) == ([], ["一"])
    store.cases.trash(one.id, False)
    store.cases.archive(one.id, False)
    assert names(store) == ["一"]


def test_a_case_from_the_trash_whose_name_was_taken_gets_a_number(store: Store) -> None:
    one = store.cases.create("一")
    store.cases.trash(one.id, True)
    store.cases.create("一")
    store.cases.create("一 (2)")
    assert store.cases.by_name("一") != one
    assert store.cases.trash(one.id, False).name == "一 (3)"


def test_deleting_a_case_removes_what_only_it_had(store: Store, fill: Filler, home: Home) -> None:
    one, two = store.cases.create("一"), store.cases.create("二")
    mine, shared = fill.document(one.id, "mine"), fill.document(one.id, "shared")
    store.documents.link(two.id, shared.id)
    conversation = store.conversations.create([one.id, two.id], True, "问")
    answer = Answer(question="q", text="a", language="zh", mode=Mode.AUTO, refused=False)
    store.conversations.add_turn(conversation.id, Turn(sent_passages="", question="q", answer=answer))
    kept = store.conversations.create([two.id], True, "问二")
    assert store.cases.delete(one.id) == (mine.id,)
    with pytest.raises(UserMistake):
        store.documents.get(mine.id)
    assert store.documents.cases_of(shared.id) == (two.id,)
    assert store.conversations.list(None) == (kept,)
    assert [path.name for path in home.originals.glob("*/*")] == [shared.sha256]
    store.check()


def test_the_library_can_not_be_renamed_hidden_or_deleted(store: Store) -> None:
    for attempt in (
        lambda: store.cases.rename(LIBRARY_ID, "x"),
        lambda: store.cases.archive(LIBRARY_ID, True),
        lambda: store.cases.trash(LIBRARY_ID, True),
        lambda: store.cases.delete(LIBRARY_ID),
    ):
        with pytest.raises(UserMistake, match="law library"):
            attempt()
