"""The law library: its documents, passages found by what is typed, questions to it alone."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QStackedWidget, QTabBar, QWidget

from aipc_app.domain.documents import LIBRARY_ID
from aipc_app.ui.case.conversation.pane import ConversationPane, Scope
from aipc_app.ui.case.workbench import Workbench
from aipc_app.ui.commands import Command
from aipc_app.ui.context import UiContext
from aipc_app.ui.library.finder import Finder
from aipc_app.ui.widgets.basics import column, frame, row, said


class LibraryPage(QWidget):
    """The same three panes as a case; the middle finds or asks."""

    def __init__(self, context: UiContext) -> None:
        super().__init__()
        self._context = context
        self.finder = Finder(context)
        self.conversation = ConversationPane(context, library_alone=True)
        self.tabs = QTabBar()
        self.middle = QStackedWidget()
        self.middle.addWidget(self.finder)
        self.middle.addWidget(self.conversation)
        self.middle.setMinimumWidth(320)
        self.bench = Workbench(context, self.middle)
        self._lay_out()
        self.bench.drop_on(self, context, "library.drop")
        self.tabs.currentChanged.connect(self.middle.setCurrentIndex)
        for part in (self.finder, self.conversation):
            part.opened.connect(self.bench.viewer.show_place)
        self.conversation.files.connect(self.bench.documents.add_paths)
        self.bench.documents.included_changed.connect(self._pass_included)
        self.bench.show_case(LIBRARY_ID)
        self.conversation.show_scope(Scope((), library_alone=True))
        self.setFocusProxy(self.finder.field)

    def command(self, command: Command) -> bool:
        match command:
            case Command.FIND:
                self.tabs.setCurrentIndex(0)
                self.finder.field.setFocus()
                self.finder.field.selectAll()
            case Command.ASK:
                self.tabs.setCurrentIndex(1)
                self.conversation.composer.field.setFocus()
            case Command.STOP if self.conversation.busy:
                self.conversation.stop()
            case Command.ADD:
                self.bench.documents.actions_.choose_files()
            case Command.NEXT_PANE:
                self.bench.next_pane()
            case Command.NEW_CONVERSATION:
                self.conversation.head.new.emit()
            case Command.COPY_ANSWER:
                self.conversation.copy_last()
            case Command.EXPORT:
                self.conversation.head.export.emit()
            case _:
                return False
        return True

    def _lay_out(self) -> None:
        words = self._context.words
        inside = column(self, gap=0)
        head = frame("bar")
        across = row(head, gap=18)
        across.setContentsMargins(18, 5, 12, 0)
        across.addWidget(said(words, "library.title", "heading"))
        across.addWidget(self.tabs)
        across.addStretch(1)
        for place, key in enumerate(("library.find", "library.ask")):
            self.tabs.addTab("")
            words.bind(self.tabs, partial(self.tabs.setTabText, place), key)
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        words.bind(self.tabs, self.tabs.setAccessibleName, "library.tabs")
        inside.addWidget(head)
        inside.addWidget(self.bench, 1)

    def _pass_included(self) -> None:
        self.conversation.included = self.bench.documents.included
