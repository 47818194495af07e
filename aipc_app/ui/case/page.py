"""One case: its documents, the conversation about them, the page an answer rests on."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from aipc_app.domain.documents import Case
from aipc_app.domain.jobs import Changes
from aipc_app.operations import cases
from aipc_app.ui.case.conversation.pane import Scope
from aipc_app.ui.case.middle import MiddlePane
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
        self.middle = MiddlePane(context, ("ask", "find", "review", "golden"))
        self.conversation = self.middle.conversation
        self.bench = Workbench(context, self.middle)
        self._actions = CaseActions(context, self)
        self.name = ElidedLabel(kind="heading")
        self._lay_out()
        self.bench.drop_on(self, context, "documents.drop")
        context.bridge.changed.connect(self._changed)

    @property
    def case(self) -> Case | None:
        return self._case

    def open(self, case: Case) -> None:
        """Look at this case; nothing of another one stays."""
        self._case = case
        self.name.setText(case.name)
        self.bench.show_case(case.id)
        self.middle.show_scope(Scope((case.id,)))
        bridge = self._context.bridge
        bridge.start(cases.open_case(bridge.services, case_id=case.id), self)
        self.conversation.composer.field.setFocus()

    def command(self, command: Command) -> bool:
        if command is Command.BACK:
            self.left.emit()
            return True
        return self.bench.command(command)

    def _lay_out(self) -> None:
        inside = column(self, gap=0)
        head = frame("bar")
        across = row(head, gap=8)
        across.setContentsMargins(8, 5, 12, 0)
        words, look = self._context.words, self._context.look
        across.addWidget(icon_button(words, look, "left", "case.back", self.left.emit))
        across.addWidget(self.name, 1)
        across.addWidget(self.middle.tabs)
        across.addWidget(icon_button(words, look, "edit", "cases.rename", self._rename))
        inside.addWidget(head)
        inside.addWidget(self.bench, 1)

    def _rename(self) -> None:
        if self._case is not None:
            self._actions.rename(self._case)

    def _changed(self, changes: Changes) -> None:
        if changes.cases and self._case is not None:
            bridge = self._context.bridge
            bridge.start(cases.list_cases(bridge.services), self, done=self._retitle)

    def _retitle(self, found: tuple[Case, ...]) -> None:
        now = next((case for case in found if self._case is not None and case.id == self._case.id), None)
        if now is not None:
            self._case = now
            self.name.setText(now.name)
