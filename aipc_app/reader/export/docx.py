"""A plan as a Word document: real styles, a table of contents, real footnotes, the notice on every page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docx import Document
from docx.enum.table import WD_TABLE_ALIGNMENT
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Emu

from aipc_app.domain.exporting import (
    EXPORT_WORDS,
    Block,
    DocumentPlan,
    Heading,
    Paragraph,
    Run,
    Table,
    Typography,
    lines_of,
)
from aipc_app.reader.convert.lines import with_plain_line_ends
from aipc_app.reader.export.docx_contents import Contents
from aipc_app.reader.export.docx_notes import Footnotes
from aipc_app.reader.export.docx_settings import finish_settings
from aipc_app.reader.export.docx_styles import NOTICE, REMARK, TABLE_TEXT, make_styles

_KEPT_TOGETHER = 500  # characters of a row that isn't broken over pages


def write_docx(plan: DocumentPlan, path: Path) -> None:
    """Raises OSError when `path` can't be written."""
    _Writer(plan).write(path)


class _Writer:
    def __init__(self, plan: DocumentPlan) -> None:
        self._plan = plan
        self._document = Document()
        make_styles(self._document, plan)
        self._notes = Footnotes(self._document, EXPORT_WORDS[plan.language])
        self._contents = Contents(self._document, EXPORT_WORDS[plan.language])

    def write(self, path: Path) -> None:
        self._head()
        for section in self._plan.sections:
            self._contents.heading(section.title, 1)
            for block in section.blocks:
                self._block(block)
        self._contents.finish()
        self._page_marks()
        self._notes.finish()
        finish_settings(self._document, self._plan)
        self._document.save(str(path))

    def _head(self) -> None:
        self._document.add_paragraph(with_plain_line_ends(self._plan.title), style="Title")
        for line in self._plan.subtitle:
            self._document.add_paragraph(with_plain_line_ends(line), style="Subtitle")
        if self._plan.contents:
            self._contents.begin()

    def _block(self, block: Block) -> None:
        match block:
            case Heading():
                self._contents.heading(block.text, block.level)
            case Paragraph():
                for line in lines_of(block.runs):
                    made = self._document.add_paragraph(style=REMARK if block.remark else "Body Text")
                    self._fill(made, line)
            case Table():
                self._table(block)

    def _table(self, block: Table) -> None:
        table = self._document.add_table(rows=0, cols=len(block.header), style="Table Grid")
        table.alignment = WD_TABLE_ALIGNMENT.CENTER
        table.autofit = False
        widths = _widths(self._document, block)
        for i, width in enumerate(widths):
            table.columns[i].width = Emu(width)
        head = self._row(table, tuple((Run(text, bold=True),) for text in block.header), widths)
        head._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader"))
        for cells in block.rows:
            self._row(table, tuple(cell.runs for cell in cells), widths)
        self._document.add_paragraph(style=TABLE_TEXT)  # else two tables in a row become one

    def _row(self, table: Any, cells: tuple[tuple[Run, ...], ...], widths: list[int]) -> Any:
        row = table.add_row()
        if sum(len(run.text) for runs in cells for run in runs) < _KEPT_TOGETHER:
            row._tr.get_or_add_trPr().append(OxmlElement("w:cantSplit"))
        for cell, runs, width in zip(row.cells, cells, widths, strict=True):
            cell.width = Emu(width)
            made = cell.paragraphs[0]
            made.style = TABLE_TEXT
            self._fill(made, runs)
        return row

    def _fill(self, paragraph: Any, runs: tuple[Run, ...]) -> None:
        for run in runs:
            made = paragraph.add_run(with_plain_line_ends(run.text))
            if run.bold:
                made.bold = True
            for i, note in enumerate(run.notes):
                self._notes.mark(paragraph, note, follows=i > 0)

    def _page_marks(self) -> None:
        section = self._document.sections[0]
        if self._plan.notice:
            made = section.header.paragraphs[0]
            made.style = NOTICE
            made.add_run(with_plain_line_ends(self._plan.notice))
        foot = section.footer.paragraphs[0]
        dash = "— " if self._plan.typography is Typography.OFFICIAL else ""
        foot.add_run(dash)
        field = OxmlElement("w:fldSimple")
        field.set(qn("w:instr"), " PAGE ")
        shown = OxmlElement("w:r")
        number = OxmlElement("w:t")
        number.text = "1"
        shown.append(number)
        field.append(shown)
        foot._p.append(field)
        foot.add_run(dash[::-1])


def _widths(document: Any, block: Table) -> list[int]:
    """Of each column, in EMU; together the page's."""
    section = document.sections[0]
    across = section.page_width - section.left_margin - section.right_margin
    shares = block.widths or (1.0,) * len(block.header)
    return [int(across * share / sum(shares)) for share in shares]
