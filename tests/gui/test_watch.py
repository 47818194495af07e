"""A case kept up with a folder: chosen in the menu, its state visible, ended by the user."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel

from aipc_app.domain.watching import WatchState
from aipc_app.ui.case.documents.pane import DocumentsPane
from tests.gui.conftest import WAIT_MS, Rig


@pytest.fixture
def reading() -> bool:
    return True


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "卷宗"
    made.mkdir()
    old = made / "借条.txt"
    old.write_text("借款五十万元。", encoding="utf-8")
    rest(old)
    return made


def rest(path: Path) -> None:
    """As if it had been there for long."""
    import os

    os.utime(path, (1_600_000_000, 1_600_000_000))


def pane(rig: Rig) -> DocumentsPane:
    found = rig.case_page.bench.documents
    assert isinstance(found, DocumentsPane)
    return found


def names(rig: Rig) -> list[str]:
    return [row.document.name for row in pane(rig).model.rows]


def told(rig: Rig) -> str:
    return " ".join(made.text() for made in pane(rig).watching.findChildren(QLabel) if made.text())


def test_a_folder_is_watched_until_the_user_ends_it(rig: Rig, folder: Path) -> None:
    rig.open_case()
    documents = pane(rig)
    assert not documents.watching.isVisible()
    documents.watching.watch(folder)
    rig.until(lambda: "借条.txt" in names(rig))
    rig.until(lambda: documents.watching.isVisible() and "Watching 卷宗" in told(rig))
    late = folder / "收据.txt"
    late.write_text("收到二十万元。", encoding="utf-8")
    rest(late)
    rig.services.watcher.look_now()
    rig.until(lambda: "收据.txt" in names(rig))
    menu = documents.watching.menu_for(documents.watching.statuses[0].folder)
    menu.actions()[-1].trigger()
    rig.until(lambda: not documents.watching.isVisible())
    menu.deleteLater()
    assert {"借条.txt", "收据.txt"} <= set(names(rig))


def test_a_deleted_file_is_marked_in_the_list(rig: Rig, folder: Path) -> None:
    rig.open_case()
    documents = pane(rig)
    second = folder / "b.txt"
    second.write_text("另一份。", encoding="utf-8")
    rest(second)
    documents.watching.watch(folder)
    rig.until(lambda: {"借条.txt", "b.txt"} <= set(names(rig)))
    second.unlink()
    rig.services.watcher.look_now()
    rig.until(lambda: any(row.gone for row in documents.model.rows))
    assert [row.document.name for row in documents.model.rows if row.gone] == ["b.txt"]
    rig.until(lambda: "1 deleted there" in told(rig))


def test_the_rule_for_deleted_files_is_the_users(rig: Rig, folder: Path) -> None:
    rig.open_case()
    documents = pane(rig)
    second = folder / "b.txt"
    second.write_text("另一份。", encoding="utf-8")
    rest(second)
    documents.watching.watch(folder)
    rig.until(lambda: len(documents.watching.statuses) == 1 and "b.txt" in names(rig))
    menu = documents.watching.menu_for(documents.watching.statuses[0].folder)
    menu.actions()[0].trigger()
    menu.deleteLater()
    rig.until(lambda: documents.watching.statuses[0].folder.removes)
    second.unlink()
    rig.services.watcher.look_now()
    rig.until(lambda: "b.txt" not in names(rig))


def test_a_folder_that_is_away_is_told(rig: Rig, folder: Path, tmp_path: Path) -> None:
    rig.open_case()
    documents = pane(rig)
    documents.watching.watch(folder)
    rig.until(lambda: "借条.txt" in names(rig))
    folder.rename(tmp_path / "away")
    rig.services.watcher.look_now()
    rig.until(lambda: documents.watching.statuses[0].state is WatchState.MISSING)
    rig.until(lambda: "卷宗 isn't there" in told(rig))
    assert "借条.txt" in names(rig)


def test_a_folder_that_is_not_there_is_a_sentence(rig: Rig, tmp_path: Path) -> None:
    rig.open_case()
    with rig.qtbot.waitSignal(rig.desktop.context.bridge.failed, timeout=WAIT_MS):
        pane(rig).watching.watch(tmp_path / "none")
    rig.until(rig.window.banner.isVisible)
    assert "There is no folder" in rig.window.banner.text.text()
