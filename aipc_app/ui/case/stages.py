"""What each way of searching found: a passage a row, its place in each of them. For trying out questions."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem

from aipc_app.domain.documents import Evidence, Stage
from aipc_app.ui.case.conversation.cards import passage_place
from aipc_app.ui.case.conversation.where import where_told
from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.basics import tip

_STAGES = tuple(Stage)
_COLUMNS = ("rank", "where", *(stage.value for stage in _STAGES), "score")
_WIDTHS = (2.0, 0.0, 2.7, 3.3, 2.7, 3.3, 2.9)  # of the columns, in heights of a line; the passage takes what is left
_LAST = 10_000  # sorts what a stage did not find behind all it did


class StagesTable(QTableWidget):
    """Sorted by any column at a click on its head. `opened(Place)` for a row."""

    opened = Signal(object)

    def __init__(self, context: UiContext) -> None:
        super().__init__(0, len(_COLUMNS))
        self._context = context
        self._evidence: tuple[Evidence, ...] = ()
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.verticalHeader().hide()
        head = self.horizontalHeader()
        head.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        head.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        head.setHighlightSections(False)
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for column, lines in enumerate(_WIDTHS):
            self.setColumnWidth(column, round(lines * self.fontMetrics().height()))
        head.sectionResized.connect(lambda *_sizes: self.resizeRowsToContents())
        context.words.bind(self, self.setAccessibleName, "stages.table")
        self._head()
        context.words.changed.connect(self._head)
        self.cellActivated.connect(lambda row, _column: self._open(row))
        self.cellClicked.connect(lambda row, _column: self._open(row))

    def show_evidence(self, evidence: Sequence[Evidence]) -> None:
        """In the order of the score."""
        self._evidence = tuple(evidence)
        self.setSortingEnabled(False)
        self.setRowCount(len(self._evidence))
        for row, found in enumerate(self._evidence):
            for column, item in enumerate(self._items(row, found)):
                self.setItem(row, column, item)
        reread = any(Stage.RERANK in found.ranks for found in self._evidence)
        self.setColumnHidden(_COLUMNS.index(Stage.RERANK.value), not reread)
        self.setSortingEnabled(True)
        self.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        self.resizeRowsToContents()

    def _items(self, row: int, found: Evidence) -> list[QTableWidgetItem]:
        passage = found.passage
        where = where_told(self._context.words, passage.document, passage.page, passage.page_label)
        heading = " · ".join(part for part in dict.fromkeys((passage.article, passage.heading)) if part)
        place = _Cell(f"{heading}\n{where}" if heading else where)
        place.setToolTip(tip(passage.text[:600]))
        place.setData(Qt.ItemDataRole.UserRole, row)
        ranks = [_number(found.ranks.get(stage)) for stage in _STAGES]
        return [_number(row + 1), place, *ranks, _Cell(f"{found.score:.3f}", -found.score)]

    def _open(self, row: int) -> None:
        item = self.item(row, 1)
        if item is not None:
            self.opened.emit(passage_place(self._evidence[item.data(Qt.ItemDataRole.UserRole)].passage))

    def _head(self) -> None:
        self.setHorizontalHeaderLabels([self._context.words(f"stages.{name}") for name in _COLUMNS])


class _Cell(QTableWidgetItem):
    """Sorted by a number where it has one."""

    def __init__(self, text: str, order: float | None = None) -> None:
        super().__init__(text)
        self._order = order
        if order is not None:
            self.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)

    def __lt__(self, other: QTableWidgetItem) -> bool:
        if isinstance(other, _Cell) and self._order is not None and other._order is not None:
            return self._order < other._order
        return self.text() < other.text()


def _number(value: int | None) -> _Cell:
    return _Cell("–" if value is None else str(value), _LAST if value is None else value)
