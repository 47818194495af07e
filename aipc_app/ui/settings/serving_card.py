"""Other programs on this PC may ask the model: switched on here, until it is switched off or the program ends."""

from __future__ import annotations

from functools import partial

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QWidget

from aipc_app.operations import serving
from aipc_app.operations.op import Op
from aipc_app.operations.serving import Served
from aipc_app.ui.bridge.lanes import Lane
from aipc_app.ui.context import UiContext
from aipc_app.ui.problems import translate_error
from aipc_app.ui.widgets.basics import button, column, label, row, said
from aipc_app.ui.widgets.elided import ElidedLabel


class ServingCard(QFrame):
    """`served` while the door is open."""

    def __init__(self, context: UiContext) -> None:
        super().__init__()
        self._context = context
        self.served: Served | None = None
        self.setProperty("kind", "card")
        words = context.words
        inside = column(self, gap=11)
        inside.setContentsMargins(18, 13, 18, 13)
        across = row(gap=16)
        across.addWidget(said(words, "serving.hint", "small", wrap=True), 1)
        self.start, self.stop = button(words, "serving.start", self._start), button(words, "serving.stop", self._stop)
        across.addWidget(self.start)
        across.addWidget(self.stop)
        inside.addLayout(across)
        self.open = QWidget()
        lines = column(self.open, gap=4)
        self.address, self.token = ElidedLabel(kind="strong"), ElidedLabel(kind="small")
        for key, shown in (("serving.address", self.address), ("serving.token", self.token)):
            one = row(gap=10)
            one.addWidget(said(words, key, "muted"))
            one.addWidget(shown, 1)
            copy = button(words, "serving.copy", partial(self._copy, shown))
            words.bind(copy, copy.setAccessibleName, f"{key}_copy")
            one.addWidget(copy)
            lines.addLayout(one)
        inside.addWidget(self.open)
        self.error = label(kind="error", wrap=True)
        self.error.hide()
        inside.addWidget(self.error)
        self._show(None)
        bridge = context.bridge
        bridge.start(serving.serving_status(bridge.services), self, done=self._show)

    def _start(self) -> None:
        self._run(serving.start_serving(self._context.services))

    def _stop(self) -> None:
        bridge = self._context.bridge
        bridge.start(serving.stop_serving(bridge.services), self, lane=Lane.WORK, done=lambda _none: self._show(None))

    def _run(self, operation: Op[Served]) -> None:
        self.start.setEnabled(False)
        self._context.bridge.start(
            operation, self, lane=Lane.WORK, done=self._show, failed=self._failed,
            ended=lambda: self.start.setEnabled(True))

    def _show(self, served: Served | None) -> None:
        self.served = served
        self.open.setVisible(served is not None)
        self.start.setVisible(served is None)
        self.stop.setVisible(served is not None)
        self.error.hide()
        if served is not None:
            self.address.setText(served.address)
            self.token.setText(served.token)

    def _failed(self, error: BaseException) -> None:
        self.error.setText(translate_error(error, self._context.words).sentence)
        self.error.show()

    def _copy(self, shown: ElidedLabel) -> None:
        QGuiApplication.clipboard().setText(shown.text())
        self._context.notices.tell(self._context.words("serving.copied"))
