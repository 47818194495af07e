"""Documents of one case: add, order, leave out of a question, remove, see what needs attention."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QPoint, QTimer, Signal
from PySide6.QtGui import QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QFrame, QMenu, QStackedWidget

from aipc_app.domain.documents import Document
from aipc_app.domain.fields import DocumentField
from aipc_app.domain.jobs import Changes, Job
from aipc_app.operations import details, documents
from aipc_app.operations.op import after
from aipc_app.ui.case.documents.actions import DocumentActions
from aipc_app.ui.case.documents.delegate import DocumentDelegate
from aipc_app.ui.case.documents.details import DetailsDialog
from aipc_app.ui.case.documents.memory_foot import MemoryFoot
from aipc_app.ui.case.documents.model import DocumentsModel
from aipc_app.ui.case.documents.rows import DocumentRow, Listing, compared
from aipc_app.ui.case.documents.view import DocumentsView
from aipc_app.ui.case.documents.watch_foot import WatchFoot
from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.basics import button, column, frame, icon_button, label, row, said, with_icon
from aipc_app.ui.widgets.empty import EmptyState

_PAUSE_MS = 60  # at least, between two looks at the store
_ROWS_A_MS = 4  # the longer the list, the longer the pause


class DocumentsPane(QFrame):
    """`opened(Document)` when one is to be seen; `included_changed` when another set would be asked.

    `place_wanted(Document, DocumentField)` when it is to be seen where a field stands.
    """

    opened = Signal(object)
    included_changed = Signal()
    place_wanted = Signal(object, object)

    def __init__(self, context: UiContext) -> None:
        super().__init__()
        self._context = context
        self._case_id: int | None = None
        self._stale = False  # something changed while nobody looked
        self._waiting: Changes | None = None  # what changed since the list was asked for last
        self._pause = QTimer(self, singleShot=True)
        self._pause.timeout.connect(self._after_pause)
        self.details: DetailsDialog | None = None
        self.setProperty("kind", "pane")
        self.setMinimumWidth(200)
        self.model = DocumentsModel(context.words)
        self.view = DocumentsView(self.model, context.look)
        self._delegate = DocumentDelegate(context.look, context.words)
        self.view.setItemDelegate(self._delegate)
        context.words.bind(self.view, self.view.setAccessibleName, "documents.list")
        self.actions_ = DocumentActions(context, self, self.model)
        self.count = label(kind="small")
        self.empty = EmptyState(context.words, context.look, "file", "documents.none", "documents.none_hint")
        self.add = icon_button(context.words, context.look, "plus", "documents.add")
        self.body = QStackedWidget()
        self.memory = MemoryFoot(context, self.model)
        self.left_out = frame("foot")
        self._left_out_text = label(kind="small")
        self.watching = WatchFoot(context)
        self._lay_out()
        self._connect()

    @property
    def case_id(self) -> int | None:
        return self._case_id

    @property
    def included(self) -> frozenset[int] | None:
        """As `DocumentsModel.included`."""
        return self.model.included

    def show_case(self, case_id: int) -> None:
        self._case_id = case_id
        self.actions_.case_id = case_id
        self.model.forget()
        self.memory.show_case(case_id)
        self.watching.show_case(case_id)
        self.reload()

    def reload(self) -> None:
        if self._case_id is None or not self._context.bridge.ready:
            return
        bridge, case_id = self._context.bridge, self._case_id
        rows, version = self.model.rows, self.model.version
        listed = after(documents.list_documents(bridge.services, case_id=case_id),
                       lambda found: compared(rows, version, found))
        bridge.start(listed, self, done=lambda listing: self._show(case_id, listing))

    def add_paths(self, paths: Sequence[Path]) -> None:
        """Take files and folders into the case."""
        self.actions_.add(paths)

    def _lay_out(self) -> None:
        words, look = self._context.words, self._context.look
        inside = column(self, gap=0)
        head = row(gap=6)
        head.setContentsMargins(14, 10, 8, 8)
        head.addWidget(said(words, "documents.title", "heading"))
        head.addWidget(self.count)
        head.addStretch(1)
        head.addWidget(self.add)
        inside.addLayout(head)
        choose = button(words, "documents.add_files", self.actions_.choose_files, "primary")
        with_icon(choose, look, "plus", "on_accent")
        folder = button(words, "documents.add_folder", self.actions_.choose_folder)
        self.empty.buttons.addWidget(choose)
        self.empty.buttons.addWidget(folder)
        self.body.addWidget(self.view)
        self.body.addWidget(self.empty)
        inside.addWidget(self.body, 1)
        inside.addWidget(self._drop_hint())
        foot = row(self.left_out, gap=4)
        foot.setContentsMargins(14, 5, 8, 5)
        self._left_out_text.setWordWrap(True)
        foot.addWidget(self._left_out_text, 1)
        foot.addWidget(button(words, "documents.include_all", self.model.include_all, "link"))
        inside.addWidget(self.left_out)
        self.left_out.hide()
        inside.addWidget(self.watching)
        inside.addWidget(self.memory)

    def _drop_hint(self) -> QFrame:
        self.drop_zone = frame("drop-zone")
        inside = column(self.drop_zone, margin=8)
        hint = said(self._context.words, "documents.drop_hint", "small", wrap=True)
        inside.addWidget(hint)
        around = frame("pane")
        outer = column(around)
        outer.setContentsMargins(10, 4, 10, 10)
        outer.addWidget(self.drop_zone)
        return around

    def _connect(self) -> None:
        context = self._context
        self.add.clicked.connect(self._offer_adding)
        self.view.opened.connect(lambda shown: self.opened.emit(shown.document))
        self.view.menu.connect(self._menu)
        self.view.remove.connect(lambda shown: self.actions_.remove(shown.document))
        self.watching.gone.connect(self.model.set_gone)
        self.model.reordered.connect(self.actions_.reorder)
        self.model.inclusion_changed.connect(self._included_changed)
        context.bridge.changed.connect(self._changed)
        for changed in (context.words.changed, context.look.changed):
            changed.connect(self._repaint)
        paste = QShortcut(QKeySequence(QKeySequence.StandardKey.Paste), self.view)
        paste.setContext(paste.context().WidgetShortcut)
        paste.activated.connect(self.actions_.paste)

    def _changed(self, changes: Changes) -> None:
        if self._case_id is None or not (self._case_id in changes.documents or changes.pages or changes.jobs):
            return
        if not self.isVisible():
            self._stale = True
        elif self._pause.isActive():
            self._waiting = changes if self._waiting is None else self._waiting | changes
        else:
            self._reload_all(changes)

    def _after_pause(self) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None and self.isVisible():
            self._reload_all(waiting)

    def _reload_all(self, changes: Changes | None = None) -> None:
        self._stale = False
        self._pause.start(_PAUSE_MS + len(self.model.rows) // _ROWS_A_MS)
        if changes is None or self._case_id in changes.documents or changes.pages:
            self.reload()
        if changes is None or changes.jobs:
            bridge = self._context.bridge
            bridge.start(documents.list_running(bridge.services), self, done=self._show_jobs)

    def _show(self, case_id: int, listing: Listing) -> None:
        if case_id != self._case_id:
            return
        current, place = self.view.current, self.view.currentIndex().row()
        self.model.apply(listing)
        if current is not None and not self.view.currentIndex().isValid():
            stays = self.model.place_of(current.document.id)
            self.view.setCurrentIndex(self.model.index(stays if stays >= 0 else min(place, len(self.model.rows) - 1)))
        self._refresh()
        self.memory.documents_changed()

    def _show_jobs(self, jobs: tuple[Job, ...]) -> None:
        self.model.set_progress({job.document_id: job.progress for job in jobs})

    def _included_changed(self) -> None:
        self._refresh()
        self.included_changed.emit()

    def _refresh(self) -> None:
        total, included = len(self.model.rows), self.model.included
        self.count.setText(str(total) if total else "")
        self.body.setCurrentWidget(self.view if total else self.empty)
        self.left_out.setVisible(included is not None)
        if included is not None:
            self._left_out_text.setText(self._context.words("documents.asked", some=len(included), total=total))

    def _repaint(self) -> None:
        """Another language or theme."""
        self._refresh()
        self.view.viewport().update()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self._reload_all()

    def _offer_adding(self) -> None:
        menu, words, look = QMenu(self), self._context.words, self._context.look
        act = self.actions_
        for icon, key, do in (("file", "documents.add_files", act.choose_files),
                              ("folder", "documents.add_folder", act.choose_folder),
                              ("working", "documents.watch", self.watching.choose),
                              ("copy", "documents.paste", act.paste)):
            menu.addAction(look.icon(icon), words(key)).triggered.connect(do)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.add.mapToGlobal(QPoint(0, self.add.height())))

    def show_details(self, document: Document) -> None:
        """What the document is, to be looked at and corrected."""
        bridge = self._context.bridge
        bridge.start(details.document_fields(bridge.services, document_id=document.id), self,
                     done=lambda fields: self._open_details(document, fields))

    def _open_details(self, document: Document, fields: tuple[DocumentField, ...]) -> None:
        self.details = opened = DetailsDialog(self, self._context, document, fields)
        opened.place.connect(lambda field: self.place_wanted.emit(document, field))
        opened.finished.connect(self._details_closed)
        opened.open()

    def _details_closed(self) -> None:
        if self.details is not None:
            self.details.deleteLater()
            self.details = None

    def _menu(self, shown: DocumentRow, where: QPoint) -> None:
        menu = self.menu_for(shown)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(where)

    def menu_for(self, shown: DocumentRow) -> QMenu:
        """What can be done with a document."""
        menu, words, look = QMenu(self), self._context.words, self._context.look
        document, act = shown.document, self.actions_
        menu.addAction(look.icon("page"), words("documents.open")).triggered.connect(
            lambda: self.opened.emit(document))
        menu.addAction(look.icon("info"), words("documents.details")).triggered.connect(
            lambda: self.show_details(document))
        menu.addAction(look.icon("check" if not shown.included else "none"), words(
            "documents.leave_out" if shown.included else "documents.take_in")).triggered.connect(
            lambda: self.model.include(document.id, not shown.included))
        if document.retryable or (not document.status.readable and document.status.settled):
            menu.addAction(look.icon("working"), words("documents.retry")).triggered.connect(
                lambda: act.retry(document))
            menu.addAction(look.icon("lock"), words("documents.password")).triggered.connect(
                lambda: act.ask_password(document))
        if not document.status.settled:
            menu.addAction(look.icon("close"), words("documents.cancel")).triggered.connect(
                lambda: act.cancel(document))
        menu.addSeparator()
        menu.addAction(look.icon("trash"), words("documents.remove")).triggered.connect(lambda: act.remove(document))
        return menu
