"""A plan as a workbook: a first sheet that leads to the others, one for each section, and one with the sources."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from openpyxl import Workbook
from openpyxl.styles import Alignment, Border, Font, PatternFill, Side
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.hyperlink import Hyperlink

from aipc_app.domain.exporting import (
    EXPORT_WORDS,
    Cell,
    DocumentPlan,
    ExportSection,
    Footnote,
    Heading,
    Paragraph,
    Run,
    Table,
)
from aipc_app.reader.convert.lines import with_plain_line_ends

_SHEET_NAME, _NOT_IN_NAMES = 31, re.compile(r"[\[\]:*?/\\\n]+")  # both are Excel's limits
_MOST_CHARS = 32_767  # of a cell
_LINKED = 40  # characters of a cell at most: LibreOffice doesn't wrap the text of a link
_ACROSS = 120  # characters of a sheet's columns together
_FRONT = 90.0  # of the first sheet's only column
_LINE_POINTS, _MOST_POINTS = 15.0, 400.0
_HEAD = PatternFill("solid", fgColor="E9ECF2")
_EDGE = Border(*(Side(style="thin", color="C3C9D4") for _ in range(4)))
_WRAPPED = Alignment(wrap_text=True, vertical="top")
_LINK = Font(color="2A56B0", underline="single")


def write_xlsx(plan: DocumentPlan, path: Path) -> None:
    """Raises OSError when `path` can't be written."""
    writer = _Writer(plan)
    writer.fill()
    with path.open("wb") as file:
        writer.book.save(file)


class _Writer:
    def __init__(self, plan: DocumentPlan) -> None:
        self._plan, self._words = plan, EXPORT_WORDS[plan.language]
        self.book = Workbook()
        self._sources: dict[Footnote, int] = {}
        names = _sheet_names([plan.title, *(section.title for section in plan.sections), self._words.sources])
        self._first, self._names, self._sources_name = names[0], names[1:-1], names[-1]

    def fill(self) -> None:
        first = self.book.active
        first.title = self._first
        self._front(first)
        for section, name in zip(self._plan.sections, self._names, strict=True):
            self._section(self.book.create_sheet(name), section)
        if self._sources:
            self._list_sources(self.book.create_sheet(self._sources_name))
        for sheet in self.book.worksheets:
            self._page(sheet)
        self.book.properties.title, self.book.properties.creator = self._plan.title, "AIPC"

    def _front(self, sheet: Any) -> None:
        sheet.column_dimensions["A"].width = _FRONT
        row = 1
        for text, font in ((self._plan.title, Font(bold=True, size=16)), (self._plan.notice, Font(bold=True))):
            if text:
                _fit_height(sheet, row, text, _FRONT, font)
                row = _line(sheet, row, text, font)
        for text in self._plan.subtitle:
            row = _line(sheet, row, text, Font(color="566074"))
        row += 1
        for section, name in zip(self._plan.sections, self._names, strict=True):
            _link(sheet.cell(row, 1), name)
            row = _line(sheet, row, section.title, _LINK)

    def _section(self, sheet: Any, section: ExportSection) -> None:
        tables = [block for block in section.blocks if isinstance(block, Table)]
        widths = _column_widths(tables)
        for i, width in enumerate(widths, 1):
            sheet.column_dimensions[get_column_letter(i)].width = width
        row = self._across(sheet, 1, (Run(section.title),), widths, Font(bold=True, size=14))
        for block in section.blocks:
            match block:
                case Heading():
                    row = self._across(sheet, row + 1, (Run(block.text),), widths, Font(bold=True))
                case Paragraph():
                    row = self._across(sheet, row, block.runs, widths, Font(italic=block.remark))
                case Table():
                    if len(tables) == 1:
                        sheet.freeze_panes = sheet.cell(row + 1, 1)
                        sheet.print_title_rows = f"{row}:{row}"
                    row = self._table(sheet, row, block)

    def _table(self, sheet: Any, row: int, table: Table) -> int:
        for i, text in enumerate(table.header, 1):
            cell = sheet.cell(row, i)
            _put(cell, text)
            cell.font, cell.fill, cell.border, cell.alignment = Font(bold=True), _HEAD, _EDGE, _WRAPPED
        for cells in table.rows:
            row += 1
            for i, content in enumerate(cells, 1):
                cell = sheet.cell(row, i)
                self._fill(cell, content)
                cell.border, cell.alignment = _EDGE, _WRAPPED
        return row + 2

    def _fill(self, cell: Any, content: Cell) -> None:
        marks = self._marks(content.runs)
        if content.number is None:
            _put(cell, _marked(content.runs, self._sources))
        else:
            cell.value = content.number
            cell.number_format = "#,##0.00##" + "".join(f'" [{mark}]"' for mark in marks)
        if marks and len(content.text) <= _LINKED:
            _link(cell, self._sources_name, marks[0] + 1)

    def _across(self, sheet: Any, row: int, runs: tuple[Run, ...], widths: list[float], font: Font) -> int:
        """A line over all columns."""
        self._marks(runs)
        text = _marked(runs, self._sources)
        if len(widths) > 1:
            sheet.merge_cells(start_row=row, start_column=1, end_row=row, end_column=len(widths))
        _line(sheet, row, text, font)
        _fit_height(sheet, row, text, sum(widths), font)
        return row + 1

    def _marks(self, runs: Iterable[Run]) -> list[int]:
        """The numbers of the sources, each source once."""
        found = [self._sources.setdefault(note, len(self._sources) + 1) for run in runs for note in run.notes]
        return list(dict.fromkeys(found))

    def _list_sources(self, sheet: Any) -> None:
        words = self._words
        for letter, width in zip("ABCD", (8, 40, 10, 90), strict=True):
            sheet.column_dimensions[letter].width = width
        for i, text in enumerate((words.number, words.document, words.page, words.quote), 1):
            cell = sheet.cell(1, i, text)
            cell.font, cell.fill, cell.border = Font(bold=True), _HEAD, _EDGE
        for note, number in self._sources.items():
            page = note.page_label or str(note.page)
            sheet.cell(number + 1, 1, number)
            for i, text in enumerate((note.document, page, note.quote), 2):
                _put(sheet.cell(number + 1, i), text)
            for i in range(1, 5):
                sheet.cell(number + 1, i).border = _EDGE
                sheet.cell(number + 1, i).alignment = _WRAPPED
        sheet.freeze_panes, sheet.print_title_rows = "A2", "1:1"

    def _page(self, sheet: Any) -> None:
        sheet.page_setup.orientation, sheet.page_setup.paperSize = "landscape", sheet.PAPERSIZE_A4
        sheet.sheet_properties.pageSetUpPr.fitToPage = True
        sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight = 1, 0
        sheet.oddHeader.center.text = self._plan.notice.replace("&", "&&")
        sheet.oddFooter.center.text = "&P / &N"


