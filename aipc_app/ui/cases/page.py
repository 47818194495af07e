"""Cases: find, open, make, rename, put away, delete to the trash and bring back."""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QMenu, QStackedWidget, QTabBar, QWidget

from aipc_app.domain.documents import Case
from aipc_app.domain.jobs import Changes
from aipc_app.domain.review import Template
from aipc_app.operations import cases, reviewing
from aipc_app.ui.cases.actions import CaseActions
from aipc_app.ui.cases.delegate import CaseDelegate
from aipc_app.ui.cases.model import CasesModel
from aipc_app.ui.cases.view import CasesView
from aipc_app.ui.commands import Command
from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.basics import button, column, row, said, with_icon
from aipc_app.ui.widgets.empty import EmptyState
from aipc_app.ui.widgets.file_drop import FileDrop
from aipc_app.ui.widgets.search_field import SearchField

_MOST_OFFERED = 4  # templates to drop files on


class Shelf(StrEnum):
    """Which cases are listed."""

    ACTIVE = "active"
    ARCHIVED = "archived"
    TRASH = "trash"


class CasesPage(QWidget):
    """`opened(Case)`; `opened_with_files(Case, paths)` when files were dropped here for a new case.

    `review_wanted(Case, paths, template id)` when they were dropped to be reviewed at once.
    """

    opened = Signal(object)
    opened_with_files = Signal(object, list)
    review_wanted = Signal(object, list, str)

    def __init__(self, context: UiContext) -> None:
        super().__init__()
        self._context = context
        self.setProperty("kind", "ground")
        self.actions_ = CaseActions(context, self)
        self._stale = False  # something changed while nobody looked
        self.model = CasesModel(context.words)
        self.view = CasesView()
        self.view.setModel(self.model)
        self._delegate = CaseDelegate(context.look, context.words)
        self.view.setItemDelegate(self._delegate)
        context.words.bind(self.view, self.view.setAccessibleName, "cases.list")
        self.shelves = QTabBar()
        self.search = SearchField(context.words, context.look, "cases.search")
        self.new = button(context.words, "cases.new", self.make_new, "primary")
        with_icon(self.new, context.look, "plus", "on_accent")
        self.empty = EmptyState(context.words, context.look, "cases", "cases.none", "cases.none_hint")
        self.nothing = EmptyState(context.words, context.look, "search", "cases.no_match", "cases.no_match_hint")
        self.body = QStackedWidget()
        self._lay_out()
        self._connect()

    @property
    def shelf(self) -> Shelf:
        return tuple(Shelf)[max(self.shelves.currentIndex(), 0)]

    def reload(self) -> None:
        self._stale = False
        bridge, shelf = self._context.bridge, self.shelf
        op = cases.list_cases(
            bridge.services, archived=shelf is Shelf.ARCHIVED, trashed=shelf is Shelf.TRASH)
        bridge.start(op, self, done=self._show)

    def make_new(self) -> None:
        """Ask for a name, make the case, open it."""
        self.actions_.create(then=self.opened.emit)

    def take(self, paths: list[Path]) -> None:
        """Ask for the name of a new case, make it with these files, open it."""
        self.actions_.create(then=lambda case: self.opened_with_files.emit(case, paths), suggestion=paths[0].stem)

    def command(self, command: Command) -> bool:
        match command:
            case Command.NEW:
                self.make_new()
            case Command.FIND:
                self.search.setFocus()
                self.search.selectAll()
            case _:
                return False
        return True

    def _lay_out(self) -> None:
        outer = row(self, margin=0)
        sheet = column(gap=12)
        sheet.setContentsMargins(32, 26, 32, 16)
        head = row()
        head.addWidget(said(self._context.words, "cases.title", "title"))
        head.addStretch(1)
        self.search.setFixedWidth(260)
        head.addWidget(self.search)
        head.addWidget(self.new)
        sheet.addLayout(head)
        sheet.addWidget(self.shelves)
        for page in (self.view, self.empty, self.nothing):
            self.body.addWidget(page)
        sheet.addWidget(self.body, 1)
        outer.addLayout(sheet)
        for shelf in Shelf:
            self.shelves.addTab("")
            words, place = self._context.words, self.shelves.count() - 1
            words.bind(self.shelves, partial(self.shelves.setTabText, place), f"cases.{shelf.value}")
        self._context.words.bind(self.shelves, self.shelves.setAccessibleName, "cases.shelves")
        self.shelves.setDrawBase(False)
        self.shelves.setExpanding(False)

    def _connect(self) -> None:
        self.drop = FileDrop(self, self._context.words, "cases.drop")
        self.drop.dropped.connect(self.take)
        self.drop.chosen.connect(self._dropped_for_review)
        self._context.words.changed.connect(self._load_templates)
        self._load_templates()
        self.search.textChanged.connect(self._filter)
        self.shelves.currentChanged.connect(lambda _i: self.reload())
        self.view.opened.connect(self._open)
        self.view.menu.connect(self._menu)
        self.view.rename.connect(self.actions_.rename)
        self.view.remove.connect(self._remove)
        self._context.bridge.changed.connect(self._changed)
        self._context.words.changed.connect(self.view.viewport().update)
        self._context.look.changed.connect(self.view.viewport().update)
        self.reload()

    def _changed(self, changes: Changes) -> None:
        if not (changes.cases or changes.documents):
            return
        if self.isVisible():
            self.reload()
        else:
            self._stale = True

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self.reload()

    def _show(self, found: tuple[Case, ...]) -> None:
        current = self.view.current
        self.model.set_cases(found)
        if current is not None and (place := self.model.row_of(current.id)) >= 0:
            self.view.setCurrentIndex(self.model.index(place))
        self._choose_body()

    def _filter(self, needle: str) -> None:
        self.model.filter(needle)
        self._choose_body()

    def _choose_body(self) -> None:
        if self.model.shown:
            self.body.setCurrentWidget(self.view)
        else:
            first_time = not self.model.total and self.shelf is Shelf.ACTIVE
            self.body.setCurrentWidget(self.empty if first_time else self.nothing)

    def _open(self, case: Case) -> None:
        if self.shelf is not Shelf.TRASH:
            self.opened.emit(case)

    def _remove(self, case: Case) -> None:
        (self.actions_.delete if self.shelf is Shelf.TRASH else self.actions_.trash)(case)

    def _menu(self, case: Case, where: QPoint) -> None:
        menu = self.menu_for(case)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(where)

    def menu_for(self, case: Case) -> QMenu:
        """What can be done with a case on the present shelf."""
        menu, words, look = QMenu(self), self._context.words, self._context.look
        def offer(icon: str, key: str, act: object) -> None:
            menu.addAction(look.icon(icon), words(key)).triggered.connect(lambda: act(case))  # type: ignore[operator]

        if self.shelf is Shelf.TRASH:
            offer("undo", "cases.restore", self.actions_.restore)
            offer("trash", "cases.delete", self.actions_.delete)
            return menu
        offer("cases", "cases.open", self.opened.emit)
        offer("edit", "cases.rename", self.actions_.rename)
        if self.shelf is Shelf.ARCHIVED:
            offer("undo", "cases.unarchive", self.actions_.unarchive)
        else:
            offer("archive", "cases.archive", self.actions_.archive)
        menu.addSeparator()
        offer("trash", "cases.trash_it", self.actions_.trash)
        return menu

    def _load_templates(self) -> None:
        """For the places to drop files on."""
        bridge = self._context.bridge
        bridge.start(reviewing.list_templates(bridge.services), self, done=self._offer_templates)

    def _offer_templates(self, templates: tuple[Template, ...]) -> None:
        words = self._context.words
        shown = [(one.id, one.title.of(words.language)) for one in templates[:_MOST_OFFERED]]
        self.drop.offer(words("cases.drop_review"), shown)

    def _dropped_for_review(self, paths: list[Path], template: str) -> None:
        self.actions_.create(
            then=lambda case: self.review_wanted.emit(case, paths, template), suggestion=paths[0].stem)
