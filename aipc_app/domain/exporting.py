"""What is written to a file for others: a document as plain values, whatever the format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum

from msgspec import Struct


class ExportFormat(StrEnum):
    """A document format that the reader's writers know; the value is the file's extension."""

    DOCX = "docx"
    XLSX = "xlsx"
    PDF = "pdf"


class Typography(StrEnum):
    """`OFFICIAL` is how Chinese authorities set a document (GB/T 9704-2012): 仿宋, first lines indented, "— 1 —"."""

    PLAIN = "plain"
    OFFICIAL = "official"


class Footnote(Struct, frozen=True, kw_only=True):
    """What a statement rests on. `page` counts from 1; `page_label` is the number printed on it."""

    document: str
    page: int
    quote: str = ""
    page_label: str = ""


class Run(Struct, frozen=True):
    """Text in one style; its notes are marked right behind it. "\\n" breaks the line."""

    text: str
    bold: bool = False
    notes: tuple[Footnote, ...] = ()


class Heading(Struct, frozen=True, tag=True):
    """Inside a section, whose title is level 1; `level` is 2 or 3."""

    text: str
    level: int = 2


class Paragraph(Struct, frozen=True, tag=True):
    """`remark`: said by the program about the rest (what could not be found, a warning), set apart from it."""

    runs: tuple[Run, ...]
    remark: bool = False


class Cell(Struct, frozen=True):
    """`number`: what a spreadsheet is to calculate with, where the text is one."""

    runs: tuple[Run, ...] = ()
    number: float | None = None

    @property
    def text(self) -> str:
        """Without its notes."""
        return "".join(run.text for run in self.runs)


class Table(Struct, frozen=True, tag=True):
    """Every row has as many cells as the header. `widths`: shares of the page's width; empty: all the same."""

    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    widths: tuple[float, ...] = ()


Block = Heading | Paragraph | Table


class ExportSection(Struct, frozen=True):
    """A chapter; a sheet of a workbook."""

    title: str
    blocks: tuple[Block, ...] = ()


class DocumentPlan(Struct, frozen=True, kw_only=True):
    """A document to be written. `notice` stands on every page; `contents` asks for a table of contents.

    `subtitle`: lines under the title, such as case, model, date. `language` "zh" or "en" decides the few words that
    the writers add themselves.
    """

    title: str
    language: str
    sections: tuple[ExportSection, ...]
    subtitle: tuple[str, ...] = ()
    notice: str = ""
    typography: Typography = Typography.PLAIN
    contents: bool = True


class ExportWords(Struct, frozen=True, kw_only=True):
    """The few words that a written document needs besides its plan."""

    contents: str
    sources: str
    number: str
    document: str
    page: str
    quote: str
    where: str  # with {document} and {page}
    quoted: str  # with {where} and {quote}


EXPORT_WORDS = {
    "zh": ExportWords(
        contents="目录", sources="出处", number="序号", document="文件", page="页码", quote="原文",
        where="《{document}》第{page}页", quoted="{where}：“{quote}”",
    ),
    "en": ExportWords(
        contents="Contents", sources="Sources", number="No.", document="Document", page="Page", quote="Quote",
        where="{document}, page {page}", quoted="{where}: “{quote}”",
    ),
}  # fmt: skip


def footnote_text(note: Footnote, words: ExportWords) -> str:
    """In one line: document, page, and the words quoted."""
    where = words.where.format(document=note.document, page=note.page_label or note.page)
    quote = " ".join(note.quote.split())
    return words.quoted.format(where=where, quote=quote) if quote else where


def lines_of(runs: Iterable[Run]) -> tuple[tuple[Run, ...], ...]:
    """Cut at line breaks: each line is a paragraph of its own; notes stay behind the end of their run."""
    lines: list[list[Run]] = [[]]
    for run in runs:
        *before, last = run.text.replace("\r\n", "\n").split("\n")
        for text in before:
            lines[-1].append(Run(text, run.bold))
            lines.append([])
        lines[-1].append(Run(last, run.bold, run.notes))
    return tuple(tuple(line) for line in lines if any(run.text.strip() or run.notes for run in line))


def runs_of(block: Block) -> Iterator[Run]:
    """Every run of a block, in reading order."""
    match block:
        case Heading():
            yield Run(block.text)
        case Paragraph():
            yield from block.runs
        case Table():
            for row in block.rows:
                for cell in row:
                    yield from cell.runs
