"""Models: what is here, which one is used, how it was placed in memory and why."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QScrollArea, QWidget

from aipc_app.domain.jobs import Changes
from aipc_app.domain.models import ModelInfo
from aipc_app.operations import models
from aipc_app.ui.context import UiContext
from aipc_app.ui.models.bringing import Bringing
from aipc_app.ui.models.card import ModelCard
from aipc_app.ui.models.plan_card import PlanCard
from aipc_app.ui.models.preview import PreviewCard
from aipc_app.ui.widgets.basics import button, clear, column, row, said, with_icon


class ModelsPage(QWidget):
    """A card for each model, then the plan of the loaded one."""

    def __init__(self, context: UiContext) -> None:
        super().__init__()
        self._context = context
        self.setProperty("kind", "ground")
        area = QScrollArea(widgetResizable=True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        sheet = QWidget()
        sheet.setProperty("kind", "sheet")
        around = row(sheet)
        holder = QWidget()
        holder.setMaximumWidth(900)
        inside = column(holder, gap=12)
        inside.setContentsMargins(32, 26, 32, 32)
        around.addWidget(holder, 1000)
        around.addStretch(1)
        head = row()
        head.addWidget(said(context.words, "models.title", "title"))
        head.addStretch(1)
        self.choose = button(context.words, "models.from_disk", self._choose)
        with_icon(self.choose, context.look, "folder")
        self.bring = button(context.words, "models.import", self._choose_to_bring)
        with_icon(self.bring, context.look, "import")
        head.addWidget(self.bring)
        head.addWidget(self.choose)
        inside.addLayout(head)
        inside.addWidget(said(context.words, "models.hint", "muted", wrap=True))
        self.bringing = Bringing(context)
        inside.addWidget(self.bringing)
        self._cards = column(gap=10)
        inside.addLayout(self._cards)
        inside.addWidget(said(context.words, "plan.preview", "heading"))
        self.preview = PreviewCard(context)
        inside.addWidget(self.preview)
        inside.addWidget(said(context.words, "plan.title", "heading"))
        self.plan = PlanCard(context)
        inside.addWidget(self.plan)
        inside.addStretch(1)
        area.setWidget(sheet)
        column(self, gap=0).addWidget(area)
        self.cards: dict[str, ModelCard] = {}
        context.bridge.changed.connect(self._changed)
        context.words.changed.connect(self._reload)
        self._reload()

    def _changed(self, changes: Changes) -> None:
        if changes.models:
            self._reload()
            self.preview.model_chosen()

    def _reload(self) -> None:
        bridge = self._context.bridge
        bridge.start(models.list_models(bridge.services), self, done=self._show)

    def _show(self, found: tuple[ModelInfo, ...]) -> None:
        clear(self._cards)
        self.cards = {}
        chat = [model for model in found if model.file.endswith(".gguf")]
        here_first = sorted(chat, key=lambda model: (not model.in_use, model.path is None, model.name.lower()))
        for model in here_first:
            card = ModelCard(self._context, model)
            self.cards[model.name] = card
            self._cards.addWidget(card)

    def _choose(self) -> None:
        self._ask_for_file("models.from_disk", self.use)

    def _choose_to_bring(self) -> None:
        self._ask_for_file("models.import", lambda name: self.bringing.begin(Path(name)))

    def _ask_for_file(self, title: str, then: Callable[[str], object]) -> None:
        dialog = QFileDialog(self, self._context.words(title))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilter("GGUF (*.gguf *.gguf.001)")
        dialog.filesSelected.connect(lambda names: then(names[0]))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def use(self, name: str) -> None:
        """Choose a model by name or path."""
        bridge = self._context.bridge
        bridge.start(models.use_model(bridge.services, name=name), self, done=lambda chosen: self._context.notices.tell(
            self._context.words("models.chosen", name=Path(chosen.name).name)))
