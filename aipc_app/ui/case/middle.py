"""Between documents and source: ask, or find passages. The same for a case and for the law library."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QTabBar, QWidget

from aipc_app.ui.case.conversation.pane import ConversationPane, Scope
from aipc_app.ui.case.finder import Finder
from aipc_app.ui.case.golden.pane import GoldenPane
from aipc_app.ui.commands import Command
from aipc_app.ui.context import UiContext
from aipc_app.ui.review.pane import ReviewPane


class MiddlePane(QStackedWidget):
    """`opened(Place)` for a source or a passage, `files(paths)` pasted. `tabs` is placed by the page."""

    opened = Signal(object)
    files = Signal(list)

    def __init__(self, context: UiContext, parts: Sequence[str], *, library_alone: bool = False) -> None:
        """`parts` in the order of the tabs: "ask", "find", "review" (of a case alone) and "golden"."""
        super().__init__()
        self.finder = Finder(context, library=library_alone)
        self.conversation = ConversationPane(context, library_alone=library_alone)
        self.golden = GoldenPane(context)
        self.review = ReviewPane(context) if "review" in parts else None
        panes = {"ask": self.conversation, "find": self.finder, "review": self.review, "golden": self.golden}
        self.tabs = QTabBar()
        self._parts = tuple(parts)
        self.setMinimumWidth(320)
        for place, part in enumerate(self._parts):
            self.addWidget(panes[part] or self.conversation)
            self.tabs.addTab("")
            context.words.bind(self.tabs, partial(self.tabs.setTabText, place), f"middle.{part}")
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setUsesScrollButtons(False)
        context.words.bind(self.tabs, self.tabs.setAccessibleName, "middle.tabs")
        self.tabs.currentChanged.connect(self.setCurrentIndex)
        if self.review is not None:
            self.review.opened.connect(self.opened)
        self.finder.opened.connect(self.opened)
        self.conversation.opened.connect(self.opened)
        self.conversation.files.connect(self.files)
        self.conversation.golden.connect(self.golden.keep_answer)

    @property
    def main_field(self) -> QWidget:
        """What one types into."""
        shown = self.currentWidget()
        if self.review is not None and shown is self.review:
            return self.review.main_field
        if shown is self.golden:
            return self.golden.table
        return self.conversation.main_field if shown is self.conversation else self.finder.field

    def show_scope(self, scope: Scope) -> None:
        """Another case, or the library."""
        self.finder.show_cases(scope.searched)
        self.conversation.show_scope(scope)
        self.golden.show_case(scope.listed_under)
        if self.review is not None:
            self.review.show_case(scope.cases[0])
        self.tabs.setCurrentIndex(0)

    def go_to(self, part: str) -> None:
        """Show one of the parts and put the cursor there."""
        self.tabs.setCurrentIndex(self._parts.index(part))
        self.main_field.setFocus()

    def command(self, command: Command) -> bool:
        if self.review is not None and self._take_for_review(self.review, command):
            return True
        match command:
            case Command.ASK:
                self.go_to("ask")
            case Command.FIND:
                self.go_to("find")
                self.finder.field.selectAll()
            case Command.STOP if self.golden.busy and self.currentWidget() is self.golden:
                self.golden.stop()
            case Command.STOP if self.conversation.busy:
                self.conversation.stop()
            case Command.NEW_CONVERSATION:
                self.go_to("ask")
                self.conversation.head.new.emit()
            case Command.HISTORY:
                self.go_to("ask")
                self.conversation.head.open_history()
            case Command.COPY_ANSWER:
                self.conversation.copy_last()
            case Command.EXPORT:
                self.conversation.head.export.emit()
            case _:
                return False
        return True

    def _take_for_review(self, review: ReviewPane, command: Command) -> bool:
        """What is meant for the review when that is looked at."""
        looked_at = self.currentWidget() is review
        match command:
            case Command.REVIEW:
                self.go_to("review")
            case Command.STOP if looked_at and review.busy:
                review.run.stop()
            case Command.EXPORT if looked_at:
                review.export()
            case _:
                return False
        return True
