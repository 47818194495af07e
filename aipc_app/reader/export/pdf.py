"""A plan as a PDF: its own pages, a table of contents and bookmarks, footnotes, an embedded font."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A4
from reportlab.platypus import BaseDocTemplate, CondPageBreak, PageBreak, PageTemplate, Spacer
from reportlab.platypus import Table as Grid
from reportlab.platypus.tableofcontents import TableOfContents

from aipc_app.domain.exporting import (
    EXPORT_WORDS,
    Block,
    Cell,
    DocumentPlan,
    ExportWords,
    Heading,
    Paragraph,
    Run,
    Table,
    Typography,
    footnote_text,
    lines_of,
    runs_of,
)
from aipc_app.reader.convert.lines import with_plain_line_ends
from aipc_app.reader.export.pdf_fonts import Fonts, embed_fonts
from aipc_app.reader.export.pdf_lines import Text
from aipc_app.reader.export.pdf_looks import GRID, Looks, looks_of
from aipc_app.reader.export.pdf_notes import NotedFrame, note_target

_MARGIN_HEAD, _MARGIN_FOOT = 40.0, 36.0  # of notice and page number, points from the edge

_ROOM_BELOW_HEADING = (150.0, 115.0, 90.0)  # points, by level: for what follows it, another heading too


def write_pdf(plan: DocumentPlan, path: Path) -> None:
    """Raises OSError when `path` can't be written, ReadingError where no font can be embedded."""
    words = EXPORT_WORDS[plan.language]
    fonts = embed_fonts(_all_text(plan, words))
    looks = looks_of(plan, fonts)
    story = _Story(plan, words, fonts, looks)
    with path.open("wb") as file:
        _Pages(file, plan, fonts, looks, story.notes).multiBuild(story.flowables)


class _Pages(BaseDocTemplate):  # type: ignore[misc]
    """Notice above, number below, notes at the foot; headings become bookmarks and lines of the contents."""

    def __init__(self, file: Any, plan: DocumentPlan, fonts: Fonts, looks: Looks, notes: dict[int, Text]) -> None:
        super().__init__(file, pagesize=A4, title=plan.title.replace("\n", " "), author="AIPC", lang=plan.language)
        self._plan, self._fonts, self._looks = plan, fonts, looks
        top, bottom, left, right = looks.margins
        across, high = A4[0] - left - right, A4[1] - top - bottom
        self._frame = NotedFrame(left, bottom, across, high, 0, 0, 0, 0, notes=notes)
        self.addPageTemplates(PageTemplate(frames=[self._frame], onPage=self._mark, onPageEnd=self._draw_notes))

    def beforeDocument(self) -> None:  # noqa: N802 - reportlab's name
        self._headings, self._depth = 0, -1

    def afterFlowable(self, flowable: Any) -> None:  # noqa: N802 - reportlab's name
        level = getattr(flowable, "outline_level", None)
        if level is None:
            return
        self._headings += 1
        self._depth = min(level, self._depth + 1)  # bookmarks can't leave out a level
        key, title = f"heading-{self._headings}", flowable.outline_title
        self.canv.bookmarkPage(key)
        self.canv.addOutlineEntry(title, key, self._depth, closed=False)
        if level < 2:
            self.notify("TOCEntry", (level, escape(title), self.page, key))

    def _mark(self, canvas: Any, document: Any) -> None:
        canvas.saveState()
        _top, _bottom, left, right = self._looks.margins
        middle = (left + A4[0] - right) / 2
        if self._plan.notice:
            canvas.setFont(self._fonts.strong, 9)
            canvas.setFillColor(HexColor("#444444"))
            canvas.drawCentredString(middle, A4[1] - _MARGIN_HEAD, self._fonts.shown(_one_line(self._plan.notice)))
            canvas.setStrokeColor(HexColor("#999999"))
            canvas.setLineWidth(0.5)
            canvas.line(left, A4[1] - _MARGIN_HEAD - 5, A4[0] - right, A4[1] - _MARGIN_HEAD - 5)
        canvas.setFillColor(HexColor("#000000"))
        canvas.setFont(self._fonts.text, self._looks.number_size)
        official = self._plan.typography is Typography.OFFICIAL
        number = f"— {document.page} —" if official else str(document.page)
        canvas.drawCentredString(middle, _MARGIN_FOOT, number)
        canvas.restoreState()

    def _draw_notes(self, canvas: Any, _document: Any) -> None:
        self._frame.draw_notes(canvas)


