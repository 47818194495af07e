"""Documents, links, pages."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from aipc_app.domain.boxes import pack_boxes, unpack_boxes
from aipc_app.domain.documents import (
    LIBRARY_ID,
    DocumentStatus,
    Page,
    PageState,
    PassageDraft,
)
from aipc_app.domain.jobs import JobKind
from aipc_app.errors import UserMistake
from aipc_app.paths import Home
from aipc_app.store import IndexedPassage, Store

if TYPE_CHECKING:
    from tests.unit.aipc_app.store.conftest import Filler


def test_documents_keep_the_order_they_came_in_until_they_are_reordered(store: Store, fill: Filler) -> None:
    case = store.cases.create("一")
    a, b, c = (fill.document(case.id, text).id for text in "abc")
    assert [document.id for document in store.documents.of_case(case.id)] == [a, b, c]
    store.documents.reorder(case.id, [c, a, b])
    d = fill.document(case.id, "d").id
    assert [document.id for document in store.documents.of_case(case.id)] == [c, a, b, d]
    for wrong in ([a, b, c], [a, b, c, c], [a, b, c, d, 99]):
        with pytest.raises(UserMistake, match="changed"):
            store.documents.reorder(case.id, wrong)
    assert [document.id for document in store.documents.of_case(case.id)] == [c, a, b, d]


def test_a_document_belongs_to_several_cases_and_goes_with_the_last(store: Store, fill: Filler, home: Home) -> None:
    one, two = store.cases.create("一"), store.cases.create("二")
    document = fill.document(one.id)
    fill.read(document.id, ["利息"], [(("amount", "1"),)])
    (passage,) = store.passages.of_document(document.id)
    store.vectors.save("e", [passage.id], b"\0" * 8)
    store.jobs.add(JobKind.EMBED, document.id)
    assert store.documents.link(two.id, document.id) is True
    assert store.documents.link(two.id, document.id) is False
    assert store.documents.cases_of(document.id) == (one.id, two.id)
    assert store.documents.unlink(one.id, document.id) is False
    assert store.documents.by_hash(document.sha256) is not None
    with pytest.raises(UserMistake, match="isn't in this case"):
        store.documents.unlink(one.id, document.id)
    assert store.documents.unlink(two.id, document.id) is True
    assert store.documents.by_hash(document.sha256) is None
    assert store.jobs.list() == ()
    assert store.vectors.embedders() == {"e": 0}
    assert list(home.originals.glob("*/*")) == []
    with store._database.read() as connection:
        for table in ("pages", "page_boxes", "passages", "passage_texts", "facts", "vectors", "jobs"):
            assert connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone() == (0,), table
        assert connection.execute("SELECT * FROM passage_words").fetchall() == []
    store.check()


def test_an_id_is_never_used_twice(store: Store, fill: Filler) -> None:
    case = store.cases.create("一")
    document = fill.document(case.id, "a")
    fill.read(document.id, ["a"])
    (passage,) = store.passages.of_document(document.id)
    store.documents.unlink(case.id, document.id)
    other = fill.document(case.id, "b")
    fill.read(other.id, ["b"])
    assert other.id > document.id
    assert store.passages.of_document(other.id)[0].id > passage.id


def test_pages_come_back_as_they_were_saved_boxes_only_when_asked(store: Store, fill: Filler) -> None:
    document = fill.document(LIBRARY_ID)
    text = "一𠮷\n3.14\x00é"
    rng = random.Random(1)
    boxes = pack_boxes([(rng.random(), rng.random(), rng.random(), rng.random()) for _ in text])
    pages = [
        Page(number=1, text=text, state=PageState.TEXT, width=595.3, height=841.9, boxes=boxes),
        Page(number=2, text="", state=PageState.EMPTY),
    ]
    draft = PassageDraft(page=1, start=1, end=4, text=text[1:4], heading="第一章", article="第一条")
    store.documents.save_read(
        document.id,
        pages=pages,
        passages=[IndexedPassage(draft=draft, tokens="x")],
        status=DocumentStatus.SEARCHABLE,
        reason="1 page",
        has_layout=True,
    )
    assert store.documents.pages(document.id, boxes=True) == tuple(pages)
    assert store.documents.pages(document.id)[0].boxes == b""
    page = store.documents.page(document.id, 1)
    assert len(list(unpack_boxes(page.boxes, 0, len(text)))) == len(text)
    (passage,) = store.passages.of_document(document.id)
    assert page.text[passage.start : passage.end] == passage.text
    assert (passage.heading, passage.article) == ("第一章", "第一条")
    stored = store.documents.get(document.id)
    assert (stored.pages, stored.passages, stored.has_layout, stored.reason) == (2, 1, True, "1 page")
    with pytest.raises(UserMistake, match="no page 3"):
        store.documents.page(document.id, 3)


def test_a_passage_that_is_not_its_pages_text_is_refused(store: Store, fill: Filler) -> None:
    document = fill.document(LIBRARY_ID)
    wrong = IndexedPassage(draft=PassageDraft(page=1, start=0, end=2, text="乙方"), tokens="乙方")
    with pytest.raises(ValueError, match="not that page's text"):
        store.documents.save_read(
            document.id,
            pages=[Page(number=1, text="甲方", state=PageState.TEXT)],
            passages=[wrong],
            status=DocumentStatus.SEARCHABLE,
            reason=None,
            has_layout=False,
        )
    assert store.documents.pages(document.id) == ()


def test_pages_that_need_attention_are_listed_by_state(store: Store, fill: Filler) -> None:
    document = fill.document(LIBRARY_ID)
    states = [PageState.TEXT, PageState.OCR, PageState.EMPTY, PageState.GARBLED, PageState.EMPTY, PageState.FAILED]
    store.documents.save_read(
        document.id,
        pages=[Page(number=n, text="", state=state) for n, state in enumerate(states, 1)],
        passages=[],
        status=DocumentStatus.INDEXED_WITH_GAPS,
        reason=None,
        has_layout=False,
    )
    assert store.documents.attention(document.id) == {
        PageState.OCR: (2,),
        PageState.EMPTY: (3, 5),
        PageState.GARBLED: (4,),
        PageState.FAILED: (6,),
    }


def test_saving_or_marking_a_document_that_was_removed_meanwhile_does_no_harm(store: Store) -> None:
    store.documents.set_status(99, DocumentStatus.FAILED)
    with pytest.raises(UserMistake, match="removed meanwhile"):
        store.documents.save_read(
            99, pages=[], passages=[], status=DocumentStatus.INDEXED, reason=None, has_layout=False
        )
    with pytest.raises(UserMistake, match="no document number 99"):
        store.documents.get(99)
