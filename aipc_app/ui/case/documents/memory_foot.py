"""Below the documents: how much of them the model remembers, how long reading ahead takes, and a way to order it."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QProgressBar

from aipc_app.domain.answers import Reading
from aipc_app.domain.documents import LIBRARY_ID
from aipc_app.domain.jobs import Changes
from aipc_app.domain.remembering import CaseReading, Pause
from aipc_app.operations import remembering
from aipc_app.ui.bridge.lanes import Lane
from aipc_app.ui.bridge.running import Running
from aipc_app.ui.case.documents.model import DocumentsModel
from aipc_app.ui.context import UiContext
from aipc_app.ui.problems import translate_error
from aipc_app.ui.widgets.basics import button, column, label, row
from aipc_app.ui.widgets.figures import seconds


class MemoryFoot(QFrame):
    """Follows the case that is shown; the law library is never read as a whole and has none."""

    def __init__(self, context: UiContext, model: DocumentsModel) -> None:
        super().__init__()
        self._context, self._model = context, model
        self._case_id: int | None = None
        self._reading: CaseReading | None = None
        self._problem = ""
        self.running: Running | None = None
        self.setProperty("kind", "foot")
        inside = column(self, gap=4)
        inside.setContentsMargins(14, 6, 10, 8)
        across = row(gap=8)
        self.text = label(kind="small", wrap=True)
        across.addWidget(self.text, 1)
        self.now = button(context.words, "remembered.now", self.read_now, "link")
        context.words.bind(self.now, self.now.setToolTip, "remembered.now_hint")
        self.halt = button(context.words, "remembered.stop", self.stop, "link")
        across.addWidget(self.now)
        across.addWidget(self.halt)
        inside.addLayout(across)
        self.bar = QProgressBar(textVisible=False)
        self.bar.setRange(0, 1000)
        context.words.bind(self.bar, self.bar.setAccessibleName, "remembered.reading")
        inside.addWidget(self.bar)
        self.hide()
        context.bridge.changed.connect(self._changed)
        context.bridge.engine_changed.connect(lambda _state: self.reload())
        context.words.changed.connect(self._refresh)

    @property
    def share(self) -> float:
        """Of the case's documents, each counting the same; from 0 to 1."""
        if self._reading is None or not self._reading.shares:
            return 0.0
        rows = [r for r in self._model.rows if r.document.status.readable]
        return sum(r.remembered for r in rows) / len(rows) if rows else 0.0

    def show_case(self, case_id: int) -> None:
        self.stop()
        self._case_id, self._reading, self._problem = case_id, None, ""
        self.hide()
        self.reload()

    def reload(self) -> None:
        if self._case_id is None or self._case_id == LIBRARY_ID or not self._context.bridge.ready:
            return
        bridge, case_id = self._context.bridge, self._case_id
        bridge.start(remembering.case_reading(bridge.services, case_id=case_id), self, done=self._show)

    def documents_changed(self) -> None:
        """Other documents are listed, or their states changed."""
        self.reload()

    def read_now(self) -> None:
        """The user wants it now; this PC stays awake meanwhile."""
        if self._case_id is None or self.running is not None:
            return
        self._problem = ""
        bridge, context = self._context.bridge, self._context
        context.awake.hold(self, context.words("remembered.reading"))
        self.running = bridge.start(
            remembering.remember_case(bridge.services, case_id=self._case_id), self, lane=Lane.READ,
            events=self._take, failed=self._failed, ended=self._ended)
        self._refresh()

    def stop(self) -> None:
        """What was read is kept."""
        if self.running is not None:
            self.running.cancel()

    def _take(self, batch: tuple[object, ...]) -> None:
        loading = [event for event in batch if isinstance(event, float)]
        if loading and not any(isinstance(event, Reading) for event in batch):
            self.text.setText(self._context.words("remembered.loading", percent=f"{loading[-1]:.0%}"))

    def _failed(self, error: BaseException) -> None:
        self._problem = translate_error(error, self._context.words).sentence

    def _ended(self) -> None:
        self.running = None
        self._context.awake.release(self)
        self.reload()
        self._refresh()

    def _changed(self, changes: Changes) -> None:
        if self._case_id in changes.remembering or changes.settings or changes.models:
            self.reload()

    def _show(self, reading: CaseReading) -> None:
        if reading.case_id == self._case_id:
            self._reading = reading
            self._model.set_remembered(reading.shares, reading.running)
            self._refresh()

    def _refresh(self) -> None:
        reading = self._reading
        readable = any(row.document.status.readable for row in self._model.rows)
        self.setVisible(reading is not None and readable)
        if reading is None:
            return
        whole = self.share >= 0.999
        busy = reading.running or self.running is not None
        self.text.setText(self._sentence(reading, whole))
        self.bar.setVisible(busy or 0.0 < self.share < 0.999)
        self.bar.setValue(int(self.share * 1000))
        self.now.setVisible(not whole and not busy)
        self.halt.setVisible(self.running is not None)

    def _sentence(self, reading: CaseReading, whole: bool) -> str:
        words = self._context.words
        if reading.running:
            left = reading.seconds_left
            return words("remembered.left", left=seconds(left)) if left else words("remembered.reading")
        if whole:
            return words("remembered.all")
        if self._problem or reading.problem:
            return self._problem or words.sentence(reading.problem)
        if reading.pause is not Pause.NONE:
            return words(f"remembered.pause_{reading.pause.value}")
        return words("remembered.some", share=f"{self.share:.0%}") if self.share else words("remembered.not_yet")
