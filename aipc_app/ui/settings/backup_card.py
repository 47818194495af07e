"""Everything into one file, and such a file back in the place of what is here."""

from __future__ import annotations

import time
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QFrame, QProgressBar, QWidget

from aipc_app.operations import backup
from aipc_app.operations.op import Op
from aipc_app.store.archive import Manifest
from aipc_app.store.restoring import Restored
from aipc_app.ui.bridge.lanes import Lane
from aipc_app.ui.bridge.running import Running
from aipc_app.ui.context import UiContext
from aipc_app.ui.problems import translate_error
from aipc_app.ui.widgets.basics import button, column, label, row, said, with_icon
from aipc_app.ui.widgets.dialogs import ConfirmDialog, confirm


class BackupCard(QFrame):
    """One backup or restore at a time; `dialog` while one asks."""

    def __init__(self, context: UiContext) -> None:
        super().__init__()
        self._context = context
        self._running: Running | None = None
        self.dialog: ConfirmDialog | None = None
        self.setProperty("kind", "card")
        words = context.words
        inside = column(self, gap=11)
        inside.setContentsMargins(18, 13, 18, 13)
        across = row(gap=8)
        across.addWidget(said(words, "backup.hint", "small", wrap=True), 1)
        self.back_up = button(words, "backup.back_up", self._choose_target)
        with_icon(self.back_up, context.look, "export")
        self.restore = button(words, "backup.restore", self._choose_source)
        with_icon(self.restore, context.look, "import")
        across.addWidget(self.back_up)
        across.addWidget(self.restore)
        inside.addLayout(across)
        self.progress = QWidget()
        going = row(self.progress, gap=12)
        self.doing, self.bar = label(), QProgressBar(textVisible=False)
        self.bar.setRange(0, 1000)
        words.bind(self.bar, self.bar.setAccessibleName, "backup.progress")
        self.stop = button(words, "backup.stop", self._stop)
        going.addWidget(self.doing)
        going.addWidget(self.bar, 1)
        going.addWidget(self.stop)
        inside.addWidget(self.progress)
        self.waiting = QWidget()
        waits = row(self.waiting, gap=12)
        waits.addWidget(said(words, "backup.waits", "strong", wrap=True), 1)
        self.drop = button(words, "backup.drop", self._drop)
        waits.addWidget(self.drop)
        inside.addWidget(self.waiting)
        self.note = label(kind="error", wrap=True)
        self.note.hide()
        inside.addWidget(self.note)
        self.progress.hide()
        self.waiting.hide()
        self._look()

    def back_up_to(self, path: Path) -> None:
        """Begin."""
        operation = backup.back_up(self._context.services, path=path)
        self._begin(operation, "backup.backing_up", lambda manifest: self._backed_up(manifest, path))

    def restore_from(self, path: Path) -> None:
        """Verify it now; it is exchanged at the next start."""
        operation = backup.restore_at_next_start(self._context.services, path=path)
        self._begin(operation, "backup.verifying", self._prepared)

    def _choose_target(self) -> None:
        dialog = QFileDialog(self, self._context.words("backup.back_up"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilter(f"AIPC (*{backup.SUFFIX})")
        dialog.setDefaultSuffix(backup.SUFFIX.lstrip("."))
        dialog.selectFile(f"AIPC {time.strftime('%Y-%m-%d')}{backup.SUFFIX}")
        dialog.fileSelected.connect(lambda name: self.back_up_to(Path(name)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _choose_source(self) -> None:
        dialog = QFileDialog(self, self._context.words("backup.restore"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilter(f"AIPC (*{backup.SUFFIX})")
        dialog.fileSelected.connect(lambda name: self.ask_restore(Path(name)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def ask_restore(self, path: Path) -> None:
        """Say what happens to what is here, and ask."""
        words = self._context.words
        self.dialog = confirm(self, words, words("backup.restore_title", name=path.name),
                              words("backup.restore_sentence"), "backup.restore_now", lambda: self.restore_from(path))

    def _begin(self, operation: Op, key: str, done) -> None:  # type: ignore[no-untyped-def, type-arg]
        if self._running is not None:
            return
        self.doing.setText(self._context.words(key))
        self.bar.setValue(0)
        self.note.hide()
        self.progress.show()
        self._allow(False)
        self._running = self._context.bridge.start(
            operation, self, lane=Lane.WORK, events=lambda batch: self.bar.setValue(int(float(batch[-1]) * 1000)),
            done=done, failed=self._failed, ended=self._ended)

    def _backed_up(self, manifest: Manifest, path: Path) -> None:
        words, lacking = self._context.words, len(manifest.missing) + len(manifest.damaged)
        self._context.notices.tell(words("backup.done", name=path.name, count=len(manifest.files)))
        if lacking:
            self._say(words("backup.lacking", count=lacking))

    def _prepared(self, _restored: Restored) -> None:
        self.waiting.show()

    def _failed(self, error: BaseException) -> None:
        self._say(translate_error(error, self._context.words).sentence)

    def _say(self, sentence: str) -> None:
        self.note.setText(sentence)
        self.note.show()

    def _ended(self) -> None:
        self._running = None
        self.progress.hide()
        self._allow(True)

    def _allow(self, on: bool) -> None:
        self.back_up.setEnabled(on)
        self.restore.setEnabled(on)

    def _stop(self) -> None:
        if self._running is not None:
            self._running.cancel()

    def _drop(self) -> None:
        bridge = self._context.bridge
        bridge.start(backup.drop_restore(bridge.services), self, done=lambda _none: self.waiting.hide())

    def _look(self) -> None:
        bridge = self._context.bridge
        bridge.start(backup.restore_waits(bridge.services), self, done=self.waiting.setVisible)
