"""What the engine is doing: model, state, memory in use, speed of the last answer."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QSizePolicy

from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.basics import column, label, row, themed, tip
from aipc_app.ui.widgets.elided import ElidedLabel
from aipc_app.ui.widgets.figures import memory
from engine.types.model import EngineFailed, EngineLoading, EngineReady, EngineState, EngineStopped


class EngineChip(QPushButton):
    """Click it to see the models."""

    def __init__(self, context: UiContext) -> None:
        super().__init__()
        self._context = context
        self._state: EngineState = EngineStopped()
        self._speed = 0.0
        self._narrow = False
        self.setProperty("kind", "chip")
        self.setObjectName("engineChip")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._mark, self._title, self._detail = label(), ElidedLabel(kind="strong"), ElidedLabel(kind="small")
        self._pace = ElidedLabel(kind="small")
        self._lay_out()
        context.bridge.engine_changed.connect(self.show_state)
        context.words.changed.connect(self._refresh)
        themed(self, context.look, self._refresh)

    def show_state(self, state: EngineState) -> None:
        self._state = state
        self._refresh()

    def show_speed(self, tokens_per_s: float) -> None:
        """Of the last answer."""
        self._speed = tokens_per_s
        self._refresh()

    def set_narrow(self, narrow: bool) -> None:
        self._narrow = narrow
        for part in (self._title, self._detail, self._pace):
            part.setVisible(not narrow)
        self.setFixedHeight(self._height())

    def _lay_out(self) -> None:
        across = row(self, gap=8)
        across.setContentsMargins(10, 7, 8, 7)
        texts = column(gap=1)
        texts.addWidget(self._title)
        texts.addWidget(self._detail)
        texts.addWidget(self._pace)
        across.addWidget(self._mark)
        across.addLayout(texts, 1)
        for part in (self._mark, self._title, self._detail, self._pace):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFixedHeight(self._height())

    def _height(self) -> int:
        lines = [self._title, self._detail] + ([self._pace] if self._pace.text() else [])
        return sum(line.sizeHint().height() + 1 for line in lines) + 14

    def _refresh(self) -> None:
        title, detail, icon, colour = self._parts()
        tokens = self._context.look.tokens
        self._title.setText(title)
        self._detail.setText(detail)
        ready = isinstance(self._state, EngineReady) and self._speed > 0
        pace = self._context.words("engine.speed", speed=f"{self._speed:.1f}") if ready else ""
        self._pace.setText(pace)
        self._pace.setVisible(bool(pace) and not self._narrow)
        self._mark.setPixmap(self._context.look.icon(icon, getattr(tokens, colour)).pixmap(18, 18))
        parts = [part for part in (title, detail, pace) if part]
        self.setAccessibleName(f"{self._context.words('engine.name')}: {', '.join(parts)}")
        self.setToolTip(tip(" · ".join(parts)))
        self.setFixedHeight(self._height())

    def _parts(self) -> tuple[str, str, str, str]:
        words = self._context.words
        match self._state:
            case EngineReady(model) if model.host:
                told = words("engine.remote" if model.encrypted else "engine.remote_open", host=model.host)
                return model.name, told, "export", "warn"
            case EngineReady(model):
                return model.name, self._usage(model.ram_bytes, model.vram_bytes), "models", "good"
            case EngineLoading(path, fraction):
                return _named(path), words("engine.loading", percent=f"{fraction:.0%}"), "working", "accent"
            case EngineFailed(message):
                return words("engine.failed"), words.sentence(message), "warning", "bad"
            case _:
                return words("engine.stopped"), words("engine.stopped_hint"), "models", "faint"

    def _usage(self, ram: int, vram: int) -> str:
        parts = [f"VRAM {memory(vram)}"] if vram else []
        parts.append(f"RAM {memory(ram)}")
        return " · ".join(parts)


def _named(path: str) -> str:
    """A model's file without its ending, or the server that is being reached."""
    return urlsplit(path).hostname or path if path.startswith(("http://", "https://")) else Path(path).stem
