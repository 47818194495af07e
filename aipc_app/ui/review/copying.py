"""A copy of a template, for the user to edit."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QMenu, QWidget

from aipc_app.domain.review import Template
from aipc_app.operations import reviewing
from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.basics import button, row
from aipc_app.ui.widgets.dialogs import NameDialog, ask_name


class CopyTemplate(QWidget):
    """`copied` when there is one more template."""

    copied = Signal()

    def __init__(self, context: UiContext) -> None:
        super().__init__()
        self._context = context
        self._templates: tuple[Template, ...] = ()
        self.dialog: NameDialog | None = None
        across = row(self, gap=6)
        self.offer = button(context.words, "review.copy_template", self._offer, "plain")
        across.addWidget(self.offer)
        across.addStretch(1)

    def show_templates(self, templates: Sequence[Template]) -> None:
        self._templates = tuple(templates)
        self.offer.setEnabled(bool(self._templates))

    def menu(self) -> QMenu:
        """The templates there are."""
        made = QMenu(self)
        for template in self._templates:
            title = template.title.of(self._context.words.language)
            made.addAction(title).triggered.connect(partial(self.ask, template.id))
        return made

    def ask(self, template: str) -> None:
        """The copy's name; the copy is made when it is given."""
        self.dialog = ask_name(self, self._context.words, "review.copy_name", "review.copy_template",
                               partial(self._copy, template), self._free_name(template))

    def _offer(self) -> None:
        menu = self.menu()
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.offer.mapToGlobal(QPoint(0, self.offer.height())))

    def _free_name(self, template: str) -> str:
        taken = {one.id for one in self._templates}
        names = (f"{template}-{number}" for number in range(2, len(taken) + 3))
        return next(name for name in names if name not in taken)

    def _copy(self, template: str, name: str) -> None:
        bridge = self._context.bridge
        op = reviewing.copy_template(bridge.services, template=template, name=name.strip())
        bridge.start(op, self, done=self._made)

    def _made(self, path: Path) -> None:
        self._context.notices.tell(self._context.words("review.copied", path=str(path)))
        self.copied.emit()
