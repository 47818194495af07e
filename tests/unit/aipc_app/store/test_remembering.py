"""Figures of what is remembered follow the documents; what is to be forgotten outlives them."""

from __future__ import annotations

import pytest

from aipc_app.domain.remembering import RememberedShare
from aipc_app.store import Store


@pytest.fixture
def case_and_documents(store: Store) -> tuple[int, int, int]:
    case = store.cases.create("甲").id
    ids = [store.documents.add(name=f"{n}.txt", sha256=f"{n:064d}", size=1).id for n in (1, 2)]
    for id_ in ids:
        store.documents.link(case, id_)
    return case, ids[0], ids[1]


def share(document_id: int, known: int, tokens: int = 10) -> RememberedShare:
    return RememberedShare(document_id=document_id, tokens=tokens, known_tokens=known, model="m")


def test_a_later_survey_takes_the_place_of_the_earlier(store: Store, case_and_documents: tuple[int, int, int]) -> None:
    case, first, second = case_and_documents
    store.remembered.save(case, [share(first, 10), share(second, 0)])
    store.remembered.save(case, [share(second, 5)])
    assert store.remembered.of_case(case) == (share(second, 5),)
    assert store.remembered.of_case(case)[0].share == 0.5


def test_a_document_taken_out_takes_its_figures_along(store: Store, case_and_documents: tuple[int, int, int]) -> None:
    case, first, second = case_and_documents
    store.remembered.save(case, [share(first, 10), share(second, 10)])
    store.documents.unlink(case, first)
    assert store.remembered.of_case(case) == (share(second, 10),)
    store.remembered.save(case, [share(first, 10), share(second, 10)])  # surveyed before it was taken out
    assert store.remembered.of_case(case) == (share(second, 10),)
    store.cases.delete(case)
    assert store.remembered.of_case(case) == ()


def test_what_is_owed_stays_until_it_is_paid(store: Store) -> None:
    store.remembered.owe(["case:3", "document:7"])
    store.remembered.owe(["case:3"])
    assert store.remembered.owed() == {"case:3", "document:7"}
    store.remembered.paid(["case:3"])
    assert store.remembered.owed() == {"document:7"}


def test_a_case_left_out_of_reading_ahead_is_taken_in_again(
    store: Store, case_and_documents: tuple[int, int, int]
) -> None:
    case, *_ = case_and_documents
    store.remembered.read_ahead(case, False)
    store.remembered.read_ahead(10**6, False)  # deleted meanwhile
    assert store.remembered.left_out() == {case}
    store.remembered.read_ahead(case, True)
    assert store.remembered.left_out() == frozenset()
