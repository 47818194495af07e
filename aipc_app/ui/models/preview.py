"""The plan of the chosen model before it is loaded: two bars, a reason for each part, limits that can be moved."""

from __future__ import annotations

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QWidget

from aipc_app.operations.plan import Preview, load_within, preview_plan
from aipc_app.ui.bridge.lanes import Lane
from aipc_app.ui.bridge.running import Running
from aipc_app.ui.context import UiContext
from aipc_app.ui.models.limit import Limit
from aipc_app.ui.models.parts_bar import PartsBar, Swatch
from aipc_app.ui.widgets.basics import button, clear, column, label, row, with_icon
from aipc_app.ui.widgets.figures import memory
from engine.types.model import EngineLoading, EngineReady, EngineState
from engine.types.plan import Part

_CPU, _DISK = "CPU", "disk"


class PreviewCard(QFrame):
    """Plans when it is first shown, when the choice of the model changes, and at each step of a limit."""

    def __init__(self, context: UiContext) -> None:
        super().__init__()
        self._context = context
        self._running: Running | None = None
        self._again = False
        self.preview: Preview | None = None
        self.setProperty("kind", "card")
        inside = column(self, gap=8)
        inside.setContentsMargins(18, 13, 18, 13)
        head = row(gap=12)
        self.state = label(wrap=True, kind="strong")
        self.load = button(context.words, "plan.load_so", self._load)
        with_icon(self.load, context.look, "gauge")
        head.addWidget(self.state, 1)
        head.addWidget(self.load)
        inside.addLayout(head)
        self.vram, self.ram = Limit(context.words, "plan.limit_vram"), Limit(context.words, "plan.limit_ram")
        settings = context.services.settings().models
        self.vram.mib, self.ram.mib = settings.vram_mib, settings.ram_mib
        for limit in (self.vram, self.ram):
            limit.moved.connect(self.replan)
            limit.hide()
            inside.addWidget(limit)
        self._body = column(gap=6)
        inside.addLayout(self._body)
        self.load.setEnabled(False)
        self.state.setText(context.words("plan.planning"))
        context.words.changed.connect(self._show)
        context.bridge.engine_changed.connect(self._engine_changed)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.preview is None and self._running is None:
            self.replan()

    def model_chosen(self) -> None:
        """Another model is to be planned, once somebody looks."""
        self.preview = None
        if self.isVisible():
            self.replan()

    def replan(self) -> None:
        """Plan with the limits as they stand; a plan under way is given up."""
        if self._running is not None:
            self._again = True
            self._running.cancel()
            return
        bridge = self._context.bridge
        op = preview_plan(bridge.services, vram_mib=self.vram.mib, ram_mib=self.ram.mib)
        self._running = bridge.start(
            op, self, lane=Lane.ASK, events=lambda batch: self._done(batch[-1]), done=self._done, failed=self._failed,
            ended=self._ended)

    def _done(self, preview: Preview) -> None:
        self.preview = preview
        self._show()

    def _failed(self, error: BaseException) -> None:
        self.preview = None
        clear(self._body)
        self.load.setEnabled(False)
        self.state.setText(self._context.words.sentence(getattr(error, "message", str(error))))

    def _ended(self) -> None:
        self._running = None
        if self._again:
            self._again = False
            self.replan()

    def _show(self) -> None:
        preview, words = self.preview, self._context.words
        if preview is None:
            return
        clear(self._body)
        plan = preview.plan
        self.load.setEnabled(plan.fits)
        self.vram.setVisible(preview.vram_total > 0)
        self.ram.setVisible(True)
        self.vram.show_limit(preview.vram_total, preview.vram_limit)
        self.ram.show_limit(preview.ram_total, preview.ram_limit)
        self.state.setText(self._headline(preview))
        for device, limit, used in self._bars(preview):
            self._bar(device, limit, used)
        if plan.placement:
            self._body.addWidget(self._legend(plan.placement))
        for sentence in plan.explanation:
            self._body.addWidget(label(f"•  {words.sentence(sentence)}", "muted", wrap=True))

    def _headline(self, preview: Preview) -> str:
        words, plan = self._context.words, preview.plan
        if not plan.fits:
            return words("plan.does_not_fit", name=plan.model)
        text = words(
            "plan.expected", name=plan.model, decode=f"{plan.predicted.decode_tokens_per_s:.1f}",
            prefill=f"{plan.predicted.prefill_tokens_per_s:.0f}")
        state = self._context.services.engine.state
        if isinstance(state, EngineReady) and state.model.path == preview.path and state.model.decode_tokens_per_s:
            text += " " + words("plan.measured", decode=f"{state.model.decode_tokens_per_s:.1f}")
        return text

    def _bars(self, preview: Preview) -> list[tuple[str, int, int]]:
        used: dict[str, int] = {}
        for part in preview.plan.placement:
            used[part.device] = used.get(part.device, 0) + part.bytes
        gpus = [device for device in used if device not in (_CPU, _DISK)]
        rows = [(gpu, preview.vram_limit, used[gpu]) for gpu in gpus]
        rows += [(_CPU, preview.ram_limit, used[_CPU])] if _CPU in used else []
        return [*rows, *([(_DISK, used[_DISK], used[_DISK])] if _DISK in used else [])]

    def _bar(self, device: str, limit: int, used: int) -> None:
        assert self.preview is not None
        words = self._context.words
        key = {_CPU: "plan.bar_ram", _DISK: "plan.bar_disk"}.get(device, "plan.bar_vram")
        self._body.addWidget(label(words(key, device=device, used=memory(used), limit=memory(limit)), "small-strong"))
        bar = PartsBar(self._context.look)
        parts = [part for part in self.preview.plan.placement if part.device == device]
        bar.show_parts([(part, f"{self._name(part)} {memory(part.bytes)}") for part in parts], limit)
        self._body.addWidget(bar)

    def _legend(self, parts: tuple[Part, ...]) -> QWidget:
        holder = QFrame()
        grid = QGridLayout(holder)
        grid.setContentsMargins(0, 4, 0, 4)
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(3)
        grid.setColumnStretch(4, 1)
        for line, part in enumerate(parts):
            place = self._context.words(f"plan.in_{'ram' if part.device == _CPU else 'disk'}") if part.device in (
                _CPU, _DISK) else part.device
            grid.addWidget(Swatch(self._context.look, part.tensors), line, 0)
            grid.addWidget(label(self._name(part)), line, 1)
            grid.addWidget(label(place, "small"), line, 2)
            grid.addWidget(label(memory(part.bytes), "small"), line, 3)
            grid.addWidget(label(self._context.words.sentence(part.reason), "small", wrap=True), line, 4)
        return holder

    def _name(self, part: Part) -> str:
        words = self._context.words
        name = words(f"plan.part_{part.tensors.value}")
        return words("plan.part_layers", name=name, layers=part.layers) if part.layers else name

    def _engine_changed(self, state: EngineState) -> None:
        self.load.setVisible(not isinstance(state, EngineLoading))
        if self.preview is not None and isinstance(state, EngineReady):
            self.state.setText(self._headline(self.preview))

    def _load(self) -> None:
        bridge = self._context.bridge
        bridge.start(load_within(bridge.services, vram_mib=self.vram.mib, ram_mib=self.ram.mib), self, lane=Lane.ASK)
