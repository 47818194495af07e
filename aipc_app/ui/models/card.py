"""One model: size, licence, where it is; use it, check its bytes."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QProgressBar

from aipc_app.domain.models import ModelInfo
from aipc_app.operations import models
from aipc_app.operations.model_files import remove_model
from aipc_app.ui.bridge.lanes import Lane
from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.basics import button, column, label, row, tone
from aipc_app.ui.widgets.dialogs import confirm
from aipc_app.ui.widgets.elided import ElidedLabel
from aipc_app.ui.widgets.figures import memory


class ModelCard(QFrame):
    """`model` as it was listed."""

    def __init__(self, context: UiContext, model: ModelInfo) -> None:
        super().__init__()
        self._context, self.model = context, model
        self.setProperty("kind", "card")
        self.setObjectName("modelCard")
        words = context.words
        inside = column(self, gap=4)
        inside.setContentsMargins(18, 12, 14, 12)
        top = row(gap=8)
        top.addWidget(label(model.name, "strong"))
        self.state = label(kind="pill")
        top.addWidget(self.state)
        top.addStretch(1)
        self.verify = button(words, "models.verify", self._verify)
        self.use = button(words, "models.use", self._use)
        self.remove = button(words, "models.remove", self._remove, "danger")
        for made in (self.remove, self.verify, self.use):
            made.setAccessibleName(f"{made.text()}: {model.name}")
            top.addWidget(made)
        inside.addLayout(top)
        self.verify.setVisible(model.path is not None and model.sha256 is not None)
        self.use.setVisible(model.path is not None and not model.in_use)
        self.remove.setVisible(self._is_ours() and not model.in_use)
        if model.about:
            inside.addWidget(label(words.sentence(model.about), "muted", wrap=True))
        inside.addWidget(label(self._facts(), "small", wrap=True))
        if model.path:
            inside.addWidget(ElidedLabel(model.path, "small", middle=True))
        self.bar = QProgressBar(textVisible=False)
        self.bar.setRange(0, 1000)
        self.bar.hide()
        inside.addWidget(self.bar)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._show_state("in_use" if model.in_use else "here" if model.path else "missing")

    def _facts(self) -> str:
        words, model = self._context.words, self.model
        parts = [memory(model.size)] if model.size else []
        parts.append(words("models.licence", licence=model.licence) if model.licence else words("models.own_file"))
        if not model.path and model.role:
            parts.append(words("models.fetch_hint", role=model.role))
        return " · ".join(parts)

    def _show_state(self, state: str) -> None:
        self.state.setText(self._context.words(f"models.{state}"))
        tone(self.state, {"in_use": "accent", "verified": "good", "damaged": "bad"}.get(state, ""))

    def _is_ours(self) -> bool:
        """Only what was copied into the data folder is deleted; other files are the user's own."""
        return self.model.path is not None and Path(self.model.path).parent == self._context.services.home.models

    def _remove(self) -> None:
        words, bridge = self._context.words, self._context.bridge
        sentence = words("models.remove_sentence", size=memory(self.model.size))
        confirm(
            self, words, words("models.remove_title", name=self.model.name), sentence, "models.remove",
            lambda: bridge.start(remove_model(bridge.services, name=self.model.path or self.model.name), self,
                                 lane=Lane.WORK))

    def _use(self) -> None:
        bridge = self._context.bridge
        bridge.start(models.use_model(bridge.services, name=self.model.path or self.model.name), self)

    def _verify(self) -> None:
        self.verify.setEnabled(False)
        self.bar.show()
        bridge = self._context.bridge
        bridge.start(
            models.verify_model(bridge.services, name=self.model.name), self, lane=Lane.WORK,
            events=lambda batch: self.bar.setValue(int(float(batch[-1]) * 1000)),
            done=lambda checked: self._show_state("verified" if checked.verified else "damaged"),
            ended=self._verified)

    def _verified(self) -> None:
        self.verify.setEnabled(True)
        self.bar.hide()
