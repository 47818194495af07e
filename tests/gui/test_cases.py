"""The list of cases: make, find, rename, archive, trash, undo."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QAction, QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from aipc_app.domain.documents import Case
from aipc_app.ui.cases.page import Shelf
from aipc_app.ui.screens import Screen
from aipc_app.ui.widgets.dialogs import ConfirmDialog, NameDialog
from tests.gui.conftest import Rig


def names(rig: Rig) -> list[str]:
    return [case.name for case in rig.cases_page.model.shown]


def make(rig: Rig, *wanted: str) -> list[Case]:
    made = [rig.services.store.cases.create(name) for name in wanted]
    rig.cases_page.reload()
    rig.until(lambda: set(wanted) <= set(names(rig)))
    return made


def answer(rig: Rig, name: str) -> None:
    """Type a name into the dialog that is open, and confirm."""
    dialog = rig.window.findChild(NameDialog)
    assert dialog is not None
    dialog.field.setText(name)
    QTest.mouseClick(dialog.accept_button, Qt.MouseButton.LeftButton)


def choose(rig: Rig, case: Case, text: str) -> None:
    """Pick an entry of the case's menu."""
    menu = rig.cases_page.menu_for(case)
    found = [action for action in menu.actions() if action.text() == text]
    assert found, [action.text() for action in menu.actions()]
    found[0].activate(QAction.ActionEvent.Trigger)
    menu.deleteLater()


def show_shelf(rig: Rig, shelf: Shelf) -> None:
    rig.cases_page.shelves.setCurrentIndex(tuple(Shelf).index(shelf))


def test_a_new_case_is_made_and_opened(rig: Rig) -> None:
    QTest.keyClick(rig.window, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    answer(rig, "  陈诉赵  ")
    rig.until(lambda: rig.case_page.case is not None)
    assert rig.case_page.case.name == "陈诉赵"  # type: ignore[union-attr]
    assert rig.window.stack.currentWidget() is rig.case_page


def test_a_taken_name_is_told(rig: Rig) -> None:
    make(rig, "甲案")
    rig.cases_page.make_new()
    answer(rig, "甲案")
    rig.until(lambda: rig.window.banner.isVisible())
    assert "甲案" in rig.window.banner.text.text()


def test_typing_finds_a_case(rig: Rig) -> None:
    make(rig, "甲案", "乙案")
    QTest.keyClick(rig.window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert rig.cases_page.search.hasFocus()
    rig.cases_page.search.setText("乙")
    assert names(rig) == ["乙案"]
    rig.cases_page.search.setText("丙")
    assert rig.cases_page.body.currentWidget() is rig.cases_page.nothing


def test_a_case_is_renamed(rig: Rig) -> None:
    case, = make(rig, "旧名")
    rig.cases_page.view.setFocus()
    rig.cases_page.view.setCurrentIndex(rig.cases_page.model.index(0))
    QTest.keyClick(rig.cases_page.view, Qt.Key.Key_F2)
    answer(rig, "新名")
    rig.until(lambda: names(rig) == ["新名"])
    assert rig.services.store.cases.get(case.id).name == "新名"


def test_the_trash_and_the_way_back(rig: Rig) -> None:
    """To the trash with the key, back with the toast; again, back from the trash's own shelf."""
    case, = make(rig, "甲案")
    rig.cases_page.view.setFocus()
    rig.cases_page.view.setCurrentIndex(rig.cases_page.model.index(0))
    QTest.keyClick(rig.cases_page.view, Qt.Key.Key_Delete)
    rig.until(lambda: names(rig) == [])
    QTest.mouseClick(rig.window.toast.undo, Qt.MouseButton.LeftButton)
    rig.until(lambda: names(rig) == ["甲案"])
    choose(rig, case, "Move to trash")
    rig.until(lambda: names(rig) == [])
    show_shelf(rig, Shelf.TRASH)
    rig.until(lambda: names(rig) == ["甲案"])
    choose(rig, case, "Restore")
    rig.until(lambda: names(rig) == [])
    show_shelf(rig, Shelf.ACTIVE)
    rig.until(lambda: names(rig) == ["甲案"])


def test_deleting_for_good_asks_first(rig: Rig) -> None:
    case, = make(rig, "甲案")
    rig.services.store.cases.trash(case.id, True)
    show_shelf(rig, Shelf.TRASH)
    rig.until(lambda: names(rig) == ["甲案"])
    choose(rig, case, "Delete for good")
    dialog = rig.window.findChild(ConfirmDialog)
    assert dialog is not None
    dialog.reject()
    assert rig.services.store.cases.get(case.id)
    choose(rig, case, "Delete for good")
    dialog = next(found for found in rig.window.findChildren(ConfirmDialog) if found.isVisible())
    QTest.mouseClick(dialog.accept_button, Qt.MouseButton.LeftButton)
    rig.until(lambda: names(rig) == [])
    assert rig.services.store.cases.by_name("甲案") is None


def test_an_archived_case_can_still_be_opened(rig: Rig) -> None:
    case, = make(rig, "甲案")
    choose(rig, case, "Archive")
    rig.until(lambda: names(rig) == [])
    show_shelf(rig, Shelf.ARCHIVED)
    rig.until(lambda: names(rig) == ["甲案"])
    rig.cases_page.view.opened.emit(case)
    assert rig.window.stack.currentWidget() is rig.case_page


def test_files_dropped_on_the_list_begin_a_case(rig: Rig, tmp_path: Path) -> None:
    path = tmp_path / "起诉状.txt"
    path.write_text("起诉状。", encoding="utf-8")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    page, copy, left = rig.cases_page, Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    none = Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(page, QDragEnterEvent(QPoint(9, 9), copy, data, left, none))
    QApplication.sendEvent(page, QDropEvent(QPointF(9, 9), copy, data, left, none))
    dialog = rig.window.findChild(NameDialog)
    assert dialog is not None and dialog.field.text() == "起诉状"
    answer(rig, "起诉状")
    rig.until(lambda: rig.window.stack.currentWidget() is rig.case_page)
    rig.until(lambda: [row.document.name for row in rig.case_page.bench.documents.model.rows] == ["起诉状.txt"])


def test_the_rail_shows_where_one_is(rig: Rig) -> None:
    rig.open_case()
    assert rig.window.rail.button(Screen.CASES).isChecked()
    QTest.keyClick(rig.window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    assert rig.window.rail.button(Screen.LIBRARY).isChecked()
    QTest.mouseClick(rig.window.rail.button(Screen.CASES), Qt.MouseButton.LeftButton)
    assert rig.window.stack.currentWidget() is rig.cases_page
