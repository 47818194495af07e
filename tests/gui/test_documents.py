"""The list of documents: dropped, pasted, ordered, left out, removed."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from aipc_app.domain.documents import Document, DocumentStatus
from aipc_app.paths import Home
from aipc_app.settings.model import Settings
from aipc_app.ui.case.documents.delegate import DocumentDelegate, check_rect
from aipc_app.ui.case.documents.model import DocumentsModel
from aipc_app.ui.case.documents.pane import DocumentsPane
from aipc_app.ui.case.documents.rows import Listing, compared
from aipc_app.ui.case.documents.view import DocumentsView
from aipc_app.ui.desktop import Desktop
from aipc_app.ui.screens import Screen
from aipc_app.ui.theme.look import Look
from aipc_app.ui.words import Words
from engine.client.fake import FakeEngine
from tests.gui.conftest import Rig, services_over, take_down

COPY, LEFT, NONE = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


def files(*paths: Path) -> QMimeData:
    """What a file manager gives."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return data


def drop(target: QWidget, data: QMimeData, place: QPoint | None = None) -> bool:
    """Enter, move and drop as Qt sends them; whether the drop was taken."""
    where = QPointF(place or target.rect().center())
    for kind in (QDragEnterEvent, QDragMoveEvent):
        QApplication.sendEvent(target, kind(where.toPoint(), COPY, data, LEFT, NONE))
    event = QDropEvent(where, COPY, data, LEFT, NONE)
    QApplication.sendEvent(target, event)
    return event.isAccepted()


def pane(rig: Rig) -> DocumentsPane:
    found = rig.case_page.bench.documents
    assert isinstance(found, DocumentsPane)
    return found


def names(rig: Rig) -> list[str]:
    return [row.document.name for row in pane(rig).model.rows]


@pytest.fixture
def reading() -> bool:
    return True


@pytest.mark.parametrize("target", ["page", "conversation", "ask box", "documents", "viewer"])
def test_a_file_dropped_anywhere_on_the_case_is_read(rig: Rig, tmp_path: Path, target: str) -> None:
    """Qt offers a drop to the innermost widget first; lists and fields must leave files to the page."""
    rig.open_case()
    path = tmp_path / "判决书.txt"
    path.write_text("本院认为，被告应当归还借款本金500,000元。", encoding="utf-8")
    page = rig.case_page
    widget = {"page": page, "conversation": page.conversation.area.viewport(), "documents": pane(rig).view.viewport(),
              "ask box": page.conversation.composer.field.viewport(), "viewer": page.bench.viewer.body}[target]
    assert drop(widget, files(path))
    rig.until(lambda: "判决书.txt" in names(rig))
    rig.until(lambda: pane(rig).model.rows[-1].document.status is DocumentStatus.SEARCHABLE)
    assert pane(rig).model.rows[-1].document.pages == 1


def test_a_dropped_folder_brings_its_files(rig: Rig, tmp_path: Path) -> None:
    rig.open_case()
    folder = tmp_path / "卷宗" / "证据"
    folder.mkdir(parents=True)
    for number in range(3):
        (folder / f"{number}.txt").write_text(f"第{number}份证据。", encoding="utf-8")
    assert drop(rig.case_page, files(tmp_path / "卷宗"))
    rig.until(lambda: len(names(rig)) == 5)
    assert [name for name in names(rig) if "证据" in name] == [f"证据/{number}.txt" for number in range(3)]


def test_the_place_to_drop_shows_while_files_hover_and_goes_away(rig: Rig, tmp_path: Path) -> None:
    rig.open_case()
    page = rig.case_page
    overlay = page.findChild(QWidget, "dropOverlay")
    folder = files(tmp_path)
    QApplication.sendEvent(page, QDragEnterEvent(QPoint(5, 5), COPY, folder, LEFT, NONE))
    assert overlay is not None and overlay.isVisible()
    text = QMimeData()
    text.setText("no files")
    event = QDragEnterEvent(QPoint(5, 5), COPY, text, LEFT, NONE)
    QApplication.sendEvent(page, event)
    assert not event.isAccepted()
    assert drop(page, folder)
    assert not overlay.isVisible()


