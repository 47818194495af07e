"""Before a long reading: how long it will take, and what can be done about it; and a question that waits its turn."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QFrame

from aipc_app.domain.remembering import Forecast
from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.basics import button, column, label, row, themed, with_icon
from aipc_app.ui.widgets.figures import seconds

LONG_S = 60.0  # predicted reading from which on the user is asked first; the sample case stays below on two cores


class LongReadCard(QFrame):
    """Says how much is new to the model and how long that takes; one of three buttons decides."""

    def __init__(
        self, context: UiContext, forecast: Forecast, now: Callable[[], object], later: Callable[[], object],
        passages: Callable[[], object],
    ) -> None:
        super().__init__()
        self.setProperty("kind", "quiet-card")
        self.setObjectName("longRead")
        words = context.words
        inside = column(self, gap=8)
        inside.setContentsMargins(12, 9, 10, 10)
        head = row(gap=8)
        mark, look = label(), context.look
        themed(mark, look, lambda: mark.setPixmap(look.icon("clock", look.tokens.warn).pixmap(18, 18)))
        head.addWidget(mark)
        unread = forecast.tokens - forecast.known_tokens
        self.text = label(words("ask.long_read", unread=f"{unread:,}", total=f"{forecast.tokens:,}",
                                took=seconds(forecast.seconds)), wrap=True)
        head.addWidget(self.text, 1)
        inside.addLayout(head)
        self.later = button(words, "ask.long_later", later, "primary")
        words.bind(self.later, self.later.setToolTip, "ask.long_later_hint")
        self.now = button(words, "ask.long_now", now)
        self.passages = button(words, "ask.long_passages", passages, "plain")
        choices = row(gap=6)
        for choice in (self.later, self.now):
            choices.addWidget(choice)
        choices.addStretch(1)
        inside.addLayout(choices)
        inside.addWidget(self.passages)


class QueuedCard(QFrame):
    """A question that waits: says what happens meanwhile; it can be taken out of the queue."""

    def __init__(self, context: UiContext, cancel: Callable[[], object]) -> None:
        super().__init__()
        self._context = context
        self.setProperty("kind", "quiet-card")
        self.setObjectName("queued")
        inside = column(self, gap=4)
        inside.setContentsMargins(12, 8, 10, 8)
        self.text = label(kind="small", wrap=True)
        inside.addWidget(self.text)
        self.cancel = button(context.words, "ask.queued_cancel", cancel, "link")
        with_icon(self.cancel, context.look, "close")
        inside.addWidget(self.cancel)
        context.awake.changed.connect(self._say)
        context.words.changed.connect(self._say)
        self._say()

    def _say(self) -> None:
        words, awake = self._context.words, self._context.awake.works
        self.text.setText(words("ask.queued_not_awake" if awake is False else "ask.queued_awake"))
