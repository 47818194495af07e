"""DOCX: one page of text in body order, as it reads with all changes accepted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from aipc_app.reader.convert.base import Content, ReadPage, Source
from aipc_app.reader.convert.docx_numbering import Numbering
from aipc_app.reader.convert.docx_package import Element, Package, attribute, child, children, local, open_package
from aipc_app.reader.convert.docx_runs import Runs
from aipc_app.reader.convert.docx_styles import Styles
from aipc_app.reader.convert.grid import CELL
from aipc_app.reader.convert.pages import text_page
from aipc_app.reader.convert.zip_guard import damaged
from aipc_app.reader.failure import FailureKind, ReadingError

_WRAPPERS = frozenset(
    {"sdt", "sdtContent", "customXml", "ins", "moveTo", "smartTag", "sect", "sub-section", "body", "txbxContent"}
)
_MAX_DEPTH = 40  # tables in tables in text boxes


@contextmanager
def convert(source: Source) -> Iterator[Content]:
    """Raises ReadingError: damaged, limit."""
    with open_package(source) as package:
        yield _Docx(package)


@dataclass(frozen=True)
class _Docx:
    """Read when its page is asked for: recognising its pictures takes time."""

    package: Package
    count: int = 1
    has_layout: bool = False

    @property
    def title(self) -> str:
        return self.package.title

    def pages(self) -> Iterator[ReadPage]:
        text = body_text(self.package)
        pictures = self.package.pictures
        yield text_page(1, text) if pictures is None else pictures.page(1, text, pictures=pictures.count > 0)


def body_text(package: Package) -> str:
    """The text of a document's parts, to be tidied. Raises ReadingError: damaged."""
    return _Body(package).text()


class _Body:
    """Walks the blocks. Headers, footers and comments are left out; foot- and endnotes come at the end."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._numbering = Numbering(package.numbering)
        self._styles = Styles(package.styles)
        self._runs = Runs()
        self._joined = ""  # text of a paragraph whose mark was deleted: it runs on into the next one

    def text(self) -> str:
        body = child(self._package.document, "body")
        if body is None:
            raise damaged()
        lines = list(self._blocks(body, 0))
        for kind, root in (("footnote", self._package.footnotes), ("endnote", self._package.endnotes)):
            lines += self._notes(kind, root)
        return "\n".join(lines)

    def _blocks(self, parent: Element, depth: int) -> Iterator[str]:
        if depth > _MAX_DEPTH:
            raise ReadingError(FailureKind.DAMAGED, "This file is nested too deeply to be read; it may be damaged.")
        for block in parent:
            name = local(block)
            if name == "p":
                yield from self._paragraph(block, depth)
            elif name == "tbl":
                yield ""
                yield from self._table(block, depth)
                yield ""
            elif name == "altChunk":
                yield from self._package.part_lines(attribute(block, "id") or "")
            elif name in _WRAPPERS:
                yield from self._blocks(block, depth + 1)

    def _paragraph(self, paragraph: Element, depth: int) -> Iterator[str]:
        properties = child(paragraph, "pPr")
        read = self._runs.read(paragraph)
        text = self._joined + read.text
        self._joined = ""
        if child(properties, "rPr", "del") is not None:
            self._joined = text
        elif text.strip():
            heading = self._styles.is_heading(properties)
            if heading:
                yield ""
            yield self._label(properties) + text
            if heading:
                yield ""
        else:
            yield ""
        for box in read.boxes:
            yield from self._blocks(box, depth + 1)
        for part in read.graphics:
            yield from ("", *self._package.part_lines(part), "")
        for picture in read.pictures:
            yield from self._package.picture_lines(picture)

    def _label(self, properties: Element | None) -> str:
        numbered = self._styles.number_of(properties)
        label = self._numbering.label(*numbered) if numbered is not None else ""
        return f"{label} " if label and label[-1].isascii() else label

    def _table(self, table: Element, depth: int) -> Iterator[str]:
        for row in _rows(table):
            cells = list(_cells(row))
            if child(row, "trPr", "del") is not None:
                continue
            if len(cells) == 1:
                yield from self._blocks(cells[0], depth + 1)
            else:
                texts = [self._cell(cell, depth) for cell in cells]
                if any(texts):
                    yield CELL.join(texts).strip()

    def _cell(self, cell: Element, depth: int) -> str:
        lines = (" ".join(line.split()) for line in self._blocks(cell, depth + 1))
        return " ".join(line for line in lines if line)

    def _notes(self, kind: str, root: Element | None) -> Iterator[str]:
        """Only notes that the text refers to, in that order."""
        notes = {attribute(note, "id"): note for note in children(root, kind)}
        for mark, note_id in self._runs.references(kind):
            note = notes.get(note_id)
            if note is not None:
                yield f"[{mark}] " + " ".join(" ".join(self._blocks(note, 1)).split())


def _rows(table: Element) -> Iterator[Element]:
    return _within(table, "tr", ("sdt", "sdtContent", "customXml", "ins", "moveTo"))


def _cells(row: Element) -> Iterator[Element]:
    return _within(row, "tc", ("sdt", "sdtContent", "customXml", "ins", "moveTo"))


def _within(parent: Element, name: str, wrappers: tuple[str, ...]) -> Iterator[Element]:
    for element in parent:
        if local(element) == name:
            yield element
        elif local(element) in wrappers:
            yield from _within(element, name, wrappers)
