"""What happens before the first word: finding, loading, reading."""

from __future__ import annotations

from PySide6.QtWidgets import QProgressBar, QWidget

from aipc_app.domain.answers import Reading
from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.basics import column, label
from aipc_app.ui.widgets.figures import seconds


class TurnProgress(QWidget):
    """A sentence and a thin bar. `started` once anything but waiting was shown."""

    def __init__(self, context: UiContext) -> None:
        super().__init__()
        self._words = context.words
        inside = column(self, gap=4)
        self.text = label(kind="small", wrap=True)
        self._bar = QProgressBar(textVisible=False)
        self._bar.setRange(0, 1000)
        inside.addWidget(self.text)
        inside.addWidget(self._bar)
        self.searching()
        self.started = False

    def searching(self) -> None:
        self._show(self._words("progress.searching"), None)

    def loading(self, fraction: float) -> None:
        self._show(self._words("progress.loading", percent=f"{fraction:.0%}"), fraction)

    def preparing(self) -> None:
        self._show(self._words("progress.preparing"), None)

    def reading(self, event: Reading) -> None:
        """Tokens in place, with the estimate the engine gives."""
        key = "progress.reading_restored" if event.restored_tokens else "progress.reading"
        self._show(self._words(
            key, done=f"{event.done_tokens:,}", total=f"{event.total_tokens:,}",
            restored=f"{event.restored_tokens:,}", left=seconds(event.seconds_left)),
            event.done_tokens / max(event.total_tokens, 1))

    def writing(self) -> None:
        self._show(self._words("progress.writing"), None)

    def _show(self, sentence: str, fraction: float | None) -> None:
        self.started = True
        self.text.setText(sentence)
        self._bar.setVisible(fraction is not None)
        self._bar.setValue(int((fraction or 0.0) * 1000))
