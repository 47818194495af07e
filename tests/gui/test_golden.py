"""Why a passage was found, the table of stages, and golden questions, in the real window over the fake engine."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QToolButton, QWidget

from aipc_app.domain.golden import Change
from aipc_app.ui.case.conversation.why import WhyPopover
from tests.gui.conftest import QUESTION, Rig


def texts(widget: QWidget) -> str:
    return "\n".join(label.text() for label in widget.findChildren(QLabel))


def search(rig: Rig, query: str) -> None:
    rig.case_page.middle.go_to("find")
    finder = rig.case_page.middle.finder
    finder.field.setText(query)
    finder.search()
    rig.until(lambda: finder.cards > 0)


def test_a_passage_tells_which_search_found_it_and_by_which_words(rig: Rig) -> None:
    rig.open_case()
    search(rig, "借款 利率")
    finder = rig.case_page.middle.finder
    name = rig.desktop.context.words("why.open")
    why = next(made for made in finder.findChildren(QToolButton) if made.accessibleName() == name)
    QTest.mouseClick(why, Qt.MouseButton.LeftButton)
    rig.until(lambda: rig.window.findChild(WhyPopover) is not None)
    popover = rig.window.findChild(WhyPopover)
    told = texts(popover)
    assert "place 1" in told and "not found" in told  # by words, not by meaning: there is no encoder
    assert "借款" in told
    QTest.keyClick(popover, Qt.Key.Key_Escape)
    rig.until(lambda: rig.window.findChild(WhyPopover) is None)


def test_the_table_of_stages_opens_the_passage_of_the_row_that_is_clicked(rig: Rig) -> None:
    rig.open_case()
    search(rig, "借款 利率")
    finder = rig.case_page.middle.finder
    finder.stages.setChecked(True)
    assert finder.body.currentWidget() is finder.table
    assert finder.table.rowCount() == finder.cards
    assert finder.table.item(0, 2).text() == "1" and finder.table.item(0, 3).text() == "–"
    places: list[object] = []
    finder.opened.connect(places.append)
    finder.table.sortByColumn(0, Qt.SortOrder.DescendingOrder)
    last = finder.table.rowCount()
    assert finder.table.item(0, 0).text() == str(last)
    finder.table.cellClicked.emit(0, 1)
    (place,) = places
    assert place.document_id == finder._found[last - 1].passage.document_id  # type: ignore[attr-defined]


def test_a_question_that_was_answered_is_kept_run_twice_and_held_against_itself(rig: Rig) -> None:
    rig.open_case()
    rig.ask()
    pane = rig.case_page.middle.golden
    keep = rig.turn.findChild(QWidget).window().findChildren(QToolButton)
    next(b for b in keep if b.accessibleName() == rig.desktop.context.words("golden.keep")).click()
    assert pane.dialog is not None
    assert pane.dialog.question.text() == QUESTION
    assert pane.dialog.expected.toPlainText()  # the figures that the answer proves
    pane.dialog.accept()
    rig.until(lambda: pane.table.rowCount() == 1)
    rig.case_page.middle.go_to("golden")
    for change in (Change.NEW, Change.SAME):
        pane.run.click()
        rig.until(lambda: not pane.busy and pane.run.isEnabled())
        rig.until(lambda change=change: _change(rig) is change)
    row = pane.table.current
    assert row is not None and row.now is not None and row.now.passed
    assert pane.detail.isVisible() and row.now.text in texts(pane.detail)
    QTest.keyClick(pane.table, Qt.Key.Key_Delete)
    rig.until(lambda: pane.table.rowCount() == 0)
    assert not pane.run.isEnabled()


def _change(rig: Rig) -> Change | None:
    row = rig.case_page.middle.golden.table.current
    return row.change if row is not None and row.now is not None else None
