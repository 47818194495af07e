"""Office files of 2003 in one XML: WordprocessingML read as DOCX is, SpreadsheetML as XLSX is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

from aipc_app.reader.convert.base import Content, OnePage, Source, read_bytes
from aipc_app.reader.convert.docx import body_text
from aipc_app.reader.convert.docx_package import Package
from aipc_app.reader.convert.grid import Merge, grid_lines
from aipc_app.reader.convert.lines import tidy
from aipc_app.reader.convert.pages import TextPages, check_length, sheet_text
from aipc_app.reader.convert.xml_tree import Element, attribute, child, children, number, parse

_MOST_REPEATED = 1_000


@contextmanager
def convert_word(source: Source) -> Iterator[Content]:
    """Raises ReadingError: damaged, limit."""
    root = parse(read_bytes(source))
    title = child(root, "DocumentProperties", "Title")
    package = Package(
        document=root, styles=child(root, "styles"), numbering=None, footnotes=None, endnotes=None,
        title=(title.text or "").strip() if title is not None else "",
    )  # fmt: skip
    yield OnePage(tidy(body_text(package)), title=package.title)


@contextmanager
def convert_excel(source: Source) -> Iterator[Content]:
    """Raises ReadingError: damaged, limit. Values are stored as they are; their formats are not read."""
    root = parse(read_bytes(source))
    sheets = children(root, "Worksheet")
    yield TextPages([_sheet(sheet, source.limits.text_chars) for sheet in sheets])


def _sheet(sheet: Element, most_chars: int) -> str:
    rows: dict[int, dict[int, str]] = defaultdict(dict)
    merges: list[Merge] = []
    row = chars = 0
    for one in children(child(sheet, "Table"), "Row"):
        row = number(attribute(one, "Index"), row + 1)
        column = 0
        for cell in children(one, "Cell"):
            column = number(attribute(cell, "Index"), column + 1)
            right = column + min(number(attribute(cell, "MergeAcross")), _MOST_REPEATED)
            bottom = row + min(number(attribute(cell, "MergeDown")), _MOST_REPEATED)
            rows[row][column] = _value(cell)
            chars += len(rows[row][column])
            check_length(chars, most_chars)
            if right > column or bottom > row:
                merges.append(Merge(row, column, bottom, right))
            column = right
    return sheet_text(attribute(sheet, "Name") or "", grid_lines(rows, merges))


def _value(cell: Element) -> str:
    data = child(cell, "Data")
    if data is None:
        return ""
    text = "".join(data.itertext())
    if attribute(data, "Type") == "DateTime":
        return text.removesuffix("T00:00:00.000").replace("T", " ").removesuffix(".000")
    return text
