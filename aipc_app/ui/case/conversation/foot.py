"""Below an answer: how it was worked out, and what can be done with it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from aipc_app.domain.answers import Answer
from aipc_app.ui.case.conversation.export import answer_text
from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.basics import button, icon_button, label, row, with_icon
from aipc_app.ui.widgets.figures import seconds


class TurnFoot(QWidget):
    """Timing, and copying with sources."""

    def __init__(self, context: UiContext, answer: Answer) -> None:
        super().__init__()
        self._context, self._answer = context, answer
        inside = row(self, gap=6)
        self.timing = label(timing_line(context, answer), "small", wrap=True)
        inside.addWidget(self.timing, 1)
        self.keep = icon_button(context.words, context.look, "star", "golden.keep")
        inside.addWidget(self.keep)
        self.copy = icon_button(context.words, context.look, "copy", "answer.copy", self._copy)
        inside.addWidget(self.copy)

    @staticmethod
    def retry(context: UiContext, on_click: Callable[[], object]) -> QWidget:
        """A foot that offers to ask again."""
        made = QWidget()
        inside = row(made)
        again = button(context.words, "answer.again", on_click)
        with_icon(again, context.look, "working")
        inside.addWidget(again)
        inside.addStretch(1)
        return made

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(answer_text(self._answer, self._context.words))
        self._context.notices.tell(self._context.words("answer.copied"))


def timing_line(context: UiContext, answer: Answer) -> str:
    """"Whole documents · first word 0.8 s · read 310 of 4,021 tokens, 3,711 from memory · 9.1 tokens/s"."""
    words, timing = context.words, answer.timing
    parts = [words(f"mode.{answer.mode.value}")]
    if answer.stopped:
        parts.append(words("answer.was_stopped"))
    if timing.ttft_s:
        parts.append(words("timing.first", took=seconds(timing.ttft_s)))
    if timing.prompt_tokens:
        parts.append(words("timing.memory", restored=f"{timing.restored_tokens:,}", total=f"{timing.prompt_tokens:,}"))
    if timing.decode_tokens_per_s:
        parts.append(words("timing.speed", speed=f"{timing.decode_tokens_per_s:.1f}"))
    if answer.model:
        parts.append(answer.model)
    return " · ".join(parts)
