"""Fields and corrections: what the user wrote outlives reading again."""

from aipc_app.domain.documents import DocumentStatus, Page, PageState
from aipc_app.domain.fields import DocumentField, FieldName
from aipc_app.store import Store

TITLE = DocumentField(name=FieldName.TITLE, value="借款合同", page=1, start=0, end=4)
PARTIES = tuple(
    DocumentField(name=FieldName.PARTY, value=value, page=1, start=5, end=9) for value in ("甲方：张三", "乙方：李四")
)


def a_document(store: Store) -> int:
    return store.documents.add(name="a.txt", sha256="ab" * 32, size=1).id


def test_fields_come_back_in_order_and_are_replaced(store: Store) -> None:
    document = a_document(store)
    store.fields.save_found(document, [*PARTIES, TITLE])
    assert store.fields.of_document(document) == (TITLE, *PARTIES)
    store.fields.save_found(document, [TITLE])
    assert store.fields.of_document(document) == (TITLE,)


def written(name: FieldName, *values: str) -> list[DocumentField]:
    return [DocumentField(name=name, value=value) for value in values]


def test_what_the_user_wrote_is_kept_when_the_document_is_read_again(store: Store) -> None:
    document = a_document(store)
    store.fields.save_found(document, [TITLE, *PARTIES])
    store.fields.edit(document, FieldName.TITLE, written(FieldName.TITLE, "借款合同（补充）"))
    store.fields.edit(document, FieldName.PARTY, [])
    store.fields.save_found(document, [TITLE, *PARTIES])
    (title,) = store.fields.of_document(document)
    assert title == DocumentField(name=FieldName.TITLE, value="借款合同（补充）", edited=True)
    assert store.fields.edited(document) == {FieldName.TITLE, FieldName.PARTY}


def test_a_value_that_stays_keeps_its_place(store: Store) -> None:
    document = a_document(store)
    store.fields.save_found(document, PARTIES)
    store.fields.edit(document, FieldName.PARTY, written(FieldName.PARTY, "甲方：张三", "丙方：王五"))
    first, second = store.fields.of_document(document)
    assert (first.page, first.start) == (1, 5) and second.page is None


def test_fields_go_with_their_document_and_are_listed_by_case(store: Store) -> None:
    case = store.cases.create("案")
    document = a_document(store)
    store.documents.link(case.id, document)
    store.fields.save_found(document, [TITLE])
    assert store.fields.of_case(case.id) == {document: (TITLE,)}
    store.documents.unlink(case.id, document)
    assert store.fields.of_document(document) == () and store.fields.edited(document) == frozenset()
    store.fields.edit(document, FieldName.TITLE, written(FieldName.TITLE, "x"))
    assert store.fields.of_document(document) == ()


def test_a_correction_outlives_reading_again_and_remembers_what_was_read(store: Store) -> None:
    document = a_document(store)
    read = Page(number=1, text="书犐", state=PageState.GARBLED, boxes=b"\0" * 32)
    store.corrections.save(document, read, "书证")
    for text in ("书犐", "書犐"):
        again = Page(number=1, text=text, state=PageState.GARBLED)
        store.documents.save_read(
            document, pages=[Page(number=1, text="书证", state=PageState.TEXT)], passages=(),
            status=DocumentStatus.INDEXED_WITH_GAPS, reason=None, has_layout=False,
        )  # fmt: skip
        store.corrections.note_read(document, [again])
        assert store.documents.page(document, 1).corrected
        (known,) = store.corrections.of_document(document).values()
        assert (known.text, known.read_text, known.read_state) == ("书证", text, PageState.GARBLED)
    store.corrections.drop(document, 1)
    assert not store.documents.page(document, 1).corrected
