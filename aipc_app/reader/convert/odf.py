"""OpenDocument: ODT as one page, ODS a page for each sheet, ODP a page for each slide."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from aipc_app.reader.convert.base import Content, ReadPage, Source
from aipc_app.reader.convert.grid import grid_lines
from aipc_app.reader.convert.odf_package import decrypted_zip
from aipc_app.reader.convert.odf_text import Flow, Lists, cell_text
from aipc_app.reader.convert.office_pictures import PictureText
from aipc_app.reader.convert.pages import check_length, sheet_text
from aipc_app.reader.convert.pptx import NOTES
from aipc_app.reader.convert.xml_tree import Element, attribute, child, children, descendants, local, number, parse
from aipc_app.reader.convert.zip_guard import damaged

_MAX_REPEATED = 1_000  # of equal rows or columns with text; more are a sheet filled to its end


@contextmanager
def convert(source: Source) -> Iterator[Content]:
    """Raises ReadingError: damaged, limit, password. Hidden sheets are read too; deleted text and comments are not."""
    with decrypted_zip(source) as package:
        content = _root(package.read("content.xml"))
        if content is None:
            raise damaged()
        styles, meta = _root(package.read("styles.xml")), _root(package.read("meta.xml"))
        lists = Lists(content, styles)
        title = child(meta, "meta", "title")
        pictures = PictureText(source, package.read, package.pictures("pictures/"))
        name = (title.text or "").strip() if title is not None else ""
        yield _Odf(_pages(content, lists, source, pictures), pictures, name)


@dataclass(frozen=True)
class _Odf:
    """Each page is put together when it is asked for: recognising its pictures takes time."""

    texts: Sequence[Callable[[], str]]
    pictures: PictureText
    title: str
    has_layout: bool = False

    @property
    def count(self) -> int:
        return len(self.texts)

    def pages(self) -> Iterator[ReadPage]:
        for number_, text in enumerate(self.texts, 1):
            yield self.pictures.page(number_, text(), pictures=self.pictures.count > 0)


def _root(data: bytes | None) -> Element | None:
    return parse(data) if data else None


def _pages(content: Element, lists: Lists, source: Source, pictures: PictureText) -> list[Callable[[], str]]:
    body = child(content, "body")
    parts = () if body is None else body
    kind = next((one for one in parts if local(one) in ("text", "spreadsheet", "presentation", "drawing")), None)
    if kind is None:
        raise damaged()
    match local(kind):
        case "text":
            return [lambda: "\n".join(Flow(lists, pictures.lines).lines(kind))]
        case "spreadsheet":
            tables = [table for table in descendants(kind, "table") if _is_sheet(table)]
            return [partial(_sheet, table, source.limits.text_chars) for table in tables]
        case _:
            return [partial(_slide, page, lists, pictures) for page in children(kind, "page")]


def _is_sheet(table: Element) -> bool:
    return local(table.getparent()) == "spreadsheet"


def _slide(page: Element, lists: Lists, pictures: PictureText) -> str:
    flow = Flow(lists, pictures.lines)
    blocks = ["\n".join(flow.lines(shape)).strip("\n") for shape in page if local(shape) != "notes"]
    for notes in children(page, "notes"):
        text = "\n".join(line for line in flow.lines(notes) if line)
        blocks.append(f"{NOTES}\n{text}" if text else "")
    return "\n\n".join(block for block in blocks if block)


def _sheet(table: Element, most_chars: int) -> str:
    rows: dict[int, dict[int, str]] = {}
    at = chars = 0
    for row in _rows(table):
        cells = dict(_cells(row))
        repeated = number(attribute(row, "number-rows-repeated"), 1)
        for copy in range(min(repeated, _MAX_REPEATED) if cells else 0):
            rows[at + copy] = dict(cells)
            chars += sum(map(len, cells.values()))
            check_length(chars, most_chars)
        at += max(1, repeated)
    boxes = [cell_text(shape) for shapes in children(table, "shapes") for shape in shapes]
    return sheet_text(attribute(table, "name") or "", grid_lines(rows), [box for box in boxes if box])


def _rows(table: Element) -> Iterator[Element]:
    for one in table:
        if local(one) == "table-row":
            yield one
        elif local(one) in ("table-header-rows", "table-rows", "table-row-group"):
            yield from _rows(one)


def _cells(row: Element) -> Iterator[tuple[int, str]]:
    """Text as shown, which the file keeps beside the value; cells covered by a merged one are empty."""
    column = 0
    for cell in row:
        if local(cell) not in ("table-cell", "covered-table-cell"):
            continue
        repeated = max(1, number(attribute(cell, "number-columns-repeated"), 1))
        text = cell_text(cell)
        if text:
            yield from ((column + copy, text) for copy in range(min(repeated, _MAX_REPEATED)))
        column += repeated
