"""Two reviews of one case, item by item: what differs first."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from aipc_app.domain.review import Finding, FindingDifference
from aipc_app.ui.context import UiContext
from aipc_app.ui.review.finding_row import place_of
from aipc_app.ui.review.states import decision_sign, status_sign
from aipc_app.ui.widgets.basics import clear, column, frame, icon_button, label, row, said, tone

_MOST_SHOWN = 600  # characters of one side


class ComparePage(QWidget):
    """`left` to go back; `opened(Place)`."""

    left = Signal()
    opened = Signal(object)

    def __init__(self, context: UiContext) -> None:
        super().__init__()
        self._context = context
        inside = column(self, gap=0)
        head = frame("bar")
        across = row(head, gap=6)
        across.setContentsMargins(8, 5, 8, 5)
        across.addWidget(icon_button(context.words, context.look, "left", "review.back_to", self.left.emit))
        across.addWidget(said(context.words, "review.compared", "heading"), 1)
        inside.addWidget(head)
        area = QScrollArea(widgetResizable=True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        sheet = QWidget()
        sheet.setProperty("kind", "sheet")
        self._rows = column(gap=6)
        whole = column(sheet, gap=8)
        whole.setContentsMargins(14, 10, 14, 14)
        self.told = label(kind="muted", wrap=True)
        whole.addWidget(self.told)
        whole.addLayout(self._rows)
        whole.addStretch(1)
        area.setWidget(sheet)
        inside.addWidget(area, 1)

    @property
    def shown(self) -> int:
        """How many items differ."""
        return self._rows.count()

    def show_differences(self, differences: Sequence[FindingDifference], names: tuple[str, str]) -> None:
        """`names`: of the two reviews."""
        clear(self._rows)
        differing = [one for one in differences if not one.same]
        self.told.setText(self._context.words(
            "review.differ", count=len(differing), same=len(differences) - len(differing)))
        for difference in differing:
            self._rows.addWidget(self._card(difference, names))

    def _card(self, difference: FindingDifference, names: tuple[str, str]) -> QFrame:
        made = frame("finding")
        inside = column(made, gap=5)
        inside.setContentsMargins(10, 8, 10, 8)
        inside.addWidget(label(difference.label.of(self._context.words.language), "small-strong", wrap=True))
        sides = row(gap=12)
        for name, finding in zip(names, (difference.one, difference.other), strict=True):
            sides.addLayout(self._side(name, finding), 1)
        inside.addLayout(sides)
        return made

    def _side(self, name: str, finding: Finding | None) -> QVBoxLayout:
        words = self._context.words
        made = column(gap=3)
        made.addWidget(label(name, "small", wrap=True))
        if finding is None:
            made.addWidget(label(words("review.not_in_it"), "muted", wrap=True))
        else:
            sign = status_sign(finding)
            state = label(words(sign.key), "pill")
            tone(state, sign.tone)
            head = row()
            head.addWidget(state)
            if (decided := decision_sign(finding)) is not None:
                pill = label(words(decided.key), "pill")
                tone(pill, decided.tone)
                head.addWidget(pill)
            if finding.citations:
                place = place_of(finding.citations[0])
                head.addWidget(icon_button(words, self._context.look, "page", "review.open_source",
                                           lambda: self.opened.emit(place)))
            head.addStretch(1)
            made.addLayout(head)
            text = finding.shown or words.sentence(finding.reason) or words("review.nothing")
            made.addWidget(label(text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…", wrap=True))
        made.addStretch(1)
        return made
