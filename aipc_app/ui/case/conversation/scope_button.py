"""Which cases are asked: the one that is open, and others beside it."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QMenu, QPushButton

from aipc_app.domain.documents import Case
from aipc_app.operations import cases
from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.basics import with_icon

_MOST = 30  # entries of the menu, the last opened first


class ScopeButton(QPushButton):
    """"This case", or "3 cases". `changed(ids of the other cases)`."""

    changed = Signal(list)

    def __init__(self, context: UiContext) -> None:
        super().__init__()
        self._context = context
        self._case_id: int | None = None
        self._others: list[int] = []
        self.setProperty("kind", "plain")
        self.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the arrow comes after the words
        with_icon(self, context.look, "down")
        self.setIconSize(QSize(12, 12))
        self.clicked.connect(self._fetch)
        context.words.bind(self, self.setToolTip, "ask.scope_hint")
        context.words.changed.connect(self._refresh)
        self._refresh()

    def show_case(self, case_id: int) -> None:
        """Another case is open: it alone is asked."""
        self._case_id, self._others = case_id, []
        self._refresh()

    def _fetch(self) -> None:
        bridge = self._context.bridge
        bridge.start(cases.list_cases(bridge.services), self, done=self._offer)

    def _offer(self, found: tuple[Case, ...]) -> None:
        menu = self.menu_for(found)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.mapToGlobal(self.rect().topLeft()))

    def menu_for(self, found: tuple[Case, ...]) -> QMenu:
        """The other cases, each to be taken in or left out."""
        menu = QMenu(self)
        menu.addSection(self._context.words("ask.scope_also"))
        others = [case for case in found if case.id != self._case_id][:_MOST]
        for case in others:
            action = menu.addAction(case.name.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(case.id in self._others)
            action.triggered.connect(lambda on, case=case: self._choose(case.id, on))
        if not others:
            menu.addAction(self._context.words("ask.scope_none")).setEnabled(False)
        return menu

    def _choose(self, case_id: int, on: bool) -> None:
        self._others = [other for other in self._others if other != case_id] + ([case_id] if on else [])
        self._refresh()
        self.changed.emit(list(self._others))

    def _refresh(self) -> None:
        self.setText(self._context.words("ask.scope", count=1 + len(self._others)))
        self.setAccessibleName(self.text())
