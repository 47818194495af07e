"""A review to a file: in which format, and which findings."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QCheckBox, QComboBox, QDialog, QFileDialog, QWidget

from aipc_app.operations import reviewing
from aipc_app.ui.bridge.lanes import Lane
from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.basics import button, column, label, row, said

FORMATS = ("docx", "pdf", "xlsx", "json")


class ExportDialog(QDialog):
    """Asks for the format and for which findings; then where."""

    def __init__(self, parent: QWidget, context: UiContext, review_id: int, name: str) -> None:
        super().__init__(parent)
        self._owner = parent
        self._context, self._review_id, self._name = context, review_id, name
        words = context.words
        self.setWindowTitle(words("review.export"))
        self.setMinimumWidth(400)
        inside = column(self, margin=20, gap=10)
        inside.addWidget(said(words, "review.export", "heading"))
        self.format = QComboBox()
        self.format.setAccessibleName(words("review.format"))
        for ending in FORMATS:
            self.format.addItem(words(f"review.format_{ending}"), ending)
        inside.addWidget(self.format)
        self.accepted_only = QCheckBox(words("review.accepted_only"))
        inside.addWidget(self.accepted_only)
        inside.addWidget(label(words("review.export_hint"), "muted", wrap=True))
        buttons = row()
        buttons.addStretch(1)
        buttons.addWidget(button(words, "dialog.cancel", self.reject))
        self.accept_button = button(words, "review.choose_file", self.accept, "primary")
        self.accept_button.setDefault(True)
        buttons.addWidget(self.accept_button)
        inside.addLayout(buttons)
        self.accepted.connect(self._choose_file)

    def _choose_file(self) -> None:
        ending, words = str(self.format.currentData()), self._context.words
        accepted_only = self.accepted_only.isChecked()
        owner = self._owner
        dialog = QFileDialog(owner, words("review.export"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters([f"{words(f'review.format_{ending}')} (*.{ending})"])
        dialog.setDefaultSuffix(ending)
        dialog.selectFile(f"{self._name}.{ending}")
        context, review_id = self._context, self._review_id
        dialog.fileSelected.connect(
            lambda name: export_to(owner, context, review_id, Path(name), accepted_only=accepted_only))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()


def export_to(
    owner: QWidget, context: UiContext, review_id: int, path: Path, *, accepted_only: bool
) -> None:
    """Write it, off the window's thread, and say so."""
    op = reviewing.export_review(context.services, review_id=review_id, path=path, accepted_only=accepted_only)
    context.bridge.start(op, owner, lane=Lane.WORK,
                         done=lambda written: context.notices.tell(context.words("export.done", name=written.name)))
