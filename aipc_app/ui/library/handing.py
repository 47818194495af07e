"""Hands the law library on as one file, or takes one in, with progress and a way to stop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QFrame, QProgressBar, QWidget

from aipc_app.ingest.library_transfer import Exported, Imported
from aipc_app.operations.library import SUFFIX, export_library, import_library
from aipc_app.operations.op import Op
from aipc_app.ui.bridge.lanes import Lane
from aipc_app.ui.bridge.running import Running
from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.basics import button, label, row, with_icon


class Handing(QFrame):
    """One at a time; hidden while there is none. `give` and `take` are its buttons, placed by the screen."""

    def __init__(self, context: UiContext, owner: QWidget) -> None:
        super().__init__()
        self._context, self._owner = context, owner
        self._running: Running | None = None
        self._next: list[Path] = []
        self.setProperty("kind", "quiet-card")
        inside = row(self, gap=12)
        inside.setContentsMargins(18, 8, 14, 8)
        self.said = label()
        self.bar = QProgressBar(textVisible=False)
        self.bar.setRange(0, 1000)
        inside.addWidget(self.said)
        inside.addWidget(self.bar, 1)
        inside.addWidget(button(context.words, "library.stop", self._stop))
        self.take = button(context.words, "library.take", self._choose_to_take)
        self.give = button(context.words, "library.give", self._choose_to_give)
        for made, icon in ((self.take, "import"), (self.give, "export")):
            with_icon(made, context.look, icon)
        self.hide()

    def give_to(self, target: Path) -> None:
        """Write the library into a file."""
        target = target if target.suffix == SUFFIX else target.with_name(target.name + SUFFIX)
        services = self._context.bridge.services
        self._begin("library.giving", target, export_library(services, target=target), self._given)

    def take_from(self, path: Path) -> None:
        """Take a package into the library."""
        services = self._context.bridge.services
        self._begin("library.taking", path, import_library(services, path=path), self._taken)

    def take_all(self, paths: Sequence[Path]) -> None:
        """One after the other, after what is going on."""
        self._next += paths
        self._take_next()

    def _take_next(self) -> None:
        if self._next and self._running is None:
            self.take_from(self._next.pop(0))

    def _begin(self, key: str, path: Path, operation: Op[Exported] | Op[Imported], done: Callable[..., None]) -> None:
        if self._running is not None:
            return
        self.said.setText(self._context.words(key, name=path.name))
        self.bar.setValue(0)
        self._set_busy(True)
        self._running = self._context.bridge.start(
            operation, self, lane=Lane.WORK, done=done, ended=self._ended,
            events=lambda batch: self.bar.setValue(int(1000 * batch[-1].share)),
        )  # fmt: skip

    def _given(self, written: Exported) -> None:
        words = self._context.words
        key = "library.given_but" if written.left_out else "library.given"
        self._context.notices.tell(words(key, count=written.documents, left_out=written.left_out))

    def _taken(self, taken: Imported) -> None:
        key = "library.taken_to_embed" if taken.to_embed else "library.taken"
        self._context.notices.tell(self._context.words(key, count=taken.documents, known=taken.known))

    def _ended(self) -> None:
        self._running = None
        self._set_busy(False)
        self._take_next()

    def _set_busy(self, on: bool) -> None:
        self.setVisible(on)
        for made in (self.take, self.give):
            made.setEnabled(not on)

    def _stop(self) -> None:
        self._next.clear()
        if self._running is not None:
            self._running.cancel()

    def _choose_to_take(self) -> None:
        dialog = self._dialog("library.take", self.take_from)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.open()

    def _choose_to_give(self) -> None:
        dialog = self._dialog("library.give", self.give_to)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(SUFFIX[1:])
        dialog.selectFile("laws" + SUFFIX)
        dialog.open()

    def _dialog(self, title: str, then: Callable[[Path], object]) -> QFileDialog:
        dialog = QFileDialog(self._owner, self._context.words(title))
        dialog.setNameFilter(f"AIPC (*{SUFFIX})")
        dialog.filesSelected.connect(lambda names: then(Path(names[0])))
        dialog.finished.connect(dialog.deleteLater)
        return dialog
