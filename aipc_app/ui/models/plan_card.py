"""How the loaded model lies in memory, and the planner's reason for each decision."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QGridLayout, QProgressBar

from aipc_app.operations import models
from aipc_app.ui.bridge.lanes import Lane
from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.basics import button, clear, column, label, row, with_icon
from aipc_app.ui.widgets.figures import memory, seconds
from engine.types.model import EngineFailed, EngineLoading, EngineReady, EngineState, LoadedModel


class PlanCard(QFrame):
    """Follows the engine's state. Only what the engine told is shown."""

    def __init__(self, context: UiContext) -> None:
        super().__init__()
        self._context = context
        self.setProperty("kind", "card")
        inside = column(self, gap=8)
        inside.setContentsMargins(18, 13, 18, 13)
        head = row(gap=12)
        self.state = label(wrap=True)
        self.load = button(context.words, "plan.load", self._load, "primary")
        with_icon(self.load, context.look, "models", "on_accent")
        head.addWidget(self.state, 1)
        head.addWidget(self.load)
        inside.addLayout(head)
        self.bar = QProgressBar(textVisible=False)
        self.bar.setRange(0, 1000)
        inside.addWidget(self.bar)
        self._facts = column(gap=8)
        inside.addLayout(self._facts)
        context.bridge.engine_changed.connect(self.show_state)
        context.words.changed.connect(lambda: self.show_state(context.services.engine.state))
        self.show_state(context.services.engine.state)

    def show_state(self, state: EngineState) -> None:
        words = self._context.words
        clear(self._facts)
        loading = isinstance(state, EngineLoading)
        self.bar.setVisible(loading)
        self.load.setVisible(not loading and not isinstance(state, EngineReady))
        match state:
            case EngineReady(model):
                self.state.setText(words("plan.ready", name=model.name, took=seconds(model.load_s)))
                self._show_model(model)
            case EngineLoading(_path, fraction):
                self.state.setText(words("plan.loading", percent=f"{fraction:.0%}"))
                self.bar.setValue(int(fraction * 1000))
            case EngineFailed(message):
                self.state.setText(words.sentence(message))
            case _:
                self.state.setText(words("plan.not_loaded"))

    def _show_model(self, model: LoadedModel) -> None:
        words, plan = self._context.words, model.plan
        facts = [
            ("plan.ram", memory(model.ram_bytes)), ("plan.vram", memory(model.vram_bytes) if model.vram_bytes else "–"),
            ("plan.context", f"{plan.context_tokens:,}"), ("plan.layers", str(plan.gpu_layers)),
            ("plan.threads", str(plan.threads)), ("plan.parameters", f"{model.parameters / 1e9:.2f} B"),
        ]
        holder = QFrame()
        grid = QGridLayout(holder)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(2)
        grid.setHorizontalSpacing(28)
        for place, (key, value) in enumerate(facts):
            grid.addWidget(label(words(key), "small"), (place // 3) * 2, place % 3)
            grid.addWidget(label(value, "strong"), (place // 3) * 2 + 1, place % 3)
        self._facts.addWidget(holder)
        if model.planned_ram_bytes:
            planned = words("plan.planned", ram=memory(model.planned_ram_bytes), vram=memory(model.planned_vram_bytes))
            self._facts.addWidget(label(planned, "small"))
        if plan.reasons:
            self._facts.addWidget(label(words("plan.reasons"), "small-strong"))
        for reason in plan.reasons:
            self._facts.addWidget(label(f"•  {words.sentence(reason)}", "muted", wrap=True))

    def _load(self) -> None:
        bridge = self._context.bridge
        bridge.start(models.ensure_loaded(bridge.services), self, lane=Lane.ASK)
