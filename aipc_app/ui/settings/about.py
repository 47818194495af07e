"""What the program is, and that it keeps to itself."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame

from aipc_app import __version__
from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.basics import column, label, row, said, themed


class AboutCard(QFrame):
    """Name, version, the promise to stay offline."""

    def __init__(self, context: UiContext) -> None:
        super().__init__()
        self.setProperty("kind", "card")
        across = row(self, gap=14)
        across.setContentsMargins(18, 13, 18, 13)
        mark = label()
        mark.setPixmap(context.look.icons.icon("aipc", "").pixmap(40, 40))
        across.addWidget(mark)
        texts = column(gap=1)
        texts.addWidget(label(f"AIPC {__version__}", "strong"))
        texts.addWidget(said(context.words, "about.purpose", "muted", wrap=True))
        offline = row(gap=6)
        shield = label()
        look = context.look
        themed(shield, look, lambda: shield.setPixmap(look.icon("shield", look.tokens.good).pixmap(16, 16)))
        offline.addWidget(shield)
        offline.addWidget(said(context.words, "about.offline", "small", wrap=True), 1)
        texts.addLayout(offline)
        across.addLayout(texts, 1)
