"""What can be done at once about a document, or a page of it, that could not be read well."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from aipc_app.domain.documents import Document
from aipc_app.operations import documents, opening
from aipc_app.ui.bridge.lanes import Lane
from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.basics import button
from aipc_app.ui.widgets.dialogs import ask_name
from aipc_app.ui.widgets.empty import EmptyState


class Remedies:
    """Reads again, asks for a password, opens the original; its buttons stand where there are no pages."""

    def __init__(self, context: UiContext, owner: QWidget, no_pages: EmptyState) -> None:
        self._context, self._owner = context, owner
        self._document: Document | None = None
        words = context.words
        self.again = button(words, "viewer.read_again", lambda: self.read_again(self._document), "primary")
        self.password = button(words, "documents.password", lambda: self.ask_password(self._document))
        self.original = button(words, "viewer.open_original", lambda: self.open_original(self._document))
        for made in (self.again, self.password, self.original):
            no_pages.buttons.addWidget(made)

    def show_document(self, document: Document) -> None:
        """Which of them help with this document."""
        self._document = document
        stuck = document.status.settled and not document.status.readable
        for made in (self.again, self.password):
            made.setVisible(stuck)
        self.original.setVisible(document.status.settled)

    def read_again(self, document: Document | None, password: str | None = None) -> None:
        if document is not None:
            bridge = self._context.bridge
            bridge.start(documents.retry_document(bridge.services, document_id=document.id, password=password),
                         self._owner, lane=Lane.WORK)

    def ask_password(self, document: Document | None) -> None:
        ask_name(self._owner, self._context.words, "documents.password_title", "documents.password_do",
                 lambda password: self.read_again(document, password), secret=True)

    def open_original(self, document: Document | None) -> None:
        """In the program that the system has for such files."""
        if document is not None:
            bridge = self._context.bridge
            bridge.start(opening.copy_to_open(bridge.services, document_id=document.id), self._owner,
                         lane=Lane.WORK, done=self._open)

    def _open(self, path: Path) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))