def test_copied_files_are_pasted_with_the_keyboard(rig: Rig, tmp_path: Path) -> None:
    rig.open_case()
    path = tmp_path / "笔录.txt"
    path.write_text("庭审笔录。", encoding="utf-8")
    QGuiApplication.clipboard().setMimeData(files(path))
    pane(rig).view.setFocus()
    QTest.keyClick(pane(rig).view, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    rig.until(lambda: "笔录.txt" in names(rig))


def test_a_file_known_already_is_told(rig: Rig, tmp_path: Path) -> None:
    rig.open_case()
    for name in ("甲.txt", "乙.txt"):
        (tmp_path / name).write_text("同样的内容。", encoding="utf-8")
    drop(rig.case_page, files(tmp_path / "甲.txt"))
    rig.until(lambda: "甲.txt" in names(rig))
    drop(rig.case_page, files(tmp_path / "乙.txt"))
    rig.until(lambda: rig.window.toast.isVisible())
    assert "乙.txt" in rig.window.toast.text.text()
    assert "乙.txt" not in names(rig)


def test_a_file_that_cannot_be_read_says_why_and_stops_no_other(rig: Rig, tmp_path: Path) -> None:
    rig.open_case()
    (tmp_path / "坏.pdf").write_bytes(b"%PDF-1.7 not really")
    (tmp_path / "好.txt").write_text("好的内容。", encoding="utf-8")
    drop(rig.case_page, files(tmp_path / "坏.pdf", tmp_path / "好.txt"))
    rows = lambda: {row.document.name: row.document for row in pane(rig).model.rows}  # noqa: E731
    rig.until(lambda: {"坏.pdf", "好.txt"} <= set(rows()))
    rig.until(lambda: rows()["坏.pdf"].status is DocumentStatus.FAILED)
    rig.until(lambda: rows()["好.txt"].status is DocumentStatus.SEARCHABLE)
    bad = pane(rig).model.index(names(rig).index("坏.pdf"))
    spoken = bad.data(Qt.ItemDataRole.AccessibleTextRole)
    assert "Could not be read" in spoken and rows()["坏.pdf"].reason
    rig.until(lambda: rig.window.rail.jobs.tally.failed == 1)
    assert "1 could not be read" in rig.window.rail.jobs.accessibleName()
    QTest.mouseClick(rig.window.rail.jobs, LEFT)
    panel = rig.window.rail.jobs.panel
    assert panel is not None and panel.isVisible()
    shown = lambda: " ".join(part.text() for part in panel.findChildren(QLabel))  # noqa: E731
    rig.until(lambda: "坏.pdf" in shown() and str(rows()["坏.pdf"].reason) in shown())


class TestOrder:
    """Reordering is kept in the store: it is the prompt's order too."""

    def move_by_drag(self, rig: Rig, source: int, target: int, *, below: bool) -> None:
        """As the view does it: the row's own data, dropped in the upper or lower half of another row."""
        view, model = pane(rig).view, pane(rig).model
        rect = view.visualRect(model.index(target))
        place = QPoint(rect.center().x(), rect.bottom() - 2 if below else rect.top() + 2)
        assert drop(view.viewport(), model.mimeData([model.index(source)]), place)

    def stored(self, rig: Rig) -> list[str]:
        case = rig.case_page.case
        assert case is not None
        return [doc.name for doc in rig.services.store.documents.of_case(case.id)]

    def test_a_row_dragged_up_is_kept_there(self, rig: Rig) -> None:
        rig.open_case("案", 甲="一。", 乙="二。", 丙="三。")
        self.move_by_drag(rig, 2, 0, below=False)
        assert names(rig) == ["丙.txt", "甲.txt", "乙.txt"]
        rig.until(lambda: self.stored(rig) == ["丙.txt", "甲.txt", "乙.txt"])

    def test_a_row_dragged_down_is_kept_there(self, rig: Rig) -> None:
        rig.open_case("案", 甲="一。", 乙="二。", 丙="三。")
        self.move_by_drag(rig, 0, 1, below=True)
        assert names(rig) == ["乙.txt", "甲.txt", "丙.txt"]
        rig.until(lambda: self.stored(rig) == ["乙.txt", "甲.txt", "丙.txt"])

    def test_keys_move_a_row(self, rig: Rig) -> None:
        rig.open_case("案", 甲="一。", 乙="二。")
        view = pane(rig).view
        view.setFocus()
        view.setCurrentIndex(pane(rig).model.index(1))
        QTest.keyClick(view, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
        assert names(rig) == ["乙.txt", "甲.txt"]
        assert view.currentIndex().row() == 0
        rig.until(lambda: self.stored(rig) == ["乙.txt", "甲.txt"])


class TestLeftOut:
    """What is left out is not read for a question."""

    def test_a_click_on_the_box_leaves_it_out_of_the_question(self, rig: Rig) -> None:
        rig.open_case()
        view, model = pane(rig).view, pane(rig).model
        kept, left = (row.document for row in model.rows)
        spot = check_rect(view.visualRect(model.index(1))).center()
        QTest.mouseClick(view.viewport(), LEFT, pos=spot)
        assert pane(rig).included == frozenset({kept.id})
        assert pane(rig).left_out.isVisible()
        rig.ask()
        prompt = "".join(segment.text for message in rig.engine.requests[-1].prompt.messages
                         for segment in message.segments)
        assert "500,000" in prompt and "450,000" not in prompt
        assert left.name == "凭证.txt" and rig.case_page.bench.viewer.place is None

    def test_space_and_all_bring_it_back(self, rig: Rig) -> None:
        rig.open_case()
        view = pane(rig).view
        view.setFocus()
        view.setCurrentIndex(pane(rig).model.index(0))
        QTest.keyClick(view, Qt.Key.Key_Space)
        assert pane(rig).included is not None
        QTest.keyClick(view, Qt.Key.Key_Space)
        assert pane(rig).included is None
        assert not pane(rig).left_out.isVisible()


class TestRemoval:
    """Gone at once, for good only when it can't be undone any more."""

    def remove_first(self, rig: Rig) -> int:
        view = pane(rig).view
        view.setFocus()
        view.setCurrentIndex(pane(rig).model.index(0))
        document_id = pane(rig).model.rows[0].document.id
        QTest.keyClick(view, Qt.Key.Key_Delete)
        return document_id

    def linked(self, rig: Rig, document_id: int) -> bool:
        case = rig.case_page.case
        assert case is not None
        return any(doc.id == document_id for doc in rig.services.store.documents.of_case(case.id))

    def test_undo_brings_it_back_to_its_place(self, rig: Rig) -> None:
        rig.open_case()
        before = names(rig)
        document_id = self.remove_first(rig)
        assert names(rig) == before[1:]
        QTest.mouseClick(rig.window.toast.undo, LEFT)
        rig.until(lambda: names(rig) == before)
        assert self.linked(rig, document_id)

    def test_without_undo_it_is_removed_from_the_store(self, rig: Rig) -> None:
        rig.open_case()
        document_id = self.remove_first(rig)
        assert self.linked(rig, document_id)
        rig.window.toast.settle()
        rig.until(lambda: not self.linked(rig, document_id))

    def test_leaving_the_screen_does_not_lose_the_removal(self, rig: Rig) -> None:
        rig.open_case()
        document_id = self.remove_first(rig)
        rig.window.show_screen(Screen.CASES)
        rig.window.toast.settle()
        rig.until(lambda: not self.linked(rig, document_id))


def test_a_removal_is_done_when_the_window_closes(
    home: Home, settings: Settings, qtbot: QtBot, qapp: QApplication
) -> None:
    """The way back is closed by closing the window; the deed must not be lost with it."""
    engine, desktop = FakeEngine(loaded=False), Desktop(qapp, settings)
    try:
        desktop.window.show()
        with services_over(home, engine, reading=False) as services:
            rig = Rig(desktop, services, engine, qtbot)
            desktop.attach(services)
            case = rig.open_case()
            document = pane(rig).model.rows[0].document
            pane(rig).actions_.remove(document)
            desktop.window.close()
            assert desktop.close(timeout_s=60)
            assert document.id not in {left.id for left in services.store.documents.of_case(case.id)}
    finally:
        take_down(desktop)


def test_the_chosen_row_stays_chosen_while_others_come(rig: Rig, tmp_path: Path) -> None:
    rig.open_case()
    view = pane(rig).view
    view.setCurrentIndex(pane(rig).model.index(1))
    (tmp_path / "新.txt").write_text("新的文件。", encoding="utf-8")
    drop(rig.case_page, files(tmp_path / "新.txt"))
    rig.until(lambda: len(names(rig)) == 3)
    assert view.current is not None and view.current.document.name == "凭证.txt"


def document(number: int, status: DocumentStatus = DocumentStatus.QUEUED) -> Document:
    return Document(id=number, name=f"{number}.txt", sha256=f"{number:064}", size=1, status=status)


def listed(model: DocumentsModel, *documents: Document) -> Listing:
    return compared(model.rows, model.version, documents)


def test_of_a_long_list_only_what_changed_is_drawn_again(qtbot: QtBot) -> None:
    model, drawn = DocumentsModel(Words()), []
    model.apply(listed(model, *map(document, range(5))))
    model.dataChanged.connect(lambda first, _last: drawn.append(first.row()))
    model.include(3, False)
    drawn.clear()
    read = [document(2, DocumentStatus.SEARCHABLE), document(3, DocumentStatus.READING)]
    model.apply(listed(model, document(0), document(1), *read, document(4), document(5)))
    assert drawn == [2, 3] and [row.document.id for row in model.rows] == [0, 1, 2, 3, 4, 5]
    assert model.rows[2].document == read[0] and not model.rows[3].included and model.place_of(5) == 5


def test_a_list_worked_out_against_rows_that_are_gone_is_still_shown_as_it_is(qtbot: QtBot) -> None:
    model = DocumentsModel(Words())
    model.apply(listed(model, *map(document, range(3))))
    late = listed(model, document(0), document(1, DocumentStatus.SEARCHABLE), document(2))
    model.move(0, 3)
    model.apply(late)
    assert [row.document.id for row in model.rows] == [0, 1, 2] and model.place_of(1) == 1
    model.apply(listed(model, document(2), document(0)))
    assert [row.document.id for row in model.rows] == [2, 0] and model.place_of(1) == -1


def test_thousands_of_changes_are_looked_at_now_and_then(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work that goes on changes the jobs with every page; the rail looks ten times a second at most."""
    rig.open_case()
    looks = []
    glance = rig.services.store.jobs.glance
    monkeypatch.setattr(rig.services.store.jobs, "glance", lambda: (looks.append(time.monotonic()), glance())[1])
    end = time.monotonic() + 0.5
    while time.monotonic() < end:
        rig.window.rail.jobs.reload()
        rig.qtbot.wait(2)
    assert 1 <= len(looks) <= 6


def test_a_row_that_changes_is_drawn_alone_and_not_at_all_out_of_sight(qtbot: QtBot, qapp: QApplication) -> None:
    """Qt's own list would lay thousands of rows out again, and draw all that can be seen."""
    look, words, drawn = Look(qapp), Words(), list[int]()
    model = DocumentsModel(words)
    view = DocumentsView(model, look)
    qtbot.addWidget(view)
    delegate = DocumentDelegate(look, words)
    delegate.paint_row = lambda _painter, _option, index: drawn.append(index.row())  # type: ignore[method-assign]
    view.setItemDelegate(delegate)
    view.resize(300, 400)
    documents = list(map(document, range(500)))
    model.apply(listed(model, *documents))
    view.show()
    qtbot.waitUntil(lambda: 3 in drawn)
    qapp.processEvents()
    drawn.clear()
    documents[400] = document(400, DocumentStatus.READING)
    model.apply(listed(model, *documents))
    qapp.processEvents()
    documents[3] = document(3, DocumentStatus.READING)
    model.apply(listed(model, *documents))
    qtbot.waitUntil(lambda: bool(drawn))
    assert set(drawn) == {3}
