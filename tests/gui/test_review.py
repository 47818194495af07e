"""The Review tab: a template, the table that fills, decisions, sources, comparing, export, one gesture on the start."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from aipc_app.domain.documents import Case
from aipc_app.domain.review import Decision, FindingStatus, ReviewState
from aipc_app.operations import reviewing
from aipc_app.ui.review.exporting import export_to
from aipc_app.ui.review.finding_row import FindingRow
from aipc_app.ui.review.pane import ReviewPane
from aipc_app.ui.widgets.card import CardButton
from aipc_app.ui.widgets.dialogs import NameDialog
from aipc_app.ui.widgets.file_drop import FileDrop
from tests.gui.conftest import Rig

COMPLAINT = (
    "民事起诉状\n原告：陈国梁，男，1975年3月2日出生，住杭州市西湖区。\n被告：赵立新，男，住杭州市上城区。\n"
    "诉讼请求：\n1.判令被告偿还借款本金500,000元。\n2.判令被告支付利息。\n事实与理由：\n"
    "2021年3月5日，双方签订借款合同，约定被告向原告借款500,000元，借款期限十二个月，年利率12%。\n"
)
CONTRACT = "借款合同\n出借人：陈国梁\n借款人：赵立新\n借款金额为人民币500,000元，年利率12%。\n"


def open_reviewable(rig: Rig, name: str = "借款纠纷") -> Case:
    return rig.open_case(name, 起诉状=COMPLAINT, 借款合同=CONTRACT)


def pane_of(rig: Rig) -> ReviewPane:
    """The tab, looked at, with its templates there."""
    rig.case_page.middle.go_to("review")
    pane = rig.case_page.middle.review
    assert pane is not None
    rig.until(lambda: isinstance(pane.choosing.first, CardButton))
    return pane


def reviewed(rig: Rig) -> ReviewPane:
    """A finished review of a case, on screen."""
    open_reviewable(rig)
    pane = pane_of(rig)
    QTest.keyClick(pane.choosing.first, Qt.Key.Key_Space)
    rig.until(lambda: pane.review is not None and not pane.busy and not pane.table.building)
    return pane


def supported_row(pane: ReviewPane) -> FindingRow:
    """A finding with a source."""
    return next(row for row in pane.table.rows.values()
                if row.finding is not None and row.finding.citations and row.finding.status is FindingStatus.SUPPORTED)


def test_the_table_fills_and_a_source_opens_its_page(rig: Rig) -> None:
    """From the keyboard: choose, wait, open what a finding rests on."""
    pane = reviewed(rig)
    assert pane.review is not None
    assert {row.finding.status for row in pane.table.rows.values() if row.finding} >= {
        FindingStatus.SUPPORTED, FindingStatus.NOT_FOUND}
    row = supported_row(pane)
    viewer = rig.case_page.bench.viewer
    with rig.qtbot.waitSignal(viewer.shown):
        QTest.keyClick(row.chip, Qt.Key.Key_Space)
    assert viewer.text.marked_text == row.finding.citations[0].quote
    assert row.item.label.zh not in row.accessibleName()
    assert row.accessibleName().startswith(f"{row.item.label.en}, Supported")


def test_decisions_are_kept_and_can_be_taken_back(rig: Rig) -> None:
    pane = reviewed(rig)
    row = supported_row(pane)
    row.setFocus()
    QTest.keyClick(row, Qt.Key.Key_Return)
    assert row.is_open and row.detail is not None
    QTest.keyClick(row.detail.accept, Qt.Key.Key_Space)
    rig.until(lambda: row.finding.decision is Decision.ACCEPTED)
    assert row.decided.text() == "Accepted"
    QTest.keyClick(row.detail.edit, Qt.Key.Key_Space)
    row.detail.editor.setPlainText("由我改正")
    QTest.keyClick(row.detail.save, Qt.Key.Key_Space)
    rig.until(lambda: row.finding.decision is Decision.EDITED)
    QTest.keyClick(row.detail.comment, Qt.Key.Key_Space)
    row.detail.editor.setPlainText("与庭审核对")
    QTest.keyClick(row.detail.save, Qt.Key.Key_Space)
    rig.until(lambda: row.finding.comment == "与庭审核对")
    stored = reviewing.read_review(rig.services, review_id=pane.review.id).run().finding(row.item.id)
    assert (stored.decision, stored.edited, stored.comment) == (Decision.EDITED, "由我改正", "与庭审核对")
    QTest.keyClick(row.detail.undo, Qt.Key.Key_Space)
    rig.until(lambda: row.finding.decision is Decision.NONE)
    assert not row.decided.isVisible()


def test_a_stopped_review_keeps_what_is_done_and_goes_on(rig: Rig) -> None:
    open_reviewable(rig)
    pane = pane_of(rig)
    rig.engine.hold_after(0)
    pane.begin("judge")
    rig.until(lambda: any(row.finding for row in pane.table.rows.values()) and rig.engine.requests)
    pane.head.stop.click()
    assert not pane.head.stop.isEnabled()
    rig.engine.release()
    rig.until(lambda: not pane.busy)
    assert pane.review is not None and pane.review.state is ReviewState.STOPPED
    kept = {finding.item for finding in pane.review.findings}
    assert kept and pane.head.resume.isVisible()
    pane.head.resume.click()
    rig.until(lambda: pane.review.state is ReviewState.DONE or not pane.busy)
    assert kept <= {finding.item for finding in pane.review.findings}


def test_another_case_shows_its_own_reviews_only_while_a_review_goes_on(rig: Rig) -> None:
    first = open_reviewable(rig)
    pane = pane_of(rig)
    rig.engine.hold_after(0)
    pane.begin("judge")
    rig.until(lambda: rig.engine.requests)
    other = open_reviewable(rig, "另案")
    assert rig.case_page.case.id == other.id
    rig.until(lambda: pane.body.currentWidget() is pane.choosing)
    assert pane.review is None
    assert pane.run.busy and not pane.busy
    rig.engine.release()
    rig.until(lambda: not pane.run.busy)
    assert pane.review is None
    rig.desktop.open_case(first)
    rig.until(lambda: len(pane._reviews) == 1)


def test_every_document_is_asked_the_users_own_question(rig: Rig) -> None:
    open_reviewable(rig)
    pane = pane_of(rig)
    own = pane.choosing.own
    assert not own.each.isEnabled()
    own.field.setPlainText("借款金额是多少？")
    QTest.keyClick(own.each, Qt.Key.Key_Space)
    rig.until(lambda: pane.review is not None and not pane.busy and not pane.table.building)
    assert {row.item.label.zh for row in pane.table.rows.values()} == {"起诉状.txt", "借款合同.txt"}
    own.field.setPlainText("借款金额是多少？\n年利率是多少？")
    assert own.all.isEnabled() and not own.each.isEnabled()


def test_two_reviews_are_compared(rig: Rig) -> None:
    pane = reviewed(rig)
    first = pane.review
    row = supported_row(pane)
    reviewing.decide_finding(rig.services, review_id=first.id, item=row.item.id, decision=Decision.EDITED,
                             text="另一种说法").run()
    pane.head.back.click()
    rig.until(lambda: len(pane._reviews) == 1)
    pane.begin("judge")
    rig.until(lambda: not pane.busy and pane.review is not None and pane.review.id != first.id)
    rig.until(lambda: len(pane._reviews) == 2)
    menu = pane.comparing_menu()
    menu.actions()[0].trigger()
    rig.until(lambda: pane.body.currentWidget() is pane.comparing)
    assert "items" in pane.comparing.told.text() or "item" in pane.comparing.told.text()
    menu.deleteLater()


def test_a_review_is_exported_in_the_format_that_was_chosen(rig: Rig, tmp_path: Path) -> None:
    pane = reviewed(rig)
    for ending in ("docx", "json"):
        target = tmp_path / f"审查.{ending}"
        export_to(pane, rig.desktop.context, pane.review.id, target, accepted_only=False)
        rig.until(lambda target=target: target.exists() and target.stat().st_size > 0)
    assert json.loads((tmp_path / "审查.json").read_text(encoding="utf-8"))["template"] == "judge"
    assert zipfile.is_zipfile(tmp_path / "审查.docx")
    dialog = pane.export()
    assert [dialog.format.itemData(i) for i in range(dialog.format.count())] == ["docx", "pdf", "xlsx", "json"]
    assert dialog.format.accessibleName()
    dialog.reject()
    rig.until(lambda: pane.export_dialog is None)


@pytest.mark.parametrize("reading", [True])
def test_a_folder_dropped_on_a_template_is_read_and_reviewed(rig: Rig, tmp_path: Path, reading: bool) -> None:
    """One gesture on the start screen: the case is made, the files are read, the review runs."""
    folder = tmp_path / "新案"
    folder.mkdir()
    (folder / "起诉状.txt").write_text(COMPLAINT, encoding="utf-8")
    page = rig.cases_page
    rig.until(lambda: page.drop._places)
    drop(page, page.drop, folder, "judge")
    dialog = next(widget for widget in QApplication.topLevelWidgets()
                  if isinstance(widget, NameDialog) and widget.isVisible())
    assert dialog.field.text() == "新案"
    dialog.accept_button.click()
    pane = rig.case_page.middle.review
    rig.until(lambda: pane.review is not None and not pane.busy)
    assert rig.case_page.middle.currentWidget() is pane
    assert rig.case_page.case.name == "新案"
    assert supported_row(pane)


def drop(page: QWidget, target: FileDrop, folder: Path, value: str) -> None:
    """Real drag events: in, over the choice, and let go."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(folder))])
    actions, buttons = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    none = Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(page, QDragEnterEvent(QPoint(20, 20), actions, data, buttons, none))
    QApplication.processEvents()
    assert target.value_at(QPoint(page.width() // 2, 60)) == ""  # above the choices: the case alone
    place = next(place for place, its in target._places if its == value)
    spot = place.mapTo(page, place.rect().center())
    QApplication.sendEvent(page, QDropEvent(QPointF(spot), actions, data, buttons, none))
