"""How the window starts and ends: frame first, first start, what can't be opened."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import cast

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from aipc_app.errors import HomeInUse, UserMistake
from aipc_app.operations.services import Services
from aipc_app.paths import Home
from aipc_app.settings.file import load
from aipc_app.settings.model import Language, Models, Settings, Window
from aipc_app.ui.desktop import Desktop
from aipc_app.ui.screens import Screen
from aipc_app.ui.starting import StartingPage
from engine.client.fake import FakeEngine
from tests.gui.conftest import WAIT_MS, Rig, services_over, take_down


@contextmanager
def opening(qapp: QApplication, make: object, qtbot: QtBot) -> Iterator[Desktop]:
    """A desktop that opens its services itself, closed and destroyed afterwards."""
    desktop = Desktop(qapp, Settings(window=Window(language=Language.ENGLISH)))
    try:
        desktop.open(make)  # type: ignore[arg-type]
        yield desktop
        desktop.window.close()
        assert desktop.close(timeout_s=60)
    finally:
        take_down(desktop)


def test_the_frame_is_there_before_the_services(qapp: QApplication, home: Home, qtbot: QtBot) -> None:
    """The window is up while the data is still being opened on another thread."""
    go_on, closed = threading.Event(), threading.Event()

    @contextmanager
    def slow() -> Iterator[Services]:
        assert threading.current_thread() is not threading.main_thread()
        assert go_on.wait(20)
        with services_over(home, FakeEngine(loaded=False), reading=False) as services:
            yield services
        closed.set()

    with opening(qapp, slow, qtbot) as desktop:
        assert desktop.window.isVisible()
        assert isinstance(desktop.window.stack.currentWidget(), StartingPage)
        QTest.mouseClick(desktop.window.rail.button(Screen.SETTINGS), Qt.MouseButton.LeftButton)
        assert isinstance(desktop.window.stack.currentWidget(), StartingPage)
        go_on.set()
        qtbot.waitUntil(lambda: desktop.context.bridge.ready, timeout=WAIT_MS)
        qtbot.waitUntil(lambda: not isinstance(desktop.window.stack.currentWidget(), StartingPage), timeout=WAIT_MS)
    assert closed.is_set()


@pytest.mark.parametrize("error", [
    HomeInUse("The data folder is in use by AIPC (process 7); close that program first, or name another folder."),
    UserMistake("settings.toml: there is no setting 'them'; did you mean 'theme'?"),
])
def test_what_cannot_be_opened_is_told_in_the_frame(qapp: QApplication, qtbot: QtBot, error: Exception) -> None:
    @contextmanager
    def refuse() -> Iterator[Services]:
        raise error
        yield

    with opening(qapp, refuse, qtbot) as desktop:
        qtbot.waitUntil(lambda: desktop.failed, timeout=WAIT_MS)
        page = cast(StartingPage, desktop.window.stack.currentWidget())
        assert page.problem.isVisible()
        assert page.problem.hint.text() == str(error)


def test_a_typo_in_the_settings_file_is_told_with_the_nearest_name(
    qapp: QApplication, qtbot: QtBot, home: Home
) -> None:
    """Through the real settings reader."""
    home.settings.write_text('[window]\nthem = "dark"\n', encoding="utf-8")

    def make() -> AbstractContextManager[Services]:
        return services_over(home, FakeEngine(loaded=False), reading=False)

    with opening(qapp, make, qtbot) as desktop:
        qtbot.waitUntil(lambda: desktop.failed, timeout=WAIT_MS)
        page = cast(StartingPage, desktop.window.stack.currentWidget())
        assert "did you mean 'theme'" in page.problem.hint.text()


class TestFirstStart:
    """Language, this PC, the sample case; one goes through it once."""

    @pytest.fixture
    def settings(self) -> Settings:
        return Settings(window=Window(language=Language.ENGLISH), models=Models(chat="fake.gguf"))

    @pytest.fixture
    def reading(self) -> bool:
        return True

    def test_it_shows_this_pc_and_switches_language(self, rig: Rig) -> None:
        page = rig.desktop.welcome
        assert rig.window.stack.currentWidget() is page
        texts = lambda: " ".join(part.text() for part in page.findChildren(QLabel))  # noqa: E731
        rig.until(lambda: "16.0 GiB" in texts() and "Model: fake" in texts())
        QTest.mouseClick(page.languages[Language.CHINESE], Qt.MouseButton.LeftButton)
        rig.until(lambda: "欢迎使用" in texts())
        assert load(rig.services.home.settings).window.language is Language.CHINESE

    def test_the_sample_case_leads_to_a_cited_answer(self, rig: Rig) -> None:
        """One click to the case, one on a suggested question; the answer cites a page of the real sample."""
        rig.answer = "借款合同约定的借款金额为人民币500,000元。"
        rig.until(lambda: rig.window.stack.currentWidget() is rig.desktop.welcome)
        QTest.mouseClick(rig.desktop.welcome.sample, Qt.MouseButton.LeftButton)
        rig.until(lambda: rig.window.stack.currentWidget() is rig.case_page)
        rows = rig.case_page.bench.documents.model
        rig.until(lambda: rows.rows and all(row.document.status.readable for row in rows.rows))
        offers = rig.case_page.conversation.empty.buttons
        assert offers.count() >= 3
        offer = offers.itemAt(0).widget()
        assert isinstance(offer, QWidget)
        QTest.mouseClick(offer, Qt.MouseButton.LeftButton)
        rig.until(lambda: rig.turn.answer is not None)
        assert rig.turn.answer is not None and rig.turn.answer.citations
        with rig.qtbot.waitSignal(rig.case_page.bench.viewer.shown, timeout=WAIT_MS):
            rig.turn.open_first_source()
        rig.until(lambda: load(rig.services.home.settings).window.welcomed)

    def test_it_can_be_skipped(self, rig: Rig) -> None:
        QTest.mouseClick(rig.desktop.welcome.skip, Qt.MouseButton.LeftButton)
        assert rig.window.stack.currentWidget() is rig.cases_page
        rig.until(lambda: load(rig.services.home.settings).window.welcomed)


class Flashes(QObject):
    """Notes every widget that is shown as a window of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.seen.append(type(watched).__name__)
        return False


def test_no_part_of_a_screen_flashes_up_as_a_window(rig: Rig, qapp: QApplication) -> None:
    """A widget shown before it has a parent is a window for a moment, and takes the focus."""
    flashes = Flashes()
    qapp.installEventFilter(flashes)
    rig.open_case()
    rig.ask()
    for screen in (Screen.LIBRARY, Screen.MODELS, Screen.SETTINGS, Screen.WELCOME, Screen.CASES):
        rig.window.show_screen(screen)
        rig.until(rig.window.screen_widget(screen).isVisible)
    qapp.removeEventFilter(flashes)
    assert flashes.seen == []


def test_closing_while_an_answer_streams_ends_everything(rig: Rig) -> None:
    """The rig's own teardown asserts that no thread is left; the engine is told to stop."""
    rig.answer = "甲方向乙方出借人民币500,000元。" * 40
    rig.open_case()
    rig.engine.hold_after(5)
    rig.case_page.conversation.ask("借款金额是多少？")
    rig.until(lambda: rig.turn.view.text)
    rig.window.close()


