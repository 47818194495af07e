"""The user's text for a page: found, cited and shown at once; what was read can come back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aipc_app.domain.boxes import NO_BOX, pack_boxes, unpack_boxes
from aipc_app.domain.documents import Page, PageState
from aipc_app.domain.fields import FieldName
from aipc_app.errors import UserMistake
from aipc_app.ingest.correcting import corrected

LINE = "原告于二〇二一年三月五日向被告交付借款本金人民币五十万元整，约定年利率为百分之十二，借款期限为一年。"


def boxed(text: str) -> Page:
    boxes = pack_boxes((10.0 * n, 0.0, 10.0 * n + 9, 12.0) for n in range(len(text)))
    return Page(number=1, text=text, state=PageState.OCR, boxes=boxes)


def lefts(page: Page) -> list[float]:
    return [box[0] for box in unpack_boxes(page.boxes, 0, len(page.text))]


def test_characters_that_stay_keep_their_boxes() -> None:
    page = corrected(boxed("借款五千万元整"), "借款五十万元整")
    assert lefts(page) == [0, 10, 20, 30, 40, 50, 60]
    longer = corrected(boxed("借款元整"), "借款五万元整")
    assert lefts(longer) == [0, 10, 20, 30]  # what was put in has none
    assert len(longer.boxes) == 16 * 6


@given(st.text(alphabet="甲乙 a\n", max_size=40), st.text(alphabet="甲乙 a\n", max_size=40))
def test_there_is_a_box_a_character_whatever_is_written(before: str, after: str) -> None:
    page = corrected(boxed(before), after)
    assert len(page.boxes) == (16 * len(after) if before else 0)
    assert page.text == after and page.corrected
    assert NO_BOX not in list(unpack_boxes(page.boxes, 0, len(after)))


def test_a_correction_is_found_and_what_was_read_is_not(bench) -> None:  # type: ignore[no-untyped-def]
    case = bench.store.cases.create("案").id
    bench.queue.start()
    (added,) = bench.drop(case, ("a.txt", f"{LINE * 8}\f第二页五千万元。\f{LINE * 8}"))
    bench.reports([added])
    document = added.document.id
    before = {p.page: p.id for p in bench.store.passages.of_document(document)}
    bench.queue.correct(document, 2, "第二页五十万元。\r\n")
    page = bench.store.documents.page(document, 2)
    assert page.corrected and page.text == "第二页五十万元。\n"
    after = bench.store.passages.of_document(document)
    assert [p.page for p in after] == sorted(p.page for p in after)
    assert {p.page: p.id for p in after if p.page != 2} == {k: v for k, v in before.items() if k != 2}
    found = bench.store.passages.exact([("figure", "500000")], cases=[case], documents=None, limit=90)
    assert any(bench.store.passages.get([id_])[0].page == 2 for id_, _ in found)
    assert not bench.store.passages.exact([("figure", "50000000")], cases=[case], documents=None, limit=9)
    bench.until_index(lambda: set(bench.encoder.index[f"case-{case}"]) == {p.id for p in after})


def test_reading_again_keeps_the_correction_and_taking_it_back_brings_the_text_read(bench) -> None:  # type: ignore[no-untyped-def]
    case = bench.store.cases.create("案").id
    bench.queue.start()
    (added,) = bench.drop(case, ("a.txt", "甲\f?\f丙"))
    bench.reports([added])
    document = added.document.id
    assert bench.store.documents.page(document, 2).state is PageState.GARBLED
    bench.queue.correct(document, 2, "乙")
    assert bench.store.documents.page(document, 2).state is PageState.TEXT
    bench.queue.retry(document)
    bench.until(lambda: bench.store.documents.get(document).status.settled)
    page = bench.store.documents.page(document, 2)
    assert (page.text, page.corrected, page.state) == ("乙", True, PageState.TEXT)
    bench.queue.correct(document, 2, None)
    page = bench.store.documents.page(document, 2)
    assert (page.text, page.corrected, page.state) == ("?", False, PageState.GARBLED)
    assert bench.store.corrections.of_document(document) == {}


def test_a_page_emptied_by_hand_leaves_nothing_to_ask(bench) -> None:  # type: ignore[no-untyped-def]
    case = bench.store.cases.create("案").id
    bench.queue.start()
    (added,) = bench.drop(case, ("a.txt", "噪声噪声"))
    bench.reports([added])
    bench.queue.correct(added.document.id, 1, " ")
    document = bench.store.documents.get(added.document.id)
    assert document.passages == 0 and document.status.settled
    assert document.reason is not None and "Nothing of it can be asked." in document.reason


def test_fields_are_found_while_a_document_is_read(bench) -> None:  # type: ignore[no-untyped-def]
    case = bench.store.cases.create("案").id
    bench.queue.start()
    (added,) = bench.drop(case, ("a.txt", "借款合同\n甲方：张三\n乙方：李四"))
    bench.reports([added])
    fields = bench.store.fields.of_document(added.document.id)
    assert [f.value for f in fields if f.name is FieldName.PARTY] == ["甲方：张三", "乙方：李四"]


def test_what_cannot_be_corrected_is_said(bench) -> None:  # type: ignore[no-untyped-def]
    case = bench.store.cases.create("案").id
    (added,) = bench.drop(case, ("a.txt", "甲"))
    with pytest.raises(UserMistake):
        bench.queue.correct(added.document.id, 1, "乙")
    bench.queue.start()
    bench.reports([added])
    with pytest.raises(UserMistake):
        bench.queue.correct(added.document.id, 2, "乙")
