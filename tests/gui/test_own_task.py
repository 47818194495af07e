"""A task in the user's own words, in the Review tab; and a template copied to be edited."""

from __future__ import annotations

import json

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from aipc_app.domain.review import FindingStatus, ReviewState
from aipc_app.ui.widgets.card import CardButton
from tests.gui.conftest import Rig
from tests.gui.test_review import pane_of

TASK = "合同写的借款和凭证写的转账相差多少？"


def call(tool: str, **arguments: object) -> str:
    return json.dumps({"why": "", "tool": tool, **arguments}, ensure_ascii=False)


def begin(rig: Rig) -> None:
    rig.open_case()
    pane = pane_of(rig)
    pane.choosing.task.field.setPlainText(TASK)
    QTest.keyClick(pane.choosing.task.start, Qt.Key.Key_Space)


def test_steps_come_one_by_one_and_the_result_opens_its_source(rig: Rig) -> None:
    rig.script = [
        call("calculate", expression="500,000-450,000"),
        call("answer", found=True, sentences=["合同写的借款500,000元，凭证写的转账450,000元，相差50,000元。"]),
    ]
    begin(rig)
    pane = rig.case_page.middle.review
    rig.until(lambda: pane.review is not None and not pane.busy and not pane.table.building)
    assert pane.review.state is ReviewState.DONE and list(pane.table.rows) == ["answer", "step_1", "step_2"]
    result, step = pane.table.rows["answer"], pane.table.rows["step_2"]
    assert result.finding.status is FindingStatus.SUPPORTED and "50,000元" in result.value.text
    assert step.name.text() == "Step 2: calculate 500,000-450,000" and step.state.text() == "Done"
    assert "500,000-450,000 = 50,000" in step.value.text
    viewer = rig.case_page.bench.viewer
    with rig.qtbot.waitSignal(viewer.shown):
        QTest.keyClick(result.chip, Qt.Key.Key_Space)
    assert viewer.text.marked_text == result.finding.citations[0].quote


def test_a_step_is_on_screen_while_the_next_is_thought_of_and_the_task_can_be_stopped(rig: Rig) -> None:
    rig.engine.hold_after(0)
    begin(rig)
    pane = rig.case_page.middle.review
    rig.until(lambda: "step_1" in pane.table.rows and pane.table.rows["step_1"].finding and rig.engine.requests)
    assert pane.busy and pane.table.rows["answer"].finding is None
    pane.head.stop.click()
    rig.engine.release()
    rig.until(lambda: not pane.busy)
    assert pane.review.state is ReviewState.STOPPED and pane.head.resume.isVisible()
    rig.script = [call("answer", found=False, sentences=[])]
    pane.head.resume.click()
    rig.until(lambda: pane.review.state is ReviewState.DONE)
    assert pane.table.rows["answer"].finding.status is FindingStatus.NOT_FOUND
    assert list(pane.table.rows) == ["answer", "step_1"]


def test_an_empty_task_can_not_be_begun(rig: Rig) -> None:
    rig.open_case()
    task = pane_of(rig).choosing.task
    assert not task.start.isEnabled()
    task.field.setPlainText(" …？\n")
    assert not task.start.isEnabled()
    task.field.setPlainText("合计")
    assert task.start.isEnabled()


def test_a_template_is_copied_under_a_name_of_its_own_and_can_be_chosen_at_once(rig: Rig) -> None:
    rig.open_case()
    pane = pane_of(rig)
    copying = pane.choosing.copying
    menu = copying.menu()
    menu.actions()[0].trigger()
    assert copying.dialog is not None and copying.dialog.field.text() == "judge-2"
    copying.dialog.field.setText("our-court")
    copying.dialog.accept_button.click()
    rig.until(lambda: any(one.id == "our-court" for one in pane.choosing._templates))
    assert (rig.services.home.templates / "our-court.toml").is_file()
    assert sum(1 for card in pane.choosing.findChildren(CardButton) if card.isVisibleTo(pane.choosing)) >= 4
    menu.deleteLater()
