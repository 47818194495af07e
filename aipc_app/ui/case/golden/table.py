"""Golden questions in rows: what is expected, what came out now, and what changed."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem

from aipc_app.domain.golden import Change, GoldenResult, GoldenRow, GoldenTable
from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.basics import themed, tip

_COLUMNS = ("question", "expected", "now", "change")
_EXPECTED_SHARE = 0.24  # of the width
_ICONS = {Change.BETTER: "up", Change.WORSE: "down"}
_TONES = {Change.BETTER: "good", Change.WORSE: "bad", Change.OTHER: "warn"}


class GoldenQuestions(QTableWidget):
    """`chosen(GoldenRow)` for the row looked at, `edit_wanted(GoldenRow)` on double click or Enter,
    `remove_wanted(GoldenRow)` at Delete."""

    chosen = Signal(object)
    edit_wanted = Signal(object)
    remove_wanted = Signal(object)

    def __init__(self, context: UiContext) -> None:
        super().__init__(0, len(_COLUMNS))
        self._context = context
        self._rows: tuple[GoldenRow, ...] = ()
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(True)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        head = self.horizontalHeader()
        head.setHighlightSections(False)
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        head.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        head.setSectionResizeMode(1, QHeaderView.ResizeMode.Fixed)
        head.sectionResized.connect(lambda *_sizes: self.resizeRowsToContents())
        context.words.bind(self, self.setAccessibleName, "golden.title")
        context.words.changed.connect(self._fill)
        themed(self, context.look, self._fill)
        self.currentCellChanged.connect(lambda row, *_before: self._tell(row))
        self.cellDoubleClicked.connect(lambda row, _column: self.edit_wanted.emit(self._rows[row]))

    @property
    def current(self) -> GoldenRow | None:
        return self._rows[self.currentRow()] if 0 <= self.currentRow() < len(self._rows) else None

    def show_table(self, table: GoldenTable) -> None:
        """The row that was looked at stays so."""
        row = self.currentRow()
        self._rows = table.rows
        self._fill()
        if self._rows:
            self.selectRow(min(max(row, 0), len(self._rows) - 1))
        self._tell(self.currentRow())

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.setColumnWidth(1, round(_EXPECTED_SHARE * self.viewport().width()))
        super().resizeEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self.current
        if row is not None and event.key() == Qt.Key.Key_Delete:
            self.remove_wanted.emit(row)
        elif row is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.edit_wanted.emit(row)
        else:
            super().keyPressEvent(event)

    def _tell(self, row: int) -> None:
        self.chosen.emit(self._rows[row] if 0 <= row < len(self._rows) else None)

    def _fill(self) -> None:
        words = self._context.words
        self.setHorizontalHeaderLabels([words(f"golden.{name}") for name in _COLUMNS])
        self.setRowCount(len(self._rows))
        for at, row in enumerate(self._rows):
            expected = row.question.expected or words("golden.must_refuse")
            said = QTableWidgetItem(row.question.question), QTableWidgetItem(expected)
            for column, item in enumerate((*said, self._now(row.now), self._change(row))):
                item.setTextAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
                self.setItem(at, column, item)

    def _now(self, result: GoldenResult | None) -> QTableWidgetItem:
        if result is None:
            return QTableWidgetItem("–")
        words, tokens = self._context.words, self._context.look.tokens
        made = QTableWidgetItem(words("golden.passed" if result.passed else "golden.failed"))
        colour = tokens.good if result.passed else tokens.bad
        made.setForeground(QColor(colour))
        made.setIcon(self._context.look.icon("check" if result.passed else "close", colour))
        made.setToolTip(tip(result.text[:600]))
        return made

    def _change(self, row: GoldenRow) -> QTableWidgetItem:
        if row.now is None:
            return QTableWidgetItem("–")
        made = QTableWidgetItem(self._context.words(f"golden.change_{row.change.value}"))
        colour = getattr(self._context.look.tokens, _TONES.get(row.change, "muted"))
        made.setForeground(QColor(colour))
        if row.change in _ICONS:
            made.setIcon(self._context.look.icon(_ICONS[row.change], colour))
        return made
