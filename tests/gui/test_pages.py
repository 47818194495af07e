"""Pages that need a look: why, what to do, page and text side by side, text corrected by hand; details of documents."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLineEdit, QPlainTextEdit, QPushButton

from aipc_app.domain.documents import Document, DocumentStatus, Page, PageState
from aipc_app.domain.fields import DocumentField, FieldName
from aipc_app.ingest.passages import drafts_of, index_passage, labelled
from aipc_app.ingest.sources import expand
from aipc_app.operations.details import document_fields
from aipc_app.ui.case.conversation.where import where_told
from aipc_app.ui.case.viewer.pane import Place
from aipc_app.ui.words import Words
from tests.gui.conftest import CONTRACT, WAIT_MS, Rig

LEFT = Qt.MouseButton.LeftButton
PAGES = (
    Page(number=1, text="转账凭证 五千万元", state=PageState.OCR, confidence=0.71, label="卷二 15"),
    Page(number=2, text="书犐犆犛", state=PageState.GARBLED, problem="the page made no sense"),
    Page(number=3, text="", state=PageState.EMPTY),
    Page(number=4, text="正常的一页。", state=PageState.TEXT),
)


def a_scan(rig: Rig) -> Document:
    """A document with a page of each kind, shown at its first."""
    case = rig.open_case()
    store = rig.services.store
    document = store.documents.add(name="扫描件.pdf", sha256="e" * 64, size=1)
    store.documents.link(case.id, document.id)
    store.documents.save_read(document.id, pages=PAGES, passages=(), status=DocumentStatus.INDEXED_WITH_GAPS,
                              reason=None, has_layout=False)
    show(rig, document, 1)
    return store.documents.get(document.id)


def show(rig: Rig, document: Document, page: int) -> None:
    viewer = rig.case_page.bench.viewer
    place = Place(document.id, page)
    with rig.qtbot.waitSignal(viewer.shown, timeout=WAIT_MS, check_params_cb=lambda shown: shown is place):
        viewer.show_place(place)


def test_the_reason_and_what_to_do_stand_beside_each_page(rig: Rig) -> None:
    document = a_scan(rig)
    viewer = rig.case_page.bench.viewer
    assert "71%" in viewer.note.text.text() and viewer.note.isVisible()
    assert "卷二 15" in viewer.bar.total.text()
    show(rig, document, 2)
    assert viewer.note.text.text() == "the page made no sense"
    for made in (viewer.note.again_button, viewer.note.correct_button, viewer.note.original_button):
        assert made.isVisible()
    show(rig, document, 3)
    assert viewer.note.text.text() == rig.desktop.context.words("viewer.why_empty")
    show(rig, document, 4)
    assert not viewer.note.isVisible()


def test_a_page_is_read_again_from_its_note(rig: Rig) -> None:
    document = a_scan(rig)
    show(rig, document, 2)
    QTest.mouseClick(rig.case_page.bench.viewer.note.again_button, LEFT)
    rig.until(lambda: rig.services.store.documents.get(document.id).status is DocumentStatus.QUEUED)


def test_text_is_corrected_beside_the_page_and_what_was_read_comes_back(rig: Rig) -> None:
    document = a_scan(rig)
    viewer, store = rig.case_page.bench.viewer, rig.services.store
    show(rig, document, 2)
    QTest.mouseClick(viewer.note.correct_button, LEFT)
    rig.until(lambda: viewer.body.currentWidget() is viewer.side and viewer.editor.editing)
    assert viewer.editor.field.toPlainText() == "书犐犆犛" and not viewer.editor.save_button.isEnabled()
    viewer.editor.field.selectAll()
    QTest.keyClicks(viewer.editor.field, "exhibit 500000 yuan")
    assert viewer.editor.unsaved.isVisible()
    QTest.mouseClick(viewer.editor.save_button, LEFT)
    rig.until(lambda: store.documents.page(document.id, 2).corrected)
    rig.until(lambda: viewer.note.text.text() == rig.desktop.context.words("viewer.corrected"))
    assert viewer.bar.field.text() == "2" and not viewer.editor.editing
    assert [p.page for p in store.passages.of_document(document.id) if "500000" in p.text] == [2]
    rig.until(lambda: "书犐犆犛" in viewer.editor.read.text)
    QTest.mouseClick(viewer.editor.restore_button, LEFT)
    rig.until(lambda: store.documents.page(document.id, 2).text == "书犐犆犛")
    rig.until(lambda: viewer.editor.field.toPlainText() == "书犐犆犛")


def test_what_was_typed_waits_when_something_else_is_shown(rig: Rig) -> None:
    document = a_scan(rig)
    viewer = rig.case_page.bench.viewer
    show(rig, document, 2)
    viewer.correct()
    rig.until(lambda: viewer.editor.editing)
    viewer.editor.field.setPlainText("还没有保存")
    show(rig, document, 4)
    rig.until(lambda: viewer.editor.field.toPlainText() == "正常的一页。")
    assert not viewer.editor.editing
    show(rig, document, 2)
    rig.until(lambda: viewer.editor.field.toPlainText() == "还没有保存")
    assert viewer.editor.editing
    viewer.editor.discard()
    assert viewer.editor.field.toPlainText() == "书犐犆犛" and not viewer.editor.editing


def typed(rig: Rig, *pages: int) -> Document:
    """Corrections of these pages, written and not saved."""
    document = a_scan(rig)
    editor = rig.case_page.bench.viewer.editor
    for number in pages:
        show(rig, document, number)
        rig.case_page.bench.viewer.correct()
        rig.until(lambda: editor.editing)
        editor.field.setPlainText(f"第{number}页，转账凭证")
    return document


def test_the_window_asks_before_corrections_are_lost_and_saves_them_all(rig: Rig) -> None:
    document = typed(rig, 2, 4)
    assert not rig.window.close() and rig.window.isVisible()
    dialog = rig.desktop.leaving.dialog
    assert dialog is not None and dialog.isVisible()
    dialog.reject()
    assert rig.window.isVisible() and len(rig.case_page.bench.viewer.editor.drafts) == 2
    rig.window.close()
    assert rig.desktop.leaving.dialog is not None
    QTest.mouseClick(rig.desktop.leaving.dialog.save_button, LEFT)
    rig.until(lambda: not rig.window.isVisible())
    stored = rig.services.store.documents.pages(document.id)
    assert [page.text for page in stored if page.corrected] == ["第2页，转账凭证", "第4页，转账凭证"]


def test_the_window_closes_without_saving_when_that_is_wanted(rig: Rig) -> None:
    document = typed(rig, 2)
    rig.window.close()
    assert rig.desktop.leaving.dialog is not None
    QTest.mouseClick(rig.desktop.leaving.dialog.drop_button, LEFT)
    rig.until(lambda: not rig.window.isVisible())
    assert not any(page.corrected for page in rig.services.store.documents.pages(document.id))


def test_text_of_a_document_is_shown_as_it_is_never_as_markup(rig: Rig) -> None:
    case = rig.open_case()
    document = rig.store_document(case, "b.txt", "<b>五十万元</b><img src=x>")
    show(rig, document, 1)
    viewer = rig.case_page.bench.viewer
    viewer.bar.side.setChecked(True)
    rig.until(lambda: viewer.body.currentWidget() is viewer.side)
    assert viewer.editor.field.toPlainText() == "<b>五十万元</b><img src=x>"


class Opener(QObject):
    """Takes what would go to the system's programs."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []

    @Slot(QUrl)
    def take(self, url: QUrl) -> None:
        self.opened.append(url.toLocalFile())


