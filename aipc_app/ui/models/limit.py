"""A limit of memory that can be moved, or left to the program."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSlider, QWidget

from aipc_app.ui.widgets.basics import button, label, row
from aipc_app.ui.widgets.figures import memory
from aipc_app.ui.words import Words

_STEP_MIB = 256


class Limit(QWidget):
    """`moved` tells each step; `mib` is None while the program chooses."""

    moved = Signal()

    def __init__(self, words: Words, key: str) -> None:
        super().__init__()
        self._words, self._key = words, key
        self.mib: int | None = None
        inside = row(self, gap=10)
        self._said = label(kind="small")
        self._said.setMinimumWidth(210)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setSingleStep(1)
        self.slider.setPageStep(8)
        self.slider.valueChanged.connect(self._on_moved)
        self.reset = button(words, "plan.automatic", self._automatic, "plain")
        inside.addWidget(self._said)
        inside.addWidget(self.slider, 1)
        inside.addWidget(self.reset)

    def show_limit(self, total: int, limit: int) -> None:
        """`total` and the limit in force, bytes; what the user moved stays where it is."""
        self.slider.blockSignals(True)
        mib = limit >> 20 if self.mib is None else self.mib
        self.slider.setRange(0, max(1, total >> 20, mib) // _STEP_MIB)
        self.slider.setValue(mib // _STEP_MIB)
        self.slider.blockSignals(False)
        self.reset.setEnabled(self.mib is not None)
        self._say(limit if self.mib is None else self.mib << 20)

    def _say(self, bytes_: int) -> None:
        text = self._words(self._key, size=memory(bytes_))
        self._said.setText(text)
        self.slider.setAccessibleName(text)

    def _on_moved(self, value: int) -> None:
        self.mib = value * _STEP_MIB
        self.reset.setEnabled(True)
        self._say(self.mib << 20)
        self.moved.emit()

    def _automatic(self) -> None:
        self.mib = None
        self.moved.emit()
