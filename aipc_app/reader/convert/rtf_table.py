"""Paragraphs and table rows of RTF, put together as their control words come."""

from __future__ import annotations

from dataclasses import dataclass, field

from aipc_app.reader.convert.grid import one_line, row_line


@dataclass
class RtfTables:
    """Lines so far. Nested tables run on inside the cell they are in."""

    _lines: list[str] = field(default_factory=list)
    _text: list[str] = field(default_factory=list)  # of the paragraph or cell under way
    _cells: list[str] = field(default_factory=list)
    _above: list[str] = field(default_factory=list)
    _continued: list[bool] = field(default_factory=list)  # for each column: is it merged with the cell above?
    _merged: bool = False
    _in_table: bool = False

    def write(self, text: str) -> None:
        self._text.append(text)

    def end_paragraph(self) -> None:
        if self._in_table or self._cells:
            self._text.append(" ")
            return
        self._lines.append("".join(self._text))
        self._text.clear()

    def word(self, word: str) -> None:
        """A control word; those that are not about tables do nothing."""
        match word:
            case "pard":
                self._in_table = False
            case "intbl":
                self._in_table = True
            case "trowd":
                self._continued, self._merged = [], False
            case "clvmrg":
                self._merged = True
            case "cellx":
                self._continued.append(self._merged)
                self._merged = False
            case "cell":
                self._cells.append(one_line("".join(self._text)))
                self._text.clear()
            case "nestcell":
                self._text.append(" | ")
            case "row":
                self._end_row()

    def lines(self) -> list[str]:
        """Everything, the last line too when nothing ended it."""
        if self._cells:
            self._end_row()
        if self._text:
            self._in_table = False
            self.end_paragraph()
        return self._lines

    def _end_row(self) -> None:
        if not self._above:
            self._lines.append("")
        for column, merged in enumerate(self._continued[: len(self._cells)]):
            if merged and not self._cells[column] and column < len(self._above):
                self._cells[column] = self._above[column]
        if any(self._cells):
            self._lines.append(row_line(self._cells))
        self._above, self._cells, self._in_table = self._cells, [], False