@pytest.fixture
def opener():  # type: ignore[no-untyped-def]
    taker = Opener()
    QDesktopServices.setUrlHandler("file", taker, "take")
    yield taker
    QDesktopServices.unsetUrlHandler("file")


@pytest.mark.parametrize(("name", "opens"), [("凭证.txt", True), ("run.bat", False), ("page.html", False)])
def test_an_original_is_opened_as_a_copy_and_only_if_that_runs_nothing(
    rig: Rig, opener: Opener, tmp_path: Path, name: str, opens: bool
) -> None:
    case = rig.open_case()
    path = tmp_path / name
    path.write_text("转账五十万元", encoding="utf-8")
    (added,) = rig.services.ingest.add(case.id, expand([path]))
    assert added.document is not None
    viewer = rig.case_page.bench.viewer
    viewer.remedies.open_original(added.document)
    if opens:
        rig.until(lambda: opener.opened)
        copy = Path(opener.opened[0])
        assert copy.name == name and copy.read_text(encoding="utf-8") == "转账五十万元"
        assert rig.services.home.caches in copy.parents
    else:
        rig.until(rig.window.banner.isVisible)
        assert opener.opened == []


def with_fields(rig: Rig) -> Document:
    rig.open_case(合同=CONTRACT)
    document = rig.case_page.bench.documents.model.rows[0].document
    rig.services.store.fields.save_found(document.id, [
        DocumentField(name=FieldName.KIND, value="contract", page=1, start=0, end=4),
        DocumentField(name=FieldName.TITLE, value="借款合同", page=1, start=0, end=4),
        DocumentField(name=FieldName.PARTY, value="甲方：张三"),
    ])
    return document


