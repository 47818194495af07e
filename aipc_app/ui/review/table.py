"""The findings of a review, section by section; filled while it runs."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QLabel, QScrollArea, QWidget

from aipc_app.domain.review import Decision, Finding, Item, Review
from aipc_app.ui.context import UiContext
from aipc_app.ui.review.finding_detail import FindingDetail
from aipc_app.ui.review.finding_row import FindingRow
from aipc_app.ui.widgets.basics import clear, column, label

_BUILD_S = 0.015


class FindingTable(QScrollArea):
    """`opened(Place)`; `decided(item id, Decision, text)`; `commented(item id, text)`."""

    opened = Signal(object)
    decided = Signal(str, object, str)
    commented = Signal(str, str)

    def __init__(self, context: UiContext) -> None:
        super().__init__(widgetResizable=True)
        self._context = context
        self._review: Review | None = None
        self._ended = False  # the stretch below the last row is there
        self._titles: list[tuple[QLabel, int]] = []
        self._findings: dict[str, Finding] = {}
        self._working: set[str] = set()
        self._todo: deque[int | Item | None] = deque()
        self._again = QTimer(self, singleShot=True, interval=0)
        self._again.timeout.connect(self._build_some)
        self.rows: dict[str, FindingRow] = {}
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        sheet = QWidget()
        sheet.setProperty("kind", "sheet")
        self._inside = column(sheet, gap=6)
        self._inside.setContentsMargins(14, 8, 14, 14)
        self.setWidget(sheet)
        context.words.changed.connect(self._retitle)

    @property
    def building(self) -> bool:
        """Rows are still to come."""
        return bool(self._todo)

    def show_review(self, review: Review) -> None:
        """Its rows, a few at a time; kept when they are those of this review. A task has more with each step."""
        if self._review is None or self._review.id != review.id:
            self.empty()
            self._todo.extend(_pieces(review))
        else:
            before = {item.id for item in self._review.template.items}
            self._todo.extend(item for item in review.template.items if item.id not in before)
        self._review = review
        self._findings = {finding.item: finding for finding in review.findings}
        for item, shown in self.rows.items():
            self._fill(item, shown)
        self._build_some()

    def empty(self) -> None:
        """Nothing of a review before."""
        self._review, self.rows, self._titles, self._ended = None, {}, [], False
        self._findings, self._working = {}, set()
        self._todo.clear()
        clear(self._inside)

    def show_working(self, items: Sequence[str]) -> None:
        """These are being worked out."""
        self._working.update(items)
        for item in items:
            if item in self.rows:
                self.rows[item].show_working()

    def show_finding(self, finding: Finding) -> None:
        self._findings[finding.item] = finding
        if finding.item in self.rows:
            self.rows[finding.item].show_finding(finding)

    def rest(self) -> None:
        """Nothing is worked out any more."""
        self._working.clear()
        for shown in self.rows.values():
            if shown.finding is None:
                shown.show_waiting()

    def _build_some(self) -> None:
        """For a few milliseconds: ninety rows at once would hold the window up."""
        until = time.monotonic() + _BUILD_S
        while self._todo and time.monotonic() < until:
            self._build(self._todo.popleft())
        if self._todo:
            self._again.start()

    def _build(self, piece: int | Item | None) -> None:
        if isinstance(piece, Item):
            self.rows[piece.id] = shown = self._row(piece)
            self._fill(piece.id, shown)
            self._add(shown)
        elif piece is not None and self._review is not None:
            title = label(self._review.template.sections[piece].title.of(self._context.words.language), "heading",
                          wrap=True)
            self._titles.append((title, piece))
            self._add(title)
        else:
            self._inside.addStretch(1)
            self._ended = True

    def _add(self, shown: QWidget) -> None:
        self._inside.insertWidget(self._inside.count() - self._ended, shown)

    def _fill(self, item: str, shown: FindingRow) -> None:
        finding = self._findings.get(item)
        if finding is not None:
            shown.show_finding(finding)
        elif item in self._working:
            shown.show_working()
        else:
            shown.show_waiting()

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


def _pieces(review: Review) -> Iterator[int | Item | None]:
    """What the table is built of, from above: a section by its number, its items, None for the end."""
    for number, section in enumerate(review.template.sections):
        yield number
        yield from section.items
    yield None
