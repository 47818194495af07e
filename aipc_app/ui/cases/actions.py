"""What can be done with a case, wherever it is shown."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from aipc_app.domain.documents import Case
from aipc_app.operations import cases
from aipc_app.ui.bridge.lanes import Lane
from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.dialogs import ask_name, confirm


class CaseActions:
    """Starts the operations; deeds that hide a case can be undone from the toast."""

    def __init__(self, context: UiContext, owner: QWidget) -> None:
        self._context, self._owner = context, owner

    def create(self, *, then: Callable[[Case], object], suggestion: str = "") -> None:
        def make(name: str) -> None:
            bridge = self._context.bridge
            bridge.start(cases.create_case(bridge.services, name=name), self._owner, done=then)
        ask_name(self._owner, self._context.words, "cases.new_title", "cases.create", make, suggestion)

    def rename(self, case: Case) -> None:
        def change(name: str) -> None:
            bridge = self._context.bridge
            bridge.start(cases.rename_case(bridge.services, case_id=case.id, name=name), self._owner)
        ask_name(self._owner, self._context.words, "cases.rename_title", "cases.rename_do", change, case.name)

    def archive(self, case: Case) -> None:
        self._archive(case, on=True)
        self._context.notices.tell(
            self._context.words("cases.archived_it", name=case.name), undo=lambda: self._archive(case, on=False))

    def unarchive(self, case: Case) -> None:
        self._archive(case, on=False)

    def trash(self, case: Case) -> None:
        self._trash(case, on=True)
        self._context.notices.tell(
            self._context.words("cases.trashed_it", name=case.name), undo=lambda: self._trash(case, on=False))

    def restore(self, case: Case) -> None:
        self._trash(case, on=False)

    def delete(self, case: Case) -> None:
        """For good, after a question."""
        words = self._context.words
        def gone() -> None:
            bridge = self._context.bridge
            bridge.start(cases.delete_case(bridge.services, case_id=case.id), self._owner, lane=Lane.WORK)
        confirm(self._owner, words, words("cases.delete_title", name=case.name),
                words("cases.delete_sentence"), "cases.delete", gone)

    def _archive(self, case: Case, *, on: bool) -> None:
        bridge = self._context.bridge
        bridge.start(cases.archive_case(bridge.services, case_id=case.id, on=on), self._owner)

    def _trash(self, case: Case, *, on: bool) -> None:
        bridge = self._context.bridge
        bridge.start(cases.trash_case(bridge.services, case_id=case.id, on=on), self._owner)
