"""The source viewer on drawn pages, the law library, past conversations, export, several cases, models."""

from __future__ import annotations

import threading
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QLabel,
    QLineEdit,
    QListView,
    QPushButton,
    QTextEdit,
    QToolButton,
    QWidget,
)

from aipc_app import paths
from aipc_app.domain.documents import LIBRARY_ID, DocumentStatus, Page, PageState
from aipc_app.errors import UserMistake
from aipc_app.ingest.passages import drafts_of, index_passage
from aipc_app.operations.documents import add_files
from aipc_app.ui.case.conversation.saving import write_conversation
from aipc_app.ui.case.conversation.why import WhyPopover
from aipc_app.ui.case.viewer.geometry import box_rect, fit_width
from aipc_app.ui.case.viewer.pane import Place
from aipc_app.ui.case.viewer.text_view import PART_CHARS, part_around, utf16_offset
from aipc_app.ui.library.page import LibraryPage
from aipc_app.ui.models.page import ModelsPage
from aipc_app.ui.screens import Screen
from aipc_app.ui.widgets.card import CardButton
from tests.gui.conftest import ANSWER, QUESTION, Rig

CONTRACT_PDF = paths.assets() / "samples" / "lending" / "documents" / "03_借款合同.pdf"


class TestDrawnPage:
    """A PDF read and drawn by the real reader."""

    @pytest.fixture
    def reading(self) -> bool:
        return True

    @pytest.fixture
    def place(self, rig: Rig) -> Place:
        """A span at the foot of the first page of the sample's contract."""
        case = rig.open_case()
        add_files(rig.services, case_id=case.id, paths=[CONTRACT_PDF]).run()
        documents = rig.services.store.documents
        rig.until(lambda: documents.of_case(case.id)[-1].status is DocumentStatus.SEARCHABLE)
        document = documents.of_case(case.id)[-1]
        page = documents.page(document.id, 1)
        assert page is not None and page.boxes
        start = page.text.index("第九条")
        return Place(document.id, page.number, (start, start + 10))

    def test_the_span_is_marked_and_in_view(self, rig: Rig, place: Place) -> None:
        viewer = rig.case_page.bench.viewer
        viewer.canvas.set_zoom(2.0)
        viewer.show_place(place)
        rig.until(lambda: viewer.body.currentWidget() is viewer.canvas and viewer.canvas.settled)
        canvas = viewer.canvas
        assert viewer.body.currentWidget() is canvas
        boxes = canvas.marks[place.page]
        assert boxes
        sheet = canvas._rects[place.page - 1]
        spot = box_rect(boxes[0], sheet, canvas._sheet.scale).translated(-canvas._offset())
        assert canvas.viewport().rect().toRectF().contains(spot)
        image = canvas.grab().toImage()
        middle = spot.center()
        seen = image.pixelColor(int(middle.x()), int(spot.top() + 1))
        assert seen.blue() < seen.red() - 60, seen.name()  # yellow over white paper

    def test_pages_are_turned_and_zoomed(self, rig: Rig, place: Place) -> None:
        viewer = rig.case_page.bench.viewer
        viewer.show_place(Place(place.document_id, 1))
        rig.until(lambda: viewer.canvas.has_image(1))
        assert not viewer.bar.back.isEnabled()
        QTest.mouseClick(viewer.bar.next, Qt.MouseButton.LeftButton)
        rig.until(lambda: viewer.bar.field.text() == "2")
        before = viewer.canvas.zoom
        QTest.mouseClick(viewer.bar.larger, Qt.MouseButton.LeftButton)
        assert viewer.canvas.zoom == pytest.approx(before * 1.2)
        QTest.mouseClick(viewer.bar.fit, Qt.MouseButton.LeftButton)
        assert viewer.canvas.zoom == pytest.approx(before)

    def test_the_same_span_is_marked_in_the_text_view(self, rig: Rig, place: Place) -> None:
        viewer = rig.case_page.bench.viewer
        viewer.show_place(place)
        rig.until(lambda: viewer.body.currentWidget() is viewer.canvas)
        QTest.mouseClick(viewer.bar.text, Qt.MouseButton.LeftButton)
        rig.until(lambda: viewer.body.currentWidget() is viewer.text)
        page = rig.services.store.documents.page(place.document_id, place.page)
        assert page is not None and place.span is not None
        assert viewer.text.marked_text == page.text[slice(*place.span)]


