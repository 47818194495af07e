"""The law library: its documents, passages found by what is typed, questions to it alone."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from aipc_app.domain.documents import LIBRARY_ID
from aipc_app.ui.case.conversation.pane import ConversationPane, Scope
from aipc_app.ui.case.finder import Finder
from aipc_app.ui.case.middle import MiddlePane
from aipc_app.ui.case.workbench import Workbench
from aipc_app.ui.commands import Command
from aipc_app.ui.context import UiContext
from aipc_app.ui.library.handing import Handing
from aipc_app.ui.widgets.basics import column, frame, row, said


class LibraryPage(QWidget):
    """The same three panes as a case; finding comes first."""

    def __init__(self, context: UiContext) -> None:
        super().__init__()
        self.middle = MiddlePane(context, ("find", "ask", "golden"), library_alone=True)
        self.bench = Workbench(context, self.middle)
        inside = column(self, gap=0)
        head = frame("bar")
        across = row(head, gap=18)
        across.setContentsMargins(18, 5, 12, 0)
        across.addWidget(said(context.words, "library.title", "heading"))
        across.addWidget(self.middle.tabs)
        across.addStretch(1)
        self.handing = Handing(context, self)
        across.addWidget(self.handing.take)
        across.addWidget(self.handing.give)
        inside.addWidget(head)
        inside.addWidget(self.handing)
        inside.addWidget(self.bench, 1)
        self.bench.drop_on(self, context, "library.drop")
        self.bench.show_case(LIBRARY_ID)
        self.middle.show_scope(Scope((), library_alone=True))
        self.setFocusProxy(self.finder.field)

    @property
    def finder(self) -> Finder:
        return self.middle.finder

    @property
    def conversation(self) -> ConversationPane:
        return self.middle.conversation

    def command(self, command: Command) -> bool:
        return self.bench.command(command)
