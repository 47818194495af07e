"""One case: its documents, the conversation about them, the page an answer rests on."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from aipc_app.domain.documents import Case
from aipc_app.domain.jobs import Changes
from aipc_app.operations import cases
from aipc_app.ui.case.conversation.pane import ConversationPane, Scope
from aipc_app.ui.case.workbench import Workbench
from aipc_app.ui.cases.actions import CaseActions
from aipc_app.ui.commands import Command
from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.basics import column, frame, icon_button, row
from aipc_app.ui.widgets.elided import ElidedLabel


class CasePage(QWidget):
    """`left` when the user goes back to the list."""

    left = Signal()

    def __init__(self, context: UiContext) -> None:
        super().__init__()
        self._context = context
        self._case: Case | None = None
        self.conversation = ConversationPane(context)
        self.bench = Workbench(context, self.conversation)
        self._actions = CaseActions(context, self)
        self.name = ElidedLabel(kind="heading")
        self._lay_out()
        self.bench.drop_on(self, context, "documents.drop")
        self.conversation.opened.connect(self.bench.viewer.show_place)
        self.conversation.files.connect(self.bench.documents.add_paths)
        self.bench.documents.included_changed.connect(self._pass_included)
        context.bridge.changed.connect(self._changed)

    @property
    def case(self) -> Case | None:
        return self._case

    def open(self, case: Case) -> None:
        """Look at this case; nothing of another one stays."""
        self._case = case
        self.name.setText(case.name)
        self.bench.show_case(case.id)
        self.conversation.included = None
        self.conversation.show_scope(Scope((case.id,)))
        bridge = self._context.bridge
        bridge.start(cases.open_case(bridge.services, case_id=case.id), self)
        self.conversation.composer.field.setFocus()

    def command(self, command: Command) -> bool:
        pane, actions = self.conversation, self.bench.documents.actions_
        match command:
            case Command.ASK:
                pane.composer.field.setFocus()
            case Command.STOP if pane.busy:
                pane.stop()
            case Command.ADD:
                actions.choose_files()
            case Command.NEXT_PANE:
                self.bench.next_pane()
            case Command.NEW_CONVERSATION:
                pane.head.new.emit()
            case Command.FIND:
                pane.head.open_history()
            case Command.COPY_ANSWER:
                pane.copy_last()
            case Command.EXPORT:
                pane.head.export.emit()
            case Command.BACK:
                self.left.emit()
            case _:
                return False
        return True

    def _lay_out(self) -> None:
        inside = column(self, gap=0)
        head = frame("bar")
        across = row(head, gap=8)
        across.setContentsMargins(8, 7, 12, 7)
        words, look = self._context.words, self._context.look
        across.addWidget(icon_button(words, look, "left", "case.back", self.left.emit))
        across.addWidget(self.name, 1)
        across.addWidget(icon_button(words, look, "edit", "cases.rename", self._rename))
        inside.addWidget(head)
        inside.addWidget(self.bench, 1)

    def _rename(self) -> None:
        if self._case is not None:
            self._actions.rename(self._case)

    def _pass_included(self) -> None:
        self.conversation.included = self.bench.documents.included

    def _changed(self, changes: Changes) -> None:
        if changes.cases and self._case is not None:
            bridge = self._context.bridge
            bridge.start(cases.list_cases(bridge.services), self, done=self._retitle)

    def _retitle(self, found: tuple[Case, ...]) -> None:
        now = next((case for case in found if self._case is not None and case.id == self._case.id), None)
        if now is not None:
            self._case = now
            self.name.setText(now.name)
