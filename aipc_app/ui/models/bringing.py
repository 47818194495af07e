"""Copies a model from a disk or a stick into the data folder, with progress and a way to stop."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFrame, QProgressBar

from aipc_app.domain.models import ModelInfo
from aipc_app.operations.model_files import import_model
from aipc_app.ui.bridge.lanes import Lane
from aipc_app.ui.bridge.running import Running
from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.basics import button, label, row


class Bringing(QFrame):
    """One import at a time; hidden while there is none."""

    def __init__(self, context: UiContext) -> None:
        super().__init__()
        self._context = context
        self._running: Running | None = None
        self.setProperty("kind", "quiet-card")
        inside = row(self, gap=12)
        inside.setContentsMargins(18, 8, 14, 8)
        self.said = label()
        self.bar = QProgressBar(textVisible=False)
        self.bar.setRange(0, 1000)
        self.stop = button(context.words, "models.stop_import", self._stop)
        inside.addWidget(self.said)
        inside.addWidget(self.bar, 1)
        inside.addWidget(self.stop)
        self.hide()

    @property
    def busy(self) -> bool:
        return self._running is not None

    def begin(self, path: Path) -> None:
        """Start to copy, unless a copy is under way."""
        if self.busy:
            return
        bridge, words = self._context.bridge, self._context.words
        self.said.setText(words("models.importing", name=path.name))
        self.bar.setValue(0)
        self.show()
        self._running = bridge.start(
            import_model(bridge.services, path=path), self, lane=Lane.WORK,
            events=lambda batch: self.bar.setValue(int(float(batch[-1]) * 1000)), done=self._done, ended=self._ended)

    def _done(self, model: ModelInfo) -> None:
        key = {True: "models.imported_right", False: "models.imported_wrong", None: "models.imported"}[model.verified]
        self._context.notices.tell(self._context.words(key, name=model.name))

    def _ended(self) -> None:
        self._running = None
        self.hide()

    def _stop(self) -> None:
        if self._running is not None:
            self._running.cancel()
