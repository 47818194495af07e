"""XLSX: a page for each sheet, rows as lines, values as they are shown; of formulas the value last worked out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from aipc_app.reader.convert.base import Content, ReadPage, Source
from aipc_app.reader.convert.grid import Merge, grid_lines
from aipc_app.reader.convert.number_format import BUILTIN, shown
from aipc_app.reader.convert.office_pictures import PictureText
from aipc_app.reader.convert.ooxml import Ooxml, open_ooxml
from aipc_app.reader.convert.pages import check_length, sheet_text
from aipc_app.reader.convert.xml_tree import (
    Element,
    attribute,
    child,
    children,
    descendants,
    local,
    number,
    stream,
)
from aipc_app.reader.convert.zip_guard import damaged

_BOOLEANS = {"1": "TRUE", "0": "FALSE"}
_SHARED_TAGS = ("si",)
_SHEET_TAGS = ("row", "mergeCell")


@contextmanager
def convert(source: Source) -> Iterator[Content]:
    """Raises ReadingError: damaged, limit. Hidden sheets, rows and columns are read too: a filter hides rows."""
    with open_ooxml(source.path) as file:
        pictures = PictureText(source, file.archive.read, file.archive.pictures("xl/media/"))
        yield _Workbook(file, pictures, source.limits.text_chars)


@dataclass(frozen=True)
class _Sheet:
    name: str
    part: str
    is_chart: bool


@dataclass
class _Workbook:
    file: Ooxml
    pictures: PictureText
    most_chars: int
    has_layout: bool = False
    sheets: list[_Sheet] = field(default_factory=list)
    shared: list[str] = field(default_factory=list)
    formats: list[str] = field(default_factory=list)
    from_1904: bool = False

    def __post_init__(self) -> None:
        main = self.file.main("xl/workbook.xml")
        book = self.file.xml(main)
        if book is None:
            raise damaged()
        relations = self.file.relations(main)
        for sheet in children(child(book, "sheets"), "sheet"):
            relation = relations.get(_relation_id(sheet))
            if relation is not None:
                chart = relation.kind == "chartsheet"
                self.sheets.append(_Sheet(attribute(sheet, "name") or "", relation.part, chart))
        self.from_1904 = attribute(child(book, "workbookPr"), "date1904") in ("1", "true")
        self.shared = _shared_strings(self.file, next(iter(self.file.related(main, "sharedStrings")), ""))
        styles = self.file.optional(next(iter(self.file.related(main, "styles")), None))
        self.formats = _formats(styles)

    @property
    def count(self) -> int:
        return len(self.sheets)

    @property
    def title(self) -> str:
        return self.file.title()

    def pages(self) -> Iterator[ReadPage]:
        for page_number, sheet in enumerate(self.sheets, 1):
            lines = [] if sheet.is_chart else self._lines(sheet)
            drawings = self.file.related(sheet.part, "drawing")
            images = [image for drawing in drawings for image in self.file.related(drawing, "image")]
            seen = ["\n".join(self.pictures.lines(image)).strip("\n") for image in images]
            text = sheet_text(sheet.name, lines, [*self._boxes(sheet), *(one for one in seen if one)])
            yield self.pictures.page(page_number, text, pictures=bool(images))

    def _lines(self, sheet: _Sheet) -> list[str]:
        rows: dict[int, dict[int, str]] = defaultdict(dict)
        merges: list[Merge] = []
        chars = at = 0
        with self.file.archive.open(sheet.part) as data:
            for element in stream(data, _SHEET_TAGS) if data is not None else ():
                if local(element) == "mergeCell":
                    merges += _merge(attribute(element, "ref") or "")
                    continue
                at = number(attribute(element, "r"), at + 1)
                cells = dict(self._cells(element))
                chars += sum(map(len, cells.values()))
                check_length(chars, self.most_chars)
                if cells:
                    rows[at] = cells
        return grid_lines(rows, merges)

    def _cells(self, row: Element) -> Iterator[tuple[int, str]]:
        column = -1
        for cell in children(row, "c"):
            column = _column(attribute(cell, "r") or "", column + 1)
            text = self._text(cell)
            if text:
                yield column, text

    def _text(self, cell: Element) -> str:
        kind = attribute(cell, "t") or "n"
        if kind == "inlineStr":
            return _string(child(cell, "is"))
        value = child(cell, "v")
        raw = (value.text or "") if value is not None else ""
        if not raw:
            formula = child(cell, "f")  # never worked out, as files have that no office program has saved
            return f"={formula.text}" if formula is not None and formula.text and value is None else ""
        if kind == "s":
            index = number(raw, -1)
            return self.shared[index] if 0 <= index < len(self.shared) else ""
        if kind == "b":
            return _BOOLEANS.get(raw, raw)
        if kind != "n":
            return raw
        return self._number(raw, number(attribute(cell, "s")))

    def _number(self, raw: str, style: int) -> str:
        try:
            value = float(raw)
        except ValueError:
            return raw
        return shown(value, self.formats[style] if 0 <= style < len(self.formats) else "", from_1904=self.from_1904)

    def _boxes(self, sheet: _Sheet) -> list[str]:
        """What text boxes on the sheet say."""
        texts = []
        for drawing in self.file.related(sheet.part, "drawing"):
            for body in descendants(self.file.optional(drawing), "txBody"):
                lines = ("".join(run.text or "" for run in descendants(p, "t")) for p in children(body, "p"))
                texts.append("\n".join(line for line in lines if line.strip()))
        return [text for text in texts if text]


def _relation_id(sheet: Element) -> str:
    """`r:id`, which strict files have in another namespace; `sheetId` is something else."""
    return next((str(v) for k, v in sheet.attrib.items() if str(k).endswith("}id")), "")


def _shared_strings(file: Ooxml, part: str) -> list[str]:
    with file.archive.open(part) as data:
        return [_string(element) for element in stream(data, _SHARED_TAGS)] if data is not None else []


def _string(element: Element | None) -> str:
    """Runs joined; pronunciation guides left out."""
    if element is None:
        return ""
    parts = []
    for one in element:
        texts = [one] if local(one) == "t" else children(one, "t") if local(one) == "r" else []
        parts += [text.text or "" for text in texts]
    return "".join(parts)


def _formats(styles: Element | None) -> list[str]:
    """The number format of each cell style."""
    own = {
        number(attribute(one, "numFmtId")): attribute(one, "formatCode") or ""
        for one in children(child(styles, "numFmts"), "numFmt")
    }
    ids = [number(attribute(one, "numFmtId")) for one in children(child(styles, "cellXfs"), "xf")]
    return [own[id_] if id_ in own else BUILTIN.get(id_, "") for id_ in ids]


def _column(reference: str, default: int) -> int:
    """A1 and AB12 as 0 and 27."""
    letters = reference.rstrip("0123456789").upper()
    if not letters or not letters.isalpha() or not letters.isascii() or len(letters) > 3:
        return default
    total = 0
    for letter in letters:
        total = total * 26 + ord(letter) - 64
    return total - 1


def _merge(reference: str) -> list[Merge]:
    first, _, last = reference.partition(":")
    top, bottom = number(first.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")), number(last.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    if not last or not top or not bottom:
        return []
    return [Merge(top, _column(first, 0), bottom, _column(last, 0))]