def open_details(rig: Rig, document: Document):  # type: ignore[no-untyped-def]
    pane = rig.case_page.bench.documents
    pane.show_details(document)
    rig.until(lambda: pane.details is not None and pane.details.isVisible())
    return pane.details


def test_details_are_corrected_and_kept(rig: Rig) -> None:
    document = with_fields(rig)
    dialog = open_details(rig, document)
    title, kind, party = (dialog.input(name) for name in (FieldName.TITLE, FieldName.KIND, FieldName.PARTY))
    assert isinstance(title, QLineEdit) and isinstance(kind, QComboBox) and isinstance(party, QPlainTextEdit)
    assert title.text() == "借款合同" and kind.currentText() == "Contract"
    title.setText("借款合同（补充）")
    party.setPlainText("甲方：张三\n乙方：李四\n")
    QTest.mouseClick(dialog.save_button, LEFT)
    rig.until(lambda: len(rig.services.store.fields.of_document(document.id)) == 4)
    found = document_fields(rig.services, document_id=document.id).run()
    assert [(f.value, f.edited) for f in found if f.name is not FieldName.KIND] == [
        ("借款合同（补充）", True), ("甲方：张三", True), ("乙方：李四", True)]
    assert not next(f for f in found if f.name is FieldName.KIND).edited


def test_what_the_user_wrote_shows_where_a_page_says_it(rig: Rig) -> None:
    """The party's role is the user's word, its name the page's."""
    document = with_fields(rig)
    dialog = open_details(rig, document)
    date = dialog.input(FieldName.DATE)
    assert isinstance(date, QPlainTextEdit)
    date.setPlainText("2022-03-04")
    QTest.mouseClick(dialog.save_button, LEFT)
    rig.until(lambda: any(one.name is FieldName.DATE for one in rig.services.store.fields.of_document(document.id)))
    rig.until(lambda: rig.case_page.bench.documents.details is None)
    dialog = open_details(rig, document)
    links = [made for made in dialog.findChildren(QPushButton) if made.text() == "p. 1"]
    QTest.mouseClick(links[-1], LEFT)
    rig.until(lambda: rig.case_page.bench.viewer.text.marked_text == "2022年3月4日")
    dialog.reject()


def test_a_detail_shows_where_it_stands(rig: Rig) -> None:
    document = with_fields(rig)
    dialog = open_details(rig, document)
    link = next(made for made in dialog.findChildren(QPushButton) if made.text() == "p. 1")
    QTest.mouseClick(link, LEFT)
    viewer = rig.case_page.bench.viewer
    rig.until(lambda: viewer.text.marked_text == "借款合同")
    dialog.reject()


