"""The findings of a review, section by section; filled while it runs."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QScrollArea, QWidget

from aipc_app.domain.review import Decision, Finding, Item, Review
from aipc_app.ui.context import UiContext
from aipc_app.ui.review.finding_detail import FindingDetail
from aipc_app.ui.review.finding_row import FindingRow
from aipc_app.ui.widgets.basics import clear, column, label


class FindingTable(QScrollArea):
    """`opened(Place)`; `decided(item id, Decision, text)`; `commented(item id, text)`."""

    opened = Signal(object)
    decided = Signal(str, object, str)
    commented = Signal(str, str)

    def __init__(self, context: UiContext) -> None:
        super().__init__(widgetResizable=True)
        self._context = context
        self._review: Review | None = None
        self._titles: list[tuple[QLabel, int]] = []
        self.rows: dict[str, FindingRow] = {}
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        sheet = QWidget()
        sheet.setProperty("kind", "sheet")
        self._inside = column(sheet, gap=6)
        self._inside.setContentsMargins(14, 8, 14, 14)
        self.setWidget(sheet)
        context.words.changed.connect(self._retitle)

    def show_review(self, review: Review) -> None:
        """Its rows; kept when it is the same template as before."""
        if self._review is None or self._review.id != review.id:
            self._build(review)
        self._review = review
        for item, shown in self.rows.items():
            finding = review.finding(item)
            if finding is not None:
                shown.show_finding(finding)
            else:
                shown.show_waiting()

    def empty(self) -> None:
        """Nothing of a review before."""
        self._review, self.rows, self._titles = None, {}, []
        clear(self._inside)

    def show_working(self, items: Sequence[str]) -> None:
        """These are being worked out."""
        for item in items:
            if item in self.rows:
                self.rows[item].show_working()

    def show_finding(self, finding: Finding) -> None:
        if finding.item in self.rows:
            self.rows[finding.item].show_finding(finding)

    def rest(self) -> None:
        """Nothing is worked out any more."""
        for shown in self.rows.values():
            if shown.finding is None:
                shown.show_waiting()

    def _build(self, review: Review) -> None:
        self.empty()
        language = self._context.words.language
        for number, section in enumerate(review.template.sections):
            title = label(section.title.of(language), "heading", wrap=True)
            self._titles.append((title, number))
            self._inside.addWidget(title)
            for item in section.items:
                self.rows[item.id] = self._row(item)
                self._inside.addWidget(self.rows[item.id])
        self._inside.addStretch(1)
        self.verticalScrollBar().setValue(0)

    def _row(self, item: Item) -> FindingRow:
        made = FindingRow(self._context, item, self._detail)
        made.opened.connect(self.opened)
        return made

    def _detail(self, shown: FindingRow) -> FindingDetail:
        made, item = FindingDetail(self._context, shown.item), shown.item.id
        made.opened.connect(self.opened)
        made.decided.connect(lambda decision, text: self._decided(item, decision, text))
        made.commented.connect(lambda text: self.commented.emit(item, text))
        return made

    def _decided(self, item: str, decision: Decision, text: str) -> None:
        self.decided.emit(item, decision, text)

    def _retitle(self) -> None:
        if self._review is None:
            return
        for title, number in self._titles:
            title.setText(self._review.template.sections[number].title.of(
                self._context.words.language))