def test_pages_that_need_a_look_are_named_and_lead_there(rig: Rig) -> None:
    case = rig.open_case()
    store = rig.services.store.documents
    document = store.add(name="扫描.pdf", sha256="f" * 64, size=1)
    states = (PageState.TEXT, PageState.EMPTY, PageState.GARBLED)
    pages = [Page(number=n, text="内容" if s is PageState.TEXT else "", state=s) for n, s in enumerate(states, 1)]
    store.link(case.id, document.id)
    store.save_read(document.id, pages=pages, passages=(), status=DocumentStatus.INDEXED_WITH_GAPS,
                    reason="Page 2 has no text; page 3 is garbled.", has_layout=False)
    rig.case_page.bench.documents.reload()
    rig.until(lambda: len(rig.case_page.bench.documents.model.rows) == 3)
    spoken = rig.case_page.bench.documents.model.index(2).data(Qt.ItemDataRole.AccessibleTextRole)
    assert "some pages need a look" in spoken and "Page 2 has no text" in spoken
    viewer = rig.case_page.bench.viewer
    viewer.show_place(Place(document.id))
    rig.until(viewer.bar.isVisible)
    links = [made for made in viewer.bar.findChildren(QPushButton) if made.text() in ("2", "3")]
    assert len(links) == 2
    QTest.mouseClick(links[1], Qt.MouseButton.LeftButton)
    rig.until(lambda: viewer.bar.state.text() == "Garbled text")


@pytest.mark.parametrize(("text", "points", "units"), [("合同", 1, 1), ("𠮷野家", 1, 2), ("a😀b", 3, 4)])
def test_offsets_count_characters_not_utf16(text: str, points: int, units: int) -> None:
    assert utf16_offset(text, points) == units


def test_a_span_after_rare_characters_is_still_the_right_one(rig: Rig) -> None:
    """Qt counts UTF-16; names with rare characters must not shift the mark."""
    case = rig.open_case()
    document = rig.store_document(case, "名.txt", "𠮷田𠮷男与😀签订合同。\n借款金额五十万元。")
    viewer = rig.case_page.bench.viewer
    viewer.show_place(Place(document.id, 1, (12, 20)))
    rig.until(lambda: viewer.text.marked_text)
    assert viewer.text.marked_text == "借款金额五十万元"


def test_a_very_long_text_is_shown_in_part_around_the_span() -> None:
    first, last = part_around(10 * PART_CHARS, 5 * PART_CHARS)
    assert last - first == PART_CHARS and first < 5 * PART_CHARS < last
    assert part_around(100, 50) == (0, 100)
    assert part_around(10 * PART_CHARS, 10 * PART_CHARS)[1] == 10 * PART_CHARS


def test_the_widest_page_fills_the_view() -> None:
    assert fit_width([(600.0, 800.0), (300.0, 800.0)], 824) == pytest.approx(1.0)