def test_indexing_is_paused_and_goes_on_from_the_list_of_jobs(rig: Rig, tmp_path: Path) -> None:
    case = rig.open_case()
    path = tmp_path / "新证据.txt"
    path.write_text("收到五十万元。", encoding="utf-8")
    rig.case_page.bench.documents.add_paths([path])  # this window reads nothing: it waits
    chip = rig.window.rail.jobs
    rig.until(lambda: chip.tally.busy)
    chip.open_panel()
    assert chip.panel is not None
    rig.until(chip.panel.pause.isVisible)
    QTest.mouseClick(chip.panel.pause, LEFT)
    rig.until(chip.panel.resume.isVisible)
    assert rig.services.ingest.indexing().paused and "Paused" in chip.panel.state.text()
    QTest.mouseClick(chip.panel.resume, LEFT)
    rig.until(chip.panel.pause.isVisible)
    assert not rig.services.ingest.indexing().paused
    assert chip.panel.state.text() == ""  # nothing was measured: nothing is said
    chip.panel.hide()
    assert rig.services.store.cases.get(case.id).documents == 3


def test_a_citation_tells_the_number_printed_on_its_page() -> None:
    words = Words("en")
    assert where_told(words, "a.pdf", 3, "卷二 15") == "a.pdf, page 3 (printed 卷二 15)"
    assert where_told(words, "a.pdf", 3, "3") == where_told(words, "a.pdf", 3, "") == "a.pdf, page 3"


def test_a_quote_carries_the_number_printed_on_its_page(rig: Rig) -> None:
    case = rig.services.store.cases.create("卷宗")
    pages = [f"{CONTRACT}第{number}页" for number in (15, 16)]
    store = rig.services.store
    document = rig.store_document(case, "卷.txt", *pages)
    read = [Page(number=n, text=text, state=PageState.TEXT) for n, text in enumerate(pages, 1)]
    store.documents.save_read(document.id, pages=labelled(read), status=DocumentStatus.INDEXED, reason=None,
                              passages=[index_passage(one.draft) for one in drafts_of(read)], has_layout=False)
    assert {p.page_label for p in store.passages.of_document(document.id)} == {"15", "16"}
    rig.desktop.open_case(store.cases.get(case.id))
    rig.ask()
    answer = rig.turn.answer
    assert answer.citations and answer.citations[0].page_label in ("15", "16")


def test_recognised_text_is_a_suggestion_until_it_is_saved(rig: Rig) -> None:
    document = a_scan(rig)
    viewer = rig.case_page.bench.viewer
    show(rig, document, 2)
    viewer.correct()
    rig.until(lambda: viewer.editor.editing)
    viewer.editor.suggest("转账凭证")
    assert viewer.editor.unsaved.isVisible() and viewer.editor.save_button.isEnabled()
    assert rig.services.store.documents.page(document.id, 2).text == "书犐犆犛"
    viewer.editor.discard()
    assert viewer.editor.field.toPlainText() == "书犐犆犛"


@pytest.mark.parametrize(
    ("status", "helps"),
    [(DocumentStatus.FAILED, True), (DocumentStatus.UNSUPPORTED, True), (DocumentStatus.QUEUED, False)],
)
def test_a_document_without_pages_offers_what_may_help(rig: Rig, status: DocumentStatus, helps: bool) -> None:
    case = rig.open_case()
    store = rig.services.store
    document = store.documents.add(name="密件.pdf", sha256="d" * 64, size=1)
    store.documents.link(case.id, document.id)
    store.documents.set_status(document.id, status, reason="This file needs a password.", retryable=True)
    viewer = rig.case_page.bench.viewer
    viewer.show_place(Place(document.id))
    rig.until(lambda: viewer.body.currentWidget() is viewer.no_pages)
    assert viewer.no_pages.hint.text() == "This file needs a password."
    assert (viewer.remedies.again.isVisible(), viewer.remedies.password.isVisible()) == (helps, helps)
    if helps:
        QTest.mouseClick(viewer.remedies.again, LEFT)
        rig.until(lambda: store.documents.get(document.id).status is DocumentStatus.QUEUED)
