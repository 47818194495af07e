"""The settings page: made from the model, saved at once, errors beside the field."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from aipc_app.errors import StorageError
from aipc_app.settings.file import load
from aipc_app.settings.model import Settings
from aipc_app.ui.screens import Screen
from aipc_app.ui.settings.editors import ChoiceRow, FolderRow, NumberRow
from aipc_app.ui.settings.fields import ELSEWHERE
from aipc_app.ui.settings.page import SettingsPage
from engine.wire import offline
from tests.gui.conftest import Rig


@pytest.fixture
def page(rig: Rig) -> SettingsPage:
    rig.window.show_screen(Screen.SETTINGS)
    found = rig.window.screen_widget(Screen.SETTINGS)
    assert isinstance(found, SettingsPage)
    return found


def type_in(row: NumberRow | FolderRow, text: str) -> None:
    row.line.setFocus()
    row.line.selectAll()
    QTest.keyClick(row.line, Qt.Key.Key_Delete)
    QTest.keyClicks(row.line, text)
    QTest.keyClick(row.line, Qt.Key.Key_Return)


def number(page: SettingsPage, section: str, name: str) -> NumberRow:
    row = page.rows[section, name]
    assert isinstance(row, NumberRow)
    return row


def test_every_setting_has_an_editor_or_a_place_of_its_own(page: SettingsPage) -> None:
    settings = {(section.name, field.name) for section in msgspec.structs.fields(Settings)
                for field in msgspec.structs.fields(section.type)}
    assert settings == set(page.rows) | ELSEWHERE


def test_a_number_is_saved_at_once(rig: Rig, page: SettingsPage) -> None:
    type_in(number(page, "answers", "passages"), "12")
    rig.until(lambda: load(rig.services.home.settings).answers.passages == 12)
    assert rig.services.settings().answers.passages == 12


@pytest.mark.parametrize("wrong", ["0", "65", "abc", "-3", "1.5", ""])
def test_a_wrong_number_is_told_beside_the_field_and_not_saved(rig: Rig, page: SettingsPage, wrong: str) -> None:
    row = number(page, "answers", "passages")
    before = rig.services.settings()
    type_in(row, wrong)
    assert row.error.isVisible() and "1 to 64" in row.error.text()
    assert row.line.property("wrong") == "true"
    assert rig.services.settings() == before
    type_in(row, "9")
    rig.until(lambda: rig.services.settings().answers.passages == 9)
    assert not row.error.isVisible()


def test_an_emptied_number_is_automatic_where_that_means_something(rig: Rig, page: SettingsPage) -> None:
    row = number(page, "models", "threads")
    type_in(row, "3")
    rig.until(lambda: rig.services.settings().models.threads == 3)
    type_in(row, "")
    rig.until(lambda: rig.services.settings().models.threads is None)
    assert row.line.placeholderText() == "automatic"


def test_a_folder_that_is_not_there_is_told(rig: Rig, page: SettingsPage, tmp_path: Path) -> None:
    row = page.rows["embedding", "folder"]
    assert isinstance(row, FolderRow)
    type_in(row, str(tmp_path / "nowhere"))
    assert row.error.isVisible()
    assert rig.services.settings().embedding.folder is None
    type_in(row, str(tmp_path))
    rig.until(lambda: rig.services.settings().embedding.folder == str(tmp_path))
    assert not row.error.isVisible()


def test_text_size_changes_the_window(rig: Rig, page: SettingsPage) -> None:
    type_in(number(page, "window", "font_points"), "13")
    rig.until(lambda: rig.desktop.context.look.points == 13)
    assert rig.window.font().pointSize() == 13


def test_what_cannot_be_saved_is_told_beside_the_field(
    rig: Rig, page: SettingsPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_settings: Settings) -> None:
        raise StorageError("The settings can't be saved (no space left on device); check the data folder.")

    monkeypatch.setattr(rig.services.settings, "replace", refuse)
    row = page.rows["window", "theme"]
    assert isinstance(row, ChoiceRow)
    row.box.setCurrentIndex(2)
    row.box.activated.emit(2)
    rig.until(row.error.isVisible)
    assert "no space left" in row.error.text()


def test_the_data_folder_is_shown(rig: Rig, page: SettingsPage) -> None:
    assert page.folder.text() == str(rig.services.home.root)


def test_what_was_tried_on_a_network_since_start_is_told_with_how_it_is_counted(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = rig.services.home
    monkeypatch.setattr(offline, "_guarded", True)  # an audit hook stays for good, and other tests need their sockets
    monkeypatch.setenv(offline.LOG_VARIABLE, "")  # put back when this test ends
    home.network_log.parent.mkdir(parents=True, exist_ok=True)
    home.network_log.write_text("yesterday\n")
    offline.guard(home.network_log)
    rig.window.show_screen(Screen.SETTINGS)
    page = rig.window.screen_widget(Screen.SETTINGS)
    assert isinstance(page, SettingsPage)
    words = rig.window.context.words
    rig.until(lambda: page.offline.count.text() == words("offline.count", count=0))
    assert page.offline.ever.text() == words("offline.ever", count=1, log=str(home.network_log))
    assert page.offline.server.text() == words("offline.no_server")
    with home.network_log.open("a") as log:
        log.write("today\n")
    rig.window.show_screen(Screen.CASES)
    rig.window.show_screen(Screen.SETTINGS)
    rig.until(lambda: page.offline.count.text() == words("offline.count", count=1))