def _put(cell: Any, text: str) -> None:
    """As text, whatever it begins with: what stands in a document is never a formula."""
    cell.value = with_plain_line_ends(text)[:_MOST_CHARS]
    cell.data_type = "s"


def _line(sheet: Any, row: int, text: str, font: Font) -> int:
    cell = sheet.cell(row, 1)
    _put(cell, text)
    cell.font, cell.alignment = font, _WRAPPED
    return row + 1


def _fit_height(sheet: Any, row: int, text: str, width: float, font: Font) -> None:
    """High enough for the text in `width` characters: nothing else fits merged cells."""
    size = (font.sz or 11) / 11
    lines = sum(1 + int(_wide(part) * size // width) for part in text.split("\n"))
    sheet.row_dimensions[row].height = min(_LINE_POINTS * size * lines + 2, _MOST_POINTS)


def _link(cell: Any, sheet: str, row: int = 1) -> None:
    quoted = sheet.replace("'", "''")
    cell.hyperlink = Hyperlink(ref=cell.coordinate, location=f"'{quoted}'!A{row}")


def _marked(runs: Iterable[Run], sources: dict[Footnote, int]) -> str:
    return "".join(run.text + "".join(f" [{sources[note]}]" for note in run.notes) for run in runs)


def _column_widths(tables: list[Table]) -> list[float]:
    """In characters; of several tables the one with most columns decides."""
    if not tables:
        return [float(_ACROSS)]
    widest = max(tables, key=lambda table: len(table.header))
    shares = widest.widths or (1.0,) * len(widest.header)
    return [max(_ACROSS * share / sum(shares), 8.0) for share in shares]


def _wide(text: str) -> int:
    """In half-width characters."""
    return sum(2 if char >= "\u2e80" else 1 for char in text)


def _sheet_names(titles: list[str]) -> list[str]:
    """As Excel takes them: short, without its signs, each one different."""
    names: list[str] = []
    taken: set[str] = set()
    for title in titles:
        base = _NOT_IN_NAMES.sub(" ", with_plain_line_ends(title)).strip(" '") or "-"
        number, name = 1, base[:_SHEET_NAME].strip(" '")
        while name.casefold() in taken:
            number += 1
            tail = f" ({number})"
            name = base[: _SHEET_NAME - len(tail)] + tail
        taken.add(name.casefold())
        names.append(name)
    return names
