"""Files opened from the desktop: by the first start, and by a second one while the window is open."""

from __future__ import annotations

import threading
from pathlib import Path

from aipc_app.domain.documents import LIBRARY_ID
from aipc_app.operations.library import export_library
from aipc_app.store import doorstep
from aipc_app.store.home_lock import locked
from aipc_app.ui.library.page import LibraryPage
from aipc_app.ui.screens import Screen
from aipc_app.ui.settings.page import SettingsPage
from aipc_app.ui.widgets.dialogs import NameDialog

from .conftest import Rig
from .test_library_file import add_law


def package(rig: Rig, folder: Path) -> Path:
    """A law library as a file; the library here is without it again."""
    law = add_law(rig, folder)
    export_library(rig.services, target=folder / "laws.aipclib").run()
    rig.services.store.documents.unlink(LIBRARY_ID, law.id)
    return folder / "laws.aipclib"


def test_a_law_library_is_taken_in_and_shown(rig: Rig, tmp_path: Path) -> None:
    rig.desktop.look_at([package(rig, tmp_path)])
    assert isinstance(rig.window.stack.currentWidget(), LibraryPage)
    rig.until(lambda: rig.services.store.documents.of_case(LIBRARY_ID))
    (taken,) = rig.services.store.documents.of_case(LIBRARY_ID)
    assert taken.name == "民法典.md"


def test_two_libraries_are_taken_one_after_the_other(rig: Rig, tmp_path: Path) -> None:
    (tmp_path / "bad.aipclib").write_text("nothing")
    rig.desktop.look_at([tmp_path / "bad.aipclib", package(rig, tmp_path)])
    rig.until(lambda: rig.services.store.documents.of_case(LIBRARY_ID))


def test_a_backup_is_asked_about_before_anything_happens(rig: Rig, tmp_path: Path) -> None:
    (tmp_path / "b.aipcbackup").write_bytes(b"")
    rig.desktop.look_at([tmp_path / "b.aipcbackup"])
    page = rig.window.stack.currentWidget()
    assert isinstance(page, SettingsPage) and page.backup.dialog is not None and page.backup.dialog.isVisible()
    page.backup.dialog.reject()


def test_documents_become_a_new_case_that_one_names(rig: Rig, tmp_path: Path) -> None:
    (tmp_path / "合同.txt").write_text("借款合同", encoding="utf-8")
    rig.desktop.look_at([tmp_path / "合同.txt"])
    dialog = rig.cases_page.findChild(NameDialog)
    assert dialog is not None and dialog.field.text() == "合同"
    dialog.accept()
    rig.until(lambda: [case.name for case in rig.services.store.cases.list()] == ["合同"])
    rig.until(lambda: rig.window.stack.currentWidget() is rig.case_page)


def test_a_second_start_hands_its_files_to_the_window(rig: Rig, tmp_path: Path) -> None:
    """The window is elsewhere; it goes to the library and takes the file. The second start ends with success."""
    rig.window.show_screen(Screen.MODELS)
    file, taken = package(rig, tmp_path), []
    second = threading.Thread(target=lambda: taken.append(doorstep.hand_over(rig.services.home, (file,), wait_s=30)))
    with locked(rig.services.home):
        second.start()
        rig.until(lambda: not second.is_alive())
    assert taken == [True]
    assert isinstance(rig.window.stack.currentWidget(), LibraryPage)
    rig.until(lambda: rig.services.store.documents.of_case(LIBRARY_ID))


def test_a_start_without_files_brings_the_window_forward(rig: Rig) -> None:
    rig.window.showMinimized()
    rig.desktop.look_at([])
    assert not rig.window.isMinimized() and rig.window.isVisible()
