"""Vectors with the identity of what made them."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

from aipc_app.domain.documents import LIBRARY_ID
from aipc_app.store import Store

if TYPE_CHECKING:
    from tests.unit.aipc_app.store.conftest import Filler


def rows(*numbers: float) -> bytes:
    return struct.pack(f"<{2 * len(numbers)}f", *(value for number in numbers for value in (number, -number)))


def passage_ids(store: Store, document_id: int) -> list[int]:
    return [passage.id for passage in store.passages.of_document(document_id)]


def test_vectors_come_back_row_for_row_in_batches(store: Store, fill: Filler, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aipc_app.store.vectors.BATCH", 2)
    a, b = fill.document(LIBRARY_ID, "a"), fill.document(LIBRARY_ID, "b")
    fill.read(a.id, ["1", "2", "3"])
    fill.read(b.id, ["4"])
    ids = passage_ids(store, a.id)
    store.vectors.save("e", ids[::-1], rows(3, 2, 1))
    store.vectors.save("e", passage_ids(store, b.id), rows(4))
    store.vectors.save("other", ids, rows(7, 8, 9))
    batches = list(store.vectors.of_documents("e", [a.id, b.id]))
    assert [len(batch.passage_ids) for batch in batches] == [2, 1, 1]
    assert b"".join(batch.vectors for batch in batches) == rows(1, 2, 3, 4)
    assert [id_ for batch in batches for id_ in batch.document_ids] == [a.id, a.id, a.id, b.id]
    assert store.vectors.embedders() == {"e": 4, "other": 3}


def test_what_is_missing_is_known_for_each_embedder(store: Store, fill: Filler) -> None:
    a, b = fill.document(LIBRARY_ID, "a"), fill.document(LIBRARY_ID, "b")
    fill.read(a.id, ["1", "2"])
    fill.read(b.id, ["3"])
    ids = passage_ids(store, a.id)
    store.vectors.save("e", ids[:1], rows(1))
    assert store.vectors.missing("e", a.id) == (ids[1],)
    assert store.vectors.missing("other", a.id) == tuple(ids)
    assert store.vectors.incomplete_documents("e") == (a.id, b.id)
    store.vectors.save("e", ids[1:], rows(2))
    assert store.vectors.incomplete_documents("e") == (b.id,)


def test_a_case_counts_its_own_vectors(store: Store, fill: Filler) -> None:
    case = store.cases.create("一")
    a, b = fill.document(case.id, "a"), fill.document(LIBRARY_ID, "b")
    for document, texts in ((a, ["1", "2"]), (b, ["3"])):
        fill.read(document.id, texts)
        ids = passage_ids(store, document.id)
        store.vectors.save("e", ids, rows(*range(len(ids))))
    assert (store.vectors.count("e", case.id), store.vectors.count("e", LIBRARY_ID)) == (2, 1)
    store.documents.link(LIBRARY_ID, a.id)
    assert store.vectors.count("e", LIBRARY_ID) == 3
    assert store.vectors.count("other", case.id) == 0


def test_an_embedder_is_dropped_with_its_vectors_or_only_for_one_document(store: Store, fill: Filler) -> None:
    a, b = fill.document(LIBRARY_ID, "a"), fill.document(LIBRARY_ID, "b")
    for document in (a, b):
        fill.read(document.id, ["1"])
        for embedder in ("old", "new"):
            store.vectors.save(embedder, passage_ids(store, document.id), rows(1))
    store.vectors.drop_others("new", a.id)
    assert store.vectors.embedders() == {"old": 1, "new": 2}
    store.vectors.drop_others("new", b.id)
    assert store.vectors.embedders() == {"new": 2}
    store.vectors.drop_embedder("new")
    assert store.vectors.embedders() == {}
    assert store.vectors.missing("new", a.id) == tuple(passage_ids(store, a.id))


def test_rows_that_do_not_fit_are_refused_and_passages_that_are_gone_are_passed_over(
    store: Store, fill: Filler
) -> None:
    document = fill.document(LIBRARY_ID)
    fill.read(document.id, ["1"])
    (only,) = passage_ids(store, document.id)
    store.vectors.save("e", [only, 999], rows(1, 2))
    assert store.vectors.embedders() == {"e": 1}
    with pytest.raises(ValueError, match="no rows"):
        store.vectors.save("e", [only], b"123")
    with pytest.raises(ValueError, match="dimensions"):
        store.vectors.save("e", [only], rows(1) * 2)
    store.vectors.save("e", [], b"")