class _Story:
    """The plan as what the PDF library lays out; `notes` by their numbers."""

    def __init__(self, plan: DocumentPlan, words: ExportWords, fonts: Fonts, looks: Looks) -> None:
        self._words, self._fonts, self._looks = words, fonts, looks
        self.notes: dict[int, Text] = {}
        self.flowables: list[Any] = [*self._head(plan)]
        for section in plan.sections:
            self.flowables += self._heading(section.title, 1)
            for block in section.blocks:
                self.flowables += self._block(block)

    def _head(self, plan: DocumentPlan) -> Iterator[Any]:
        yield Text(self._markup(plan.title), self._looks.title)
        for line in plan.subtitle:
            yield Text(self._markup(line), self._looks.subtitle)
        if plan.contents:
            yield Text(self._markup(self._words.contents), self._looks.contents_title)
            yield TableOfContents(levelStyles=list(self._looks.contents), dotsMinLevel=0)
            yield PageBreak()

    def _heading(self, text: str, level: int) -> list[Any]:
        """Never alone at the foot of a page."""
        made = Text(self._markup(text), self._looks.headings[level - 1])
        made.outline_level, made.outline_title = level - 1, self._fonts.shown(_one_line(text))
        return [CondPageBreak(_ROOM_BELOW_HEADING[level - 1]), made]

    def _block(self, block: Block) -> list[Any]:
        match block:
            case Heading():
                return self._heading(block.text, block.level)
            case Paragraph():
                style = self._looks.remark if block.remark else self._looks.body
                return [Text(self._runs(line), style) for line in lines_of(block.runs)]
            case Table():
                return [self._table(block), Spacer(1, 10)]

    def _table(self, block: Table) -> Grid:
        _top, _bottom, left, right = self._looks.margins
        shares = block.widths or (1.0,) * len(block.header)
        widths = [(A4[0] - left - right) * share / sum(shares) for share in shares]
        head = [self._cell(Cell((Run(text, bold=True),))) for text in block.header]
        rows = [[self._cell(cell) for cell in cells] for cells in block.rows]
        return Grid([head, *rows], colWidths=widths, repeatRows=1, splitInRow=1, style=GRID)

    def _cell(self, cell: Cell) -> Text:
        return Text(self._runs(cell.runs), self._looks.cell)

    def _runs(self, runs: tuple[Run, ...]) -> str:
        return "".join(self._run(run) for run in runs)

    def _run(self, run: Run) -> str:
        text = self._markup(run.text)
        marks = "".join(self._mark(note_number) for note_number in map(self._note, run.notes))
        return (f'<font name="{self._fonts.strong}">{text}</font>' if run.bold else text) + marks

    def _note(self, note: Any) -> int:
        number = len(self.notes) + 1
        text = self._markup(_one_line(footnote_text(note, self._words)))
        self.notes[number] = Text(f'<a name="{note_target(number)}"/>[{number}] {text}', self._looks.note)
        return number

    def _mark(self, number: int) -> str:
        return f'<super size="70%"><a href="#{note_target(number)}">[{number}]</a></super>'

    def _markup(self, text: str) -> str:
        """Documents' text is never taken for markup."""
        return escape(self._fonts.shown(with_plain_line_ends(text))).replace("\n", "<br/>")


def _one_line(text: str) -> str:
    return " ".join(with_plain_line_ends(text).split())


def _all_text(plan: DocumentPlan, words: ExportWords) -> Iterator[str]:
    yield from (plan.title, plan.notice, words.contents, *plan.subtitle)
    for section in plan.sections:
        yield section.title
        for block in section.blocks:
            if isinstance(block, Table):
                yield from block.header
            for run in runs_of(block):
                yield run.text
                yield from (footnote_text(note, words) for note in run.notes)
