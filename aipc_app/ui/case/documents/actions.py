"""What can be done with a case's documents."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from aipc_app.domain.documents import Document
from aipc_app.ingest.report import Added
from aipc_app.operations import documents
from aipc_app.ui.bridge.lanes import Lane
from aipc_app.ui.case.documents.model import DocumentsModel
from aipc_app.ui.context import UiContext
from aipc_app.ui.problems import Problem
from aipc_app.ui.widgets.dialogs import ask_name
from aipc_app.ui.widgets.file_drop import dropped_paths


class DocumentActions:
    """Starts the operations for `case_id`, set by the pane."""

    def __init__(self, context: UiContext, owner: QWidget, model: DocumentsModel) -> None:
        self._context, self._owner, self._model = context, owner, model
        self.case_id: int | None = None

    def add(self, paths: Sequence[Path]) -> None:
        """Hash, store and queue; the list shows them as they come."""
        if self.case_id is None or not paths:
            return
        bridge = self._context.bridge
        bridge.start(documents.add_files(bridge.services, case_id=self.case_id, paths=paths), self._owner,
                     lane=Lane.WORK, done=self._added)

    def choose_files(self) -> None:
        dialog = QFileDialog(self._owner, self._context.words("documents.add_files"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        self._choose(dialog)

    def choose_folder(self) -> None:
        dialog = QFileDialog(self._owner, self._context.words("documents.add_folder"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        self._choose(dialog)

    def paste(self) -> None:
        """Files copied in the file manager."""
        data = QGuiApplication.clipboard().mimeData()
        self.add(dropped_paths(data) if data is not None else ())

    def reorder(self, ids: list[int]) -> None:
        if self.case_id is not None:
            bridge = self._context.bridge
            bridge.start(documents.reorder_documents(
                bridge.services, case_id=self.case_id, document_ids=ids), self._owner)

    def remove(self, document: Document) -> None:
        """Gone from the list at once, from the case when it can't be undone any more."""
        case_id = self.case_id
        if case_id is None:
            return
        self._context.notices.settle.emit()
        self._model.hide(document.id, True)
        self._context.notices.tell(
            self._context.words("documents.removed", name=document.name),
            undo=lambda: self._bring_back(document),
            expired=lambda: self._unlink(case_id, document),
        )

    def retry(self, document: Document, password: str | None = None) -> None:
        bridge = self._context.bridge
        bridge.start(documents.retry_document(
            bridge.services, document_id=document.id, password=password), self._owner, lane=Lane.WORK)

    def ask_password(self, document: Document) -> None:
        ask_name(self._owner, self._context.words, "documents.password_title", "documents.password_do",
                 lambda password: self.retry(document, password), secret=True)

    def cancel(self, document: Document) -> None:
        bridge = self._context.bridge
        bridge.start(documents.cancel_document(bridge.services, document_id=document.id), self._owner, lane=Lane.WORK)

    def _added(self, added: tuple[Added, ...]) -> None:
        """What is not seen in the list has to be told: files that could not be taken, and those known already."""
        words, notices = self._context.words, self._context.notices
        problems = [item for item in added if item.problem]
        known = [item for item in added if item.duplicate]
        if problems:
            first = words.sentence(problems[0].problem)
            notices.show_problem(Problem(words("documents.not_taken", count=len(problems), first=first)))
        if known:
            notices.tell(words("documents.known", count=len(known), name=known[0].source.name))

    def _bring_back(self, document: Document) -> None:
        self._model.hide(document.id, False)
        self._owner.reload()  # type: ignore[attr-defined]

    def _unlink(self, case_id: int, document: Document) -> None:
        bridge = self._context.bridge
        if bridge.ready:
            bridge.start(documents.remove_document(
                bridge.services, case_id=case_id, document_id=document.id), self._owner, lane=Lane.WORK,
                ended=lambda: self._bring_back(document))  # gone by now, or else it shows again

    def _choose(self, dialog: QFileDialog) -> None:
        dialog.filesSelected.connect(lambda names: self.add([Path(name) for name in names]))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
