"""What is remembered, on screen: bars and words, long readings, the queue, the page under Settings."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QLabel, QWidget

from aipc_app.domain.answers import Mode
from aipc_app.domain.jobs import Changes
from aipc_app.operations.cases import delete_case
from aipc_app.operations.models import ensure_loaded
from aipc_app.operations.remembering import remember_case
from aipc_app.ui.case.conversation import pane as pane_module
from aipc_app.ui.case.conversation.long_read import LongReadCard, QueuedCard
from aipc_app.ui.case.documents.memory_foot import MemoryFoot
from aipc_app.ui.screens import Screen
from aipc_app.ui.settings.page import SettingsPage
from aipc_app.ui.settings.remembered import RememberedCard
from engine.errors import RequestInvalid
from tests.gui.conftest import ANSWER, QUESTION, Rig


@pytest.fixture
def no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """The user is asked before every reading."""
    monkeypatch.setattr(pane_module, "LONG_S", 0.0)


def foot(rig: Rig) -> MemoryFoot:
    return rig.case_page.bench.documents.memory


def spoken(rig: Rig) -> list[str]:
    """What a screen reader hears of the documents."""
    model = rig.case_page.bench.documents.model
    return [model._spoken(row) for row in model.rows]


class TestReadingAhead:
    @pytest.fixture
    def reads_ahead(self) -> bool:
        return True

    def test_documents_go_from_ready_to_remembered_with_the_time_left(self, rig: Rig) -> None:
        """The engine holds after the first document: it is remembered, the other one is not, and a time is told."""
        rig.open_case()
        rig.engine.hold_after(2)
        ensure_loaded(rig.services).run()
        rows = rig.case_page.bench.documents.model
        rig.until(lambda: [row.remembered for row in rows.rows] == [1.0, 0.0])
        rig.until(lambda: "left" in foot(rig).text.text())
        assert foot(rig).bar.isVisible() and 0 < foot(rig).bar.value() < 1000
        assert "Remembered" in spoken(rig)[0] and "Ready" in spoken(rig)[1]
        rig.engine.release()
        rig.until(lambda: [row.remembered for row in rows.rows] == [1.0, 1.0])
        rig.until(lambda: "All remembered" in foot(rig).text.text())
        assert not foot(rig).bar.isVisible() and not foot(rig).now.isVisible()

    def test_no_model_is_loaded_for_it(self, rig: Rig) -> None:
        rig.open_case()
        rig.until(lambda: foot(rig).isVisible())
        rig.services.changes.publish(Changes(cases=True))
        assert rig.engine.remember_requests == []
        assert "Not read ahead" in foot(rig).text.text() and foot(rig).now.isVisible()


def test_read_now_keeps_the_pc_awake_while_it_reads(rig: Rig) -> None:
    rig.open_case()
    rig.until(foot(rig).isVisible)
    rig.engine.hold_after(2)
    foot(rig).now.click()
    rig.until(lambda: "left" in foot(rig).text.text())
    assert rig.desktop.context.awake.held and foot(rig).halt.isVisible()
    rig.engine.release()
    rig.until(lambda: "All remembered" in foot(rig).text.text())
    rig.until(lambda: not rig.desktop.context.awake.held)


def test_reading_now_can_be_stopped_and_what_was_read_stays(rig: Rig) -> None:
    rig.open_case()
    rig.until(foot(rig).isVisible)
    rig.engine.hold_after(2)
    foot(rig).now.click()
    rig.until(lambda: "left" in foot(rig).text.text())
    foot(rig).halt.click()
    rig.until(lambda: foot(rig).running is None)
    rig.engine.release()
    rig.until(lambda: "remembered" in foot(rig).text.text() and foot(rig).now.isVisible())
    rig.until(lambda: not rig.desktop.context.awake.held)
    assert [row.remembered for row in rig.case_page.bench.documents.model.rows] == [1.0, 0.0]
    assert not rig.window.banner.isVisible()


def test_what_cannot_be_remembered_says_so_below_the_documents(rig: Rig) -> None:
    rig.open_case()
    ensure_loaded(rig.services).run()
    rig.engine.fail_next(RequestInvalid("This model can't be remembered."))
    rig.until(foot(rig).isVisible)
    foot(rig).read_now()
    rig.until(lambda: "can't be remembered" in foot(rig).text.text())


@pytest.mark.usefixtures("no_patience")
class TestLongReading:
    def offered(self, rig: Rig) -> LongReadCard:
        conversation = rig.case_page.conversation
        conversation.composer.mode.setCurrentIndex(conversation.composer.mode.findData(Mode.WHOLE.value))
        conversation.ask(QUESTION)
        rig.until(lambda: isinstance(rig.turn._aside, LongReadCard))
        card = rig.turn._aside
        assert isinstance(card, LongReadCard)
        rig.until(card.isVisible)
        return card

    def test_it_is_told_before_anything_is_read(self, rig: Rig) -> None:
        rig.open_case()
        card = self.offered(rig)
        assert rig.engine.requests == [] and not rig.case_page.conversation.busy
        assert " s." in card.text.text() and "new to it" in card.text.text()

    def test_ask_now_reads_and_answers(self, rig: Rig) -> None:
        rig.open_case()
        self.offered(rig).now.click()
        rig.until(lambda: rig.turn.answer is not None)
        assert rig.turn.view.text == ANSWER and rig.turn.answer.mode is Mode.WHOLE
        assert rig.turn._aside is None

    def test_passages_instead(self, rig: Rig) -> None:
        rig.open_case()
        self.offered(rig).passages.click()
        rig.until(lambda: rig.turn.answer is not None)
        assert rig.turn.answer.mode is Mode.RETRIEVAL

    def test_a_queued_question_is_answered_when_its_documents_are_read(self, rig: Rig) -> None:
        """Meanwhile other questions can be asked, the PC stays awake, and the answer is called out."""
        rig.open_case()
        card = self.offered(rig)
        rig.engine.hold_after(2)
        card.later.click()
        rig.until(lambda: bool(rig.engine.remember_requests))
        queued = rig.turn
        assert isinstance(queued._aside, QueuedCard) and rig.desktop.context.awake.held
        assert not rig.case_page.conversation.busy and len(rig.case_page.conversation.queue) == 1
        rig.engine.release()
        rig.until(lambda: queued.answer is not None)
        assert queued.view.text == ANSWER and queued._aside is None
        rig.until(lambda: not rig.desktop.context.awake.held)
        (called,) = rig.desktop.caller.called
        assert QUESTION in called.sentence and rig.window.toast.isVisible()
        assert "from memory" in _labels(queued)

    def test_a_question_asked_meanwhile_goes_first(self, rig: Rig) -> None:
        rig.open_case()
        card = self.offered(rig)
        rig.engine.hold_after(2)
        card.later.click()
        rig.until(lambda: bool(rig.engine.remember_requests))
        queued, conversation = rig.turn, rig.case_page.conversation
        rig.engine.hold_after(0)
        conversation.composer.mode.setCurrentIndex(conversation.composer.mode.findData(Mode.RETRIEVAL.value))
        conversation.ask("转账多少？")
        rig.until(lambda: len(rig.engine.requests) == 1)  # though the reading was not done
        assert queued.answer is None
        rig.engine.release()
        rig.until(lambda: queued.answer is not None and rig.turn.answer is not None)

    def test_taken_out_of_the_queue_it_is_not_asked(self, rig: Rig) -> None:
        rig.open_case()
        card = self.offered(rig)
        rig.engine.hold_after(2)
        card.later.click()
        rig.until(lambda: bool(rig.engine.remember_requests))
        queued = rig.turn._aside
        assert isinstance(queued, QueuedCard)
        queued.cancel.click()
        rig.until(lambda: len(rig.case_page.conversation.queue) == 0)
        rig.engine.release()
        assert rig.engine.requests == [] and not rig.desktop.context.awake.held
        assert rig.turn.answer is None and rig.turn._aside is None

    def test_looking_at_another_case_leaves_the_queue_alone(self, rig: Rig) -> None:
        case = rig.open_case()
        card = self.offered(rig)
        rig.engine.hold_after(2)
        card.later.click()
        rig.until(lambda: bool(rig.engine.remember_requests))
        rig.open_case("另一案", 别="别的材料。")
        rig.engine.release()
        rig.until(lambda: bool(rig.desktop.caller.called))
        (stored,) = rig.services.store.conversations.list(case.id)
        assert stored.turns == 1
        assert rig.case_page.conversation.turns == []


def test_a_remembered_case_is_asked_without_a_notice(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pane_module, "LONG_S", 0.5)  # of the fake's 100 tokens a second
    case = rig.open_case()
    remember_case(rig.services, case_id=case.id).run()
    rig.ask()
    assert rig.turn.answer is not None and rig.turn.answer.mode is Mode.WHOLE


class TestSettingsPage:
    @pytest.fixture
    def card(self, rig: Rig) -> Callable[[], RememberedCard]:
        def shown() -> RememberedCard:
            rig.window.show_screen(Screen.SETTINGS)
            page = rig.window.screen_widget(Screen.SETTINGS)
            assert isinstance(page, SettingsPage)
            rig.until(lambda: page.remembered._shown is not None and not page.remembered._looking)
            return page.remembered

        return shown

    def remembered_case(self, rig: Rig, name: str = "借款纠纷") -> int:
        case = rig.open_case(name)
        remember_case(rig.services, case_id=case.id).run()
        return case.id

    def test_size_and_quota_per_case(self, rig: Rig, card: Callable[[], RememberedCard]) -> None:
        case = self.remembered_case(rig)
        shown = card()
        (status,) = [o for o in rig.engine.store_status().owners if o.owner == f"case:{case}"]
        assert f"{status.tokens:,} tokens" in shown.rows["借款纠纷"].figures.text()
        assert "of 10.0 GiB" in shown.bars[1].figures.text()

    def test_nothing_is_remembered_yet(self, card: Callable[[], RememberedCard]) -> None:
        shown = card()
        assert shown.note.isVisible() and "Nothing" in shown.note.text() and not shown.all.isVisible()

    def test_keep_and_let_go(self, rig: Rig, card: Callable[[], RememberedCard]) -> None:
        case = self.remembered_case(rig)
        shown = card()
        shown.rows["借款纠纷"].pin.click()
        rig.until(lambda: _pinned(rig) == {f"case:{case}"})
        rig.until(lambda: shown.rows["借款纠纷"].pin.isChecked() and not shown._looking)
        shown.rows["借款纠纷"].pin.click()
        rig.until(lambda: _pinned(rig) == set())

    def test_forget_asks_first_and_leaves_the_other_case(self, rig: Rig, card: Callable[[], RememberedCard]) -> None:
        case = self.remembered_case(rig)
        other = rig.open_case("另一案", 别="别的材料，与前案无关。" * 3)
        remember_case(rig.services, case_id=other.id).run()
        shown = card()
        shown.rows["借款纠纷"].forget.click()
        assert shown.dialog is not None and "借款纠纷" in shown.dialog.windowTitle()
        assert f"case:{case}" in _owners(rig)
        shown.dialog.accept_button.click()
        rig.until(lambda: f"case:{case}" not in _owners(rig))
        rig.until(lambda: set(shown.rows) == {"另一案"})
        assert f"case:{other.id}" in _owners(rig)

    def test_forget_everything(self, rig: Rig, card: Callable[[], RememberedCard]) -> None:
        self.remembered_case(rig)
        shown = card()
        shown.all.click()
        assert shown.dialog is not None
        shown.dialog.accept_button.click()
        rig.until(lambda: rig.engine.store_status().blocks == 0)
        rig.until(lambda: not shown.rows and shown.note.isVisible())


def test_deleting_a_case_for_good_forgets_it(rig: Rig) -> None:
    case = rig.open_case()
    remember_case(rig.services, case_id=case.id).run()
    assert rig.engine.store_status().blocks > 0
    delete_case(rig.services, case_id=case.id).run()
    rig.until(lambda: f"case:{case.id}" not in _owners(rig))
    rig.until(lambda: not rig.services.store.remembered.owed())
    assert not [owner for owner in _owners(rig) if owner.startswith("document:")]


def test_without_a_bus_the_window_says_that_it_cannot_keep_the_pc_awake(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS"):
        monkeypatch.setenv(name, "unix:path=/nowhere/bus")
    awake = rig.desktop.context.awake
    awake.hold(rig, "test")
    rig.until(lambda: awake.works is False)
    card = QueuedCard(rig.desktop.context, lambda: None)
    assert "isn't possible here" in card.text.text()
    card.deleteLater()
    awake.release(rig)
    assert not awake.held


def _owners(rig: Rig) -> set[str]:
    return {share.owner for share in rig.engine.store_status().owners}


def _pinned(rig: Rig) -> set[str]:
    return {share.owner for share in rig.engine.store_status().owners if share.pinned}


def _labels(turn: QWidget) -> str:
    return " ".join(made.text() for made in turn.findChildren(QLabel))
