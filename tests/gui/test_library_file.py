"""The law library as a file, from its screen."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

from aipc_app.domain.documents import LIBRARY_ID, Document
from aipc_app.ui.library.page import LibraryPage
from aipc_app.ui.screens import Screen

from .conftest import Rig

LAW = "第六百七十九条 自然人之间的借款合同，自贷款人提供借款时成立。"


def library_page(rig: Rig) -> LibraryPage:
    rig.window.show_screen(Screen.LIBRARY)
    page = rig.window.screen_widget(Screen.LIBRARY)
    assert isinstance(page, LibraryPage)
    return page


def add_law(rig: Rig, folder: Path) -> Document:
    """With its bytes, unlike `rig.store_document`."""
    source = folder / "民法典.md"
    source.write_text(LAW, encoding="utf-8")
    store = rig.services.store
    made = rig.store_document(store.cases.get(LIBRARY_ID), "民法典.md", LAW)
    sha256, size = store.originals.put(source)
    with store._database.write() as connection:
        connection.execute("UPDATE documents SET sha256 = ?, size = ? WHERE id = ?", (sha256, size, made.id))
    return store.documents.get(made.id)


def test_the_library_is_handed_on_and_taken_in(rig: Rig, tmp_path: Path) -> None:
    law = add_law(rig, tmp_path)
    page = library_page(rig)
    page.handing.give_to(tmp_path / "laws")
    rig.until(lambda: (tmp_path / "laws.aipclib").exists() and not page.handing.isVisible())
    rig.services.store.documents.unlink(LIBRARY_ID, law.id)
    page.handing.take_from(tmp_path / "laws.aipclib")
    rig.until(lambda: not page.handing.isVisible())
    (taken,) = rig.services.store.documents.of_case(LIBRARY_ID)
    assert (taken.name, taken.passages) == ("民法典.md", 1)
    rig.until(lambda: page.bench.documents.model.rows)


def test_what_is_no_package_is_told_and_the_buttons_come_back(rig: Rig, tmp_path: Path) -> None:
    page = library_page(rig)
    (tmp_path / "other.aipclib").write_text("nothing")
    page.handing.take_from(tmp_path / "other.aipclib")
    rig.until(lambda: page.handing.take.isEnabled())
    assert rig.services.store.documents.of_case(LIBRARY_ID) == ()


def test_the_buttons_ask_for_a_file(rig: Rig) -> None:
    page = library_page(rig)
    QTest.mouseClick(page.handing.give, Qt.MouseButton.LeftButton)
    dialog = page.findChild(QFileDialog)
    assert dialog is not None and dialog.defaultSuffix() == "aipclib"
    dialog.reject()
