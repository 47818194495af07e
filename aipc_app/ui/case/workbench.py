"""Three panes side by side: documents, what is asked of them, the page an answer rests on."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QWidget

from aipc_app.domain.documents import Document
from aipc_app.domain.fields import DocumentField
from aipc_app.domain.jobs import Changes
from aipc_app.ui.case.documents.pane import DocumentsPane
from aipc_app.ui.case.middle import MiddlePane
from aipc_app.ui.case.viewer.pane import Place, ViewerPane
from aipc_app.ui.commands import Command
from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.file_drop import FileDrop

_SHARES = (236, 424, 424)


class Workbench(QSplitter):
    """Passes between its panes what one of them wants of another."""

    def __init__(self, context: UiContext, middle: MiddlePane) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.documents = DocumentsPane(context)
        self.middle = middle
        self.viewer = ViewerPane(context)
        for pane in (self.documents, middle, self.viewer):
            self.addWidget(pane)
        self.setChildrenCollapsible(False)
        self.setHandleWidth(1)
        self.setSizes(list(_SHARES))
        for place, share in enumerate((0, 3, 3)):
            self.setStretchFactor(place, share)
        self.documents.opened.connect(self._open_document)
        self.documents.place_wanted.connect(self._open_field)
        self.documents.included_changed.connect(self._pass_included)
        middle.opened.connect(self.viewer.show_place)
        middle.files.connect(self.documents.add_paths)
        context.bridge.changed.connect(self._changed)

    def drop_on(self, screen: QWidget, context: UiContext, key: str) -> FileDrop:
        """Files dropped anywhere on `screen` go into the documents."""
        drop = FileDrop(screen, context.words, key)
        drop.dropped.connect(self._take_files)
        return drop

    def show_case(self, case_id: int) -> None:
        self.documents.show_case(case_id)
        self._pass_included()
        self.viewer.clear()

    def command(self, command: Command) -> bool:
        """What the keyboard asks for, once the middle had its say."""
        match command:
            case Command.ADD:
                self.documents.actions_.choose_files()
            case Command.NEXT_PANE:
                self.next_pane()
            case _:
                return self.middle.command(command)
        return True

    def next_pane(self) -> None:
        """Move the focus one pane on."""
        panes = (self.documents.view, self.middle.main_field, self._viewer_body())
        inside = [i for i, pane in enumerate(self._panes()) if pane.isAncestorOf(self.focusWidget() or self)]
        panes[(inside[0] + 1 if inside else 0) % len(panes)].setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _panes(self) -> tuple[QWidget, ...]:
        return (self.documents, self.middle, self.viewer)

    def _viewer_body(self) -> QWidget:
        return self.viewer.body.currentWidget() or self.viewer

    def _open_document(self, document: Document) -> None:
        self.viewer.show_place(Place(document.id))

    def _open_field(self, document: Document, field: DocumentField) -> None:
        if field.page is not None and field.start is not None and field.end is not None:
            self.viewer.show_place(Place(document.id, field.page, (field.start, field.end)))

    def _changed(self, changes: Changes) -> None:
        for document_id in changes.pages:
            self.viewer.refresh(document_id)

    def _pass_included(self) -> None:
        self.middle.conversation.included = self.documents.included

    def _take_files(self, paths: list[Path]) -> None:
        self.documents.add_paths(paths)
