"""What this PC has: processors and memory as the engine sees them, and the model that will be used."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame

from aipc_app.domain.models import ModelInfo
from aipc_app.operations import models
from aipc_app.operations import settings as operations
from aipc_app.ui.bridge.lanes import Lane
from aipc_app.ui.context import UiContext
from aipc_app.ui.problems import translate_error
from aipc_app.ui.widgets.basics import clear, column, label, row, said, themed
from aipc_app.ui.widgets.figures import memory
from engine.types.model import Device, DeviceKind, Inspection


class MachineCard(QFrame):
    """Fills itself in the background; says so while it looks."""

    def __init__(self, context: UiContext) -> None:
        super().__init__()
        self._context = context
        self._inspection: Inspection | None = None
        self._problem = ""
        self._models: tuple[ModelInfo, ...] | None = None
        self.setProperty("kind", "card")
        inside = column(self, gap=8)
        inside.setContentsMargins(18, 13, 18, 13)
        inside.addWidget(said(context.words, "welcome.machine", "strong"))
        self._lines = column(gap=6)
        inside.addLayout(self._lines)
        context.words.changed.connect(self._refresh)
        bridge = context.bridge
        bridge.start(operations.inspect_machine(bridge.services), self, lane=Lane.WORK, done=self._take_inspection,
                     failed=self._take_problem)
        bridge.start(models.list_models(bridge.services), self, done=self._take_models)
        self._refresh()

    @property
    def known(self) -> bool:
        """It has looked, with or without success."""
        return self._models is not None and bool(self._inspection is not None or self._problem)

    def _take_inspection(self, inspection: Inspection) -> None:
        self._inspection = inspection
        self._refresh()

    def _take_problem(self, error: BaseException) -> None:
        self._problem = translate_error(error, self._context.words).sentence
        self._refresh()

    def _take_models(self, found: tuple[ModelInfo, ...]) -> None:
        self._models = found
        self._refresh()

    def _refresh(self) -> None:
        clear(self._lines)
        words = self._context.words
        if self._inspection is not None:
            for device in self._inspection.devices:
                self._line(*_device(device, words("welcome.free")))
            if not any(device.kind is not DeviceKind.CPU for device in self._inspection.devices):
                self._line("gauge", words("welcome.no_gpu"), "")
        elif self._problem:
            self._line("warning", self._problem, "")
        else:
            self._line("clock", words("welcome.looking"), "")
        if self._models is not None:
            used = next((model for model in self._models if model.in_use), None)
            if used is not None:
                self._line("check", words("welcome.model", name=used.name), memory(used.size))
            else:
                self._line("warning", words("welcome.no_model"), "")

    def _line(self, icon: str, text: str, detail: str) -> None:
        holder = QFrame()
        across = row(holder, gap=8)
        mark, look = label(), self._context.look
        themed(mark, look, lambda: mark.setPixmap(look.icon(icon).pixmap(17, 17)))
        across.addWidget(mark)
        across.addWidget(label(text, wrap=True), 1)
        if detail:
            across.addWidget(label(detail, "muted"))
        self._lines.addWidget(holder)


def _device(device: Device, free: str) -> tuple[str, str, str]:
    icon = "memory" if device.kind is DeviceKind.CPU else "gauge"
    shown = f"{memory(device.memory_total)} · {memory(device.memory_free)} {free}" if device.memory_total else ""
    return icon, device.description or device.name, shown
