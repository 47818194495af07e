"""Passages found for a question: a few at once, the rest on demand; built when they are looked at."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QPushButton, QWidget

from aipc_app.domain.documents import Evidence
from aipc_app.ui.case.conversation.cards import Open, evidence_card
from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.basics import clear, column

SHOWN_AT_FIRST = 3


class EvidenceList(QWidget):
    """A head that opens and closes it, then cards. `is_evidence` False: passages near, but not proof."""

    def __init__(
        self, context: UiContext, evidence: Sequence[Evidence], head: str, on_open: Open, *, query: str,
        is_evidence: bool = True,
    ) -> None:
        super().__init__()
        self._context, self._evidence, self._on_open = context, tuple(evidence), on_open
        self._is_evidence, self._all, self._query = is_evidence, False, query
        inside = column(self, gap=5)
        self.head = QPushButton(head)
        self.head.setProperty("kind", "link")
        self.head.setCheckable(True)
        self.head.setChecked(True)
        self.head.toggled.connect(self._set_open)
        inside.addWidget(self.head)
        self._cards = column(gap=5)
        inside.addLayout(self._cards)
        self.more = QPushButton()
        self.more.setProperty("kind", "link")
        self.more.clicked.connect(self._show_all)
        inside.addWidget(self.more)
        self.head.setEnabled(bool(evidence))
        self._set_open(True)

    def fold(self) -> None:
        """Leave the head alone: the answer is what matters now."""
        self.head.setChecked(False)

    @property
    def cards(self) -> int:
        return self._cards.count()

    def _show_all(self) -> None:
        self._all = True
        self._set_open(True)

    def _set_open(self, on: bool) -> None:
        clear(self._cards)
        tokens = self._context.look.tokens
        self.head.setIcon(self._context.look.icon("down" if on else "right", tokens.accent))
        shown = self._evidence if self._all else self._evidence[:SHOWN_AT_FIRST]
        for item in shown if on else ():
            self._cards.addWidget(evidence_card(
                self._context, item, self._on_open, query=self._query, is_evidence=self._is_evidence))
        rest = len(self._evidence) - len(shown)
        self.more.setVisible(on and rest > 0)
        self.more.setText(self._context.words("answer.show_more", count=rest))