class TestLibrary:
    """The law library is searched and asked alone."""

    @pytest.fixture
    def page(self, rig: Rig) -> LibraryPage:
        library = rig.services.store.cases.get(LIBRARY_ID)
        rig.store_document(library, "民法典.md", "第六百七十九条 自然人之间的借款合同，自贷款人提供借款时成立。\n"
                           "第六百八十条 禁止高利放贷，借款的利率不得违反国家有关规定。")
        rig.window.show_screen(Screen.LIBRARY)
        found = rig.window.screen_widget(Screen.LIBRARY)
        assert isinstance(found, LibraryPage)
        rig.until(lambda: found.bench.documents.model.rows)
        return found

    def test_typing_finds_passages_and_a_click_opens_the_place(self, rig: Rig, page: LibraryPage) -> None:
        assert page.finder.field.hasFocus()
        page.finder.field.setText("高利放贷")
        rig.until(lambda: page.finder.cards == 1)
        card = next(made for made in page.finder.findChildren(QPushButton) if "民法典" in made.accessibleName())
        with rig.qtbot.waitSignal(page.bench.viewer.shown):
            QTest.mouseClick(card, Qt.MouseButton.LeftButton)
        assert page.bench.viewer.text.marked_text.startswith("第六百八十条")

    def test_what_comes_along_stands_below_what_was_found_and_opens_too(self, rig: Rig) -> None:
        library = rig.services.store.cases.get(LIBRARY_ID)
        text = ("第一条 借款人应当按期还款。\n第二条 逾期的，依照本法第四条处理。\n第三条 利率由当事人约定。\n"
                "第四条 加收罚息。")
        page_of = Page(number=1, text=text, state=PageState.TEXT)
        store = rig.services.store.documents
        document = store.add(name="借贷法.md", sha256="e" * 64, size=1)
        store.link(library.id, document.id)
        store.save_read(document.id, pages=(page_of,), status=DocumentStatus.INDEXED, reason=None, has_layout=False,
                        passages=[index_passage(one.draft, one.searched) for one in drafts_of((page_of,))])
        rig.window.show_screen(Screen.LIBRARY)
        page = rig.window.screen_widget(Screen.LIBRARY)
        page.finder.field.setText("逾期")
        rig.until(lambda: page.finder.cards == 1)
        found, along = page.finder.findChildren(CardButton)
        assert "第二条" in found.accessibleName()
        assert "Named by the article above" in along.accessibleName() and "加收罚息" in along.accessibleName()
        with rig.qtbot.waitSignal(page.bench.viewer.shown):
            QTest.mouseClick(along, Qt.MouseButton.LeftButton)
        assert page.bench.viewer.text.marked_text.startswith("第四条")

    def test_why_tells_the_words_of_statutes_that_found_a_passage(self, rig: Rig, page: LibraryPage) -> None:
        library = rig.services.store.cases.get(LIBRARY_ID)
        rig.store_document(library, "租赁法.md", "第一条 出租人应当返还定金。")
        page.finder.field.setText("房东不退押金")
        rig.until(lambda: page.finder.cards == 1)
        name = rig.desktop.context.words("why.open")
        why = next(made for made in page.finder.findChildren(QToolButton) if made.accessibleName() == name)
        QTest.mouseClick(why, Qt.MouseButton.LeftButton)
        rig.until(lambda: rig.window.findChildren(WhyPopover))
        popover = rig.window.findChild(WhyPopover)
        told = " ".join(made.text() for made in popover.findChildren(QLabel))
        assert "In the words of statutes: 出租人, 定金, 返还" in told
        assert "No word of the question" not in told
        QTest.keyClick(popover, Qt.Key.Key_Escape)
        rig.until(lambda: rig.window.findChild(WhyPopover) is None)

    def test_reranking_lands_after_the_evidence_is_on_the_screen(
        self, rig: Rig, page: LibraryPage, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        go_on = threading.Event()

        class Reversing:
            def rerank(self, query: str, texts: Sequence[str], *, cancel: object = None) -> tuple[float, ...]:
                assert go_on.wait(60)
                return tuple(float(place) for place in range(len(texts)))

        monkeypatch.setattr(rig.services.search, "_reranker", Reversing())
        finder = page.finder
        finder.field.setText("借款")
        rig.until(lambda: finder.cards == 2)
        first = finder.findChildren(CardButton)[0].accessibleName()
        assert "reading the best of them again" in finder.told.text()
        go_on.set()
        rig.until(lambda: "read again" in finder.told.text() and "reading" not in finder.told.text())
        assert finder.findChildren(CardButton)[-1].accessibleName() == first
        assert not finder.table.isColumnHidden(5)

    def test_a_reranking_that_fails_says_why_and_leaves_what_was_found(
        self, rig: Rig, page: LibraryPage, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        class Failing:
            def rerank(self, query: str, texts: Sequence[str], *, cancel: object = None) -> tuple[float, ...]:
                raise UserMistake("There is no reranking model; choose its folder in Settings.")

        monkeypatch.setattr(rig.services.search, "_reranker", Failing())
        page.finder.field.setText("借款")
        rig.until(lambda: "choose its folder in Settings" in page.finder.told.text())
        assert page.finder.cards == 2

    def test_nothing_found_is_told(self, rig: Rig, page: LibraryPage) -> None:
        QTest.keyClicks(page.finder.field, "zzzz")
        rig.until(lambda: page.finder.body.currentWidget() is page.finder.nothing)

    def test_the_library_is_asked_alone(self, rig: Rig, page: LibraryPage) -> None:
        rig.answer = "借款的利率不得违反国家有关规定。"
        QTest.keyClick(rig.window, Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier)
        field = page.conversation.composer.field
        assert field.hasFocus() and not page.conversation.composer.library.isVisible()
        field.setPlainText("借款利率有什么限制？")
        QTest.keyClick(field, Qt.Key.Key_Return)
        rig.until(lambda: page.conversation.turns and page.conversation.turns[-1].answer)
        stored = rig.services.store.conversations.list(LIBRARY_ID)
        assert len(stored) == 1 and stored[0].cases == ()


class TestConversations:
    """Past ones come back; an answer leaves as a file."""

    def test_history_opens_and_deletes(self, rig: Rig) -> None:
        rig.open_case()
        rig.ask()
        rig.case_page.conversation.head.new.emit()
        rig.ask("转账金额是多少？")
        assert len(rig.case_page.conversation.turns) == 1
        rig.case_page.conversation.head.open_history()
        panel = rig.case_page.conversation.head.panel
        assert panel is not None
        rig.until(lambda: panel.list.count() == 2)
        panel.search.setText("借款金额")
        assert panel.list.count() == 1
        panel.list.setCurrentRow(0)
        QTest.keyClick(panel.list, Qt.Key.Key_Return)
        rig.until(lambda: [turn.question for turn in rig.case_page.conversation.turns] == [QUESTION])
        assert not panel.isVisible()

    @pytest.mark.parametrize("suffix", [".md", ".txt"])
    def test_export_holds_answer_and_quote(self, rig: Rig, tmp_path: Path, suffix: str) -> None:
        rig.open_case()
        rig.ask()
        page, path = rig.case_page, tmp_path / f"对话{suffix}"
        write_conversation(page, rig.desktop.context, page.conversation.answers(), path)
        rig.until(path.is_file)
        rig.until(lambda: rig.window.toast.isVisible())
        text = path.read_text(encoding="utf-8")
        assert QUESTION in text and ANSWER in text and "[1]" in text and "合同" in text

    def test_export_as_a_word_document_has_the_quote_as_a_footnote(self, rig: Rig, tmp_path: Path) -> None:
        rig.open_case()
        rig.ask()
        page, path = rig.case_page, tmp_path / "对话.docx"
        write_conversation(page, rig.desktop.context, page.conversation.answers(), path)
        rig.until(path.is_file)
        rig.until(lambda: rig.window.toast.isVisible())
        with zipfile.ZipFile(path) as package:
            assert ANSWER in package.read("word/document.xml").decode()
            assert "合同.txt, page 1" in package.read("word/footnotes.xml").decode()

    def test_markdown_from_documents_is_escaped(self, rig: Rig, tmp_path: Path) -> None:
        rig.answer = "甲方向乙方出借人民币500,000元<script>*粗*。"
        rig.open_case()
        rig.ask()
        page = rig.case_page
        write_conversation(page, rig.desktop.context, page.conversation.answers(), tmp_path / "x.md")
        rig.until((tmp_path / "x.md").is_file)
        assert "<script>" not in (tmp_path / "x.md").read_text(encoding="utf-8")

    def test_a_folder_that_refuses_is_told(self, rig: Rig, tmp_path: Path) -> None:
        rig.open_case()
        rig.ask()
        page = rig.case_page
        write_conversation(page, rig.desktop.context, page.conversation.answers(), tmp_path / "none" / "x.md")
        rig.until(rig.window.banner.isVisible)
        assert "can't be written" in rig.window.banner.text.text()

    def test_other_cases_can_be_asked_too(self, rig: Rig) -> None:
        """The question goes to both; it is another conversation than that of the case alone."""
        other = rig.services.store.cases.create("另一案")
        rig.store_document(other, "另一合同.txt", "丙方向丁方出借人民币800,000元。")
        rig.open_case()
        rig.ask()
        first = rig.case_page.conversation.conversation
        scope = rig.case_page.conversation.composer.scope
        assert scope.text() == "This case"
        menu = scope.menu_for(rig.services.store.cases.list())
        entry = next(action for action in menu.actions() if action.text() == "另一案")
        entry.activate(QAction.ActionEvent.Trigger)
        menu.deleteLater()
        assert scope.text() == "2 cases"
        rig.answer = "丙方向丁方出借人民币800,000元。"
        rig.ask("丙方出借多少？")
        assert rig.turn.answer.citations[0].document == "另一合同.txt"
        assert rig.case_page.conversation.conversation != first

    def test_long_conversations_draw_their_latest_turns(self, rig: Rig) -> None:
        rig.open_case()
        for number in range(15):
            rig.ask(f"{QUESTION}{number}")
        conversation = rig.case_page.conversation
        stored = conversation.conversation
        assert stored is not None
        conversation.open(stored)
        rig.until(lambda: len(conversation.turns) == 12)
        assert conversation.older.text() == "Show 3 earlier questions"
        QTest.mouseClick(conversation.older, Qt.MouseButton.LeftButton)
        assert [turn.question for turn in conversation.turns] == [f"{QUESTION}{n}" for n in range(15)]
        assert len(conversation.answers()) == 15


class TestModels:
    """What is here, which one is used, what the engine told of it."""

    @pytest.fixture
    def page(self, rig: Rig) -> ModelsPage:
        rig.window.show_screen(Screen.MODELS)
        found = rig.window.screen_widget(Screen.MODELS)
        assert isinstance(found, ModelsPage)
        rig.until(lambda: "fake" in found.cards)
        return found

    def test_the_model_in_use_is_named(self, page: ModelsPage) -> None:
        assert page.cards["fake"].state.text() == "In use"
        assert not page.cards["fake"].use.isVisible()

    def test_another_file_is_chosen(self, rig: Rig, page: ModelsPage, tmp_path: Path) -> None:
        other = tmp_path / "other.gguf"
        other.write_bytes(b"GGUF")
        page.use(str(other))
        rig.until(lambda: rig.services.settings().models.chat == str(other))

    def test_the_plan_shows_what_the_engine_decided(self, rig: Rig, page: ModelsPage) -> None:
        assert page.plan.load.isVisible()
        QTest.mouseClick(page.plan.load, Qt.MouseButton.LeftButton)
        rig.until(lambda: not page.plan.load.isVisible())
        rig.until(lambda: any("This engine is a fake." in part.text() for part in page.plan.findChildren(QLabel)))
        chip = rig.window.rail.engine.accessibleName()
        assert "fake" in chip and "RAM 2.0 GiB" in chip


def test_every_control_has_a_name_and_can_be_reached_by_keys(rig: Rig) -> None:
    """On each screen: what can take the focus says what it is."""
    rig.open_case()
    rig.ask()
    for screen in (Screen.CASE, Screen.CASES, Screen.LIBRARY, Screen.MODELS, Screen.SETTINGS, Screen.WELCOME):
        rig.window.show_screen(screen)
        widget = rig.window.screen_widget(screen)
        controls = [part for part in widget.findChildren(QWidget) if isinstance(
            part, QAbstractButton | QLineEdit | QComboBox | QListView | QTextEdit) and part.isVisible()]
        inner = [part for part in controls if isinstance(part.parent(), QLineEdit | QComboBox)]
        for part in controls:
            if part in inner or (part.parent() and part.parent().objectName() == "qt_scrollarea_viewport"):
                continue
            named = part.accessibleName() or (part.text() if isinstance(part, QAbstractButton) else "")
            if part.inherits("QComboBoxListView") or type(part).__name__ == "QListView":
                continue
            assert named, (screen, type(part).__name__, part.objectName(), part.parent())
            if isinstance(part, QAbstractButton) and part.isEnabled() and part.group() is None:
                assert part.focusPolicy() & Qt.FocusPolicy.TabFocus, (screen, named)  # in a group arrow keys move on


def test_f6_goes_round_the_panes(rig: Rig) -> None:
    rig.open_case()
    rig.case_page.conversation.composer.field.setFocus()
    seen = []
    for _ in range(3):
        QTest.keyClick(rig.window, Qt.Key.Key_F6)
        focus = rig.window.focusWidget()
        seen.append(next(name for name, pane in (
            ("documents", rig.case_page.bench.documents), ("conversation", rig.case_page.conversation),
            ("viewer", rig.case_page.bench.viewer)) if focus is pane or pane.isAncestorOf(focus)))
    assert seen == ["viewer", "documents", "conversation"]


def test_the_keys_are_shown_and_go_away(rig: Rig) -> None:
    QTest.keyClick(rig.window, Qt.Key.Key_F1)
    overlay = rig.desktop.keyboard.help
    assert overlay is not None and overlay.isVisible()
    QTest.keyClick(overlay, Qt.Key.Key_Escape)
    assert not overlay.isVisible()


def test_passages_are_found_in_a_case(rig: Rig) -> None:
    """Without a model: words lead to the place in the document."""
    rig.open_case()
    QTest.keyClick(rig.window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    finder = rig.case_page.middle.finder
    assert finder.field.hasFocus()
    finder.field.setText("转账")
    QTest.keyClick(finder.field, Qt.Key.Key_Return)
    rig.until(lambda: finder.cards > 0)
    with rig.qtbot.waitSignal(rig.case_page.bench.viewer.shown):
        QTest.keyClick(finder.field, Qt.Key.Key_Return)
    assert "转账" in rig.case_page.bench.viewer.text.marked_text
    assert rig.engine.requests == []


def test_cards_are_as_high_as_their_text(rig: Rig) -> None:
    """One line or two, whatever else is in the list: neither clipped nor stretched."""
    library = rig.services.store.cases.get(LIBRARY_ID)
    for number in range(12):
        text = f"第{number}条 " + "借款的利率不得违反国家规定。" * (1 + number % 3)
        rig.store_document(library, f"法{number}.md", text)
    rig.window.show_screen(Screen.LIBRARY)
    page = rig.window.screen_widget(Screen.LIBRARY)
    assert isinstance(page, LibraryPage)
    page.finder.field.setText("利率")
    page.finder.search()
    rig.until(lambda: page.finder.cards == 12)
    cards = page.finder.findChildren(CardButton)
    rig.until(lambda: all(card.height() == card.heightForWidth(card.width()) for card in cards))
    assert len({card.height() for card in cards}) == 2
