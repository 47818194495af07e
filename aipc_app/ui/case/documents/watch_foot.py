"""Below the documents: the folders that the case is kept up with, how they stand, and how to stop."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QFileDialog, QFrame, QMenu, QToolButton

from aipc_app.domain.jobs import Changes
from aipc_app.domain.watching import WatchedFolder, WatchState, WatchStatus
from aipc_app.operations import watching
from aipc_app.ui.bridge.lanes import Lane
from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.basics import clear, column, icon_button, label, row, tip
from aipc_app.ui.widgets.elided import ElidedLabel

_KEYS = {WatchState.WATCHING: "documents.watched", WatchState.LOOKING: "documents.watched_looking",
         WatchState.MISSING: "documents.watched_missing"}


class WatchFoot(QFrame):
    """Follows the case that is shown; hidden while it watches nothing. `gone(ids)`: documents whose file is deleted."""

    gone = Signal(object)

    def __init__(self, context: UiContext) -> None:
        super().__init__()
        self._context = context
        self._case_id: int | None = None
        self._shown: tuple[WatchStatus, ...] = ()
        self.setProperty("kind", "foot")
        self._rows = column(self, gap=2)
        self._rows.setContentsMargins(14, 5, 8, 5)
        self.hide()
        context.bridge.changed.connect(self._changed)
        context.words.changed.connect(self._refresh)
        context.look.changed.connect(self._refresh)

    @property
    def statuses(self) -> tuple[WatchStatus, ...]:
        return self._shown

    def show_case(self, case_id: int) -> None:
        self._case_id, self._shown = case_id, ()
        self._refresh()
        self.reload()

    def reload(self) -> None:
        if self._case_id is None or not self._context.bridge.ready:
            return
        bridge, case_id = self._context.bridge, self._case_id
        bridge.start(watching.watched_folders(bridge.services, case_id=case_id), self,
                     done=lambda found: self._show(case_id, found))
        bridge.start(watching.gone_documents(bridge.services, case_id=case_id), self,
                     done=lambda gone: self.gone.emit(gone) if case_id == self._case_id else None)

    def choose(self) -> None:
        """Ask for a folder to be watched from now on."""
        dialog = QFileDialog(self, self._context.words("documents.watch"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.filesSelected.connect(lambda names: self.watch(Path(names[0])))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def watch(self, path: Path, *, removes: bool = False) -> None:
        if self._case_id is not None:
            bridge = self._context.bridge
            bridge.start(watching.watch_folder(
                bridge.services, case_id=self._case_id, path=path, removes=removes), self, lane=Lane.WORK)

    def stop(self, folder: WatchedFolder) -> None:
        """Its documents stay."""
        bridge = self._context.bridge
        bridge.start(watching.stop_watching(bridge.services, folder_id=folder.id), self, lane=Lane.WORK)

    def menu_for(self, folder: WatchedFolder) -> QMenu:
        """What happens to deleted files, and the end of it."""
        menu, words = QMenu(self), self._context.words
        rule = menu.addAction(words("documents.watch_rule"))
        rule.setCheckable(True)
        rule.setChecked(folder.removes)
        rule.triggered.connect(lambda on: self.watch(Path(folder.path), removes=on))
        menu.addSeparator()
        menu.addAction(self._context.look.icon("stop"), words("documents.watch_stop")).triggered.connect(
            lambda: self.stop(folder))
        return menu

    def _changed(self, changes: Changes) -> None:
        if self._case_id is not None and self._case_id in changes.documents:
            self.reload()

    def _show(self, case_id: int, found: tuple[WatchStatus, ...]) -> None:
        if case_id == self._case_id and found != self._shown:
            self._shown = found
            self._refresh()

    def _refresh(self) -> None:
        clear(self._rows)
        for status in self._shown:
            self._rows.addWidget(self._row(status))
        self.setVisible(bool(self._shown) and self.parent() is not None)

    def _row(self, status: WatchStatus) -> QFrame:
        words, look, made = self._context.words, self._context.look, QFrame()
        across = row(made, gap=6)
        mark = label()
        missing = status.state is WatchState.MISSING
        colour = look.tokens.warn if missing else look.tokens.muted
        mark.setPixmap(look.icon("warning" if missing else "folder", colour).pixmap(16, 16))
        path = Path(status.folder.path)
        told = words(_KEYS[status.state], name=path.name or str(path))
        if status.gone:
            told += " · " + words("documents.watched_gone", count=status.gone)
        text = ElidedLabel(told, "small")
        text.setToolTip(tip(f"{told}: {path}"))
        more = icon_button(words, look, "more", "documents.watch_more")
        more.clicked.connect(partial(self._offer, status.folder, more))
        across.addWidget(mark)
        across.addWidget(text, 1)
        across.addWidget(more)
        return made

    def _offer(self, folder: WatchedFolder, button: QToolButton) -> None:
        menu = self.menu_for(folder)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(button.mapToGlobal(QPoint(0, button.height())))
