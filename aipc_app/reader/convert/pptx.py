"""PPTX: a page for each slide: title, text, tables, diagrams and charts in reading order, then the speaker's notes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from aipc_app.reader.convert.base import Content, ReadPage, Source
from aipc_app.reader.convert.grid import Merge, grid_lines, row_line
from aipc_app.reader.convert.office_pictures import PictureText
from aipc_app.reader.convert.ooxml import Ooxml, Relation, open_ooxml
from aipc_app.reader.convert.xml_tree import Element, attribute, child, children, descendants, local, number
from aipc_app.reader.convert.zip_guard import damaged
from aipc_app.reader.failure import FailureKind, ReadingError

NOTES = "备注 / Notes:"
_NOT_READ = frozenset({"dt", "ftr", "sldNum", "hdr", "sldImg"})  # placeholders that are on every slide
_MAX_DEPTH = 40
_LINE = 12_700 * 12  # of EMU: shapes whose tops differ less stand side by side


@contextmanager
def convert(source: Source) -> Iterator[Content]:
    """Raises ReadingError: damaged, limit. Hidden slides are read too, so that page numbers are the slides'."""
    with open_ooxml(source.path) as file:
        yield _Show(file, PictureText(source, file.archive.read, file.archive.pictures("ppt/media/")))


@dataclass
class _Show:
    file: Ooxml
    pictures: PictureText
    has_layout: bool = False
    slides: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        main = self.file.main("ppt/presentation.xml")
        show = self.file.xml(main)
        if show is None:
            raise damaged()
        relations = self.file.relations(main)
        for slide in children(child(show, "sldIdLst"), "sldId"):
            relation = relations.get(next((str(v) for k, v in slide.attrib.items() if str(k).endswith("}id")), ""))
            if relation is not None:
                self.slides.append(relation.part)

    @property
    def count(self) -> int:
        return len(self.slides)

    @property
    def title(self) -> str:
        return self.file.title()

    def pages(self) -> Iterator[ReadPage]:
        for page_number, part in enumerate(self.slides, 1):
            blocks = [*_Slide(self.file, part, self.pictures).blocks(), *self._notes(part)]
            pictures = bool(self.file.related(part, "image"))
            yield self.pictures.page(page_number, "\n\n".join(blocks), pictures=pictures)

    def _notes(self, part: str) -> Iterator[str]:
        for notes in self.file.related(part, "notesSlide"):
            text = "\n".join(_Slide(self.file, notes).blocks())
            if text:
                yield f"{NOTES}\n{text}"


@dataclass
class _Slide:
    file: Ooxml
    part: str
    pictures: PictureText | None = None
    relations: dict[str, Relation] = field(default_factory=dict)

    def blocks(self) -> list[str]:
        root = self.file.optional(self.part)
        self.relations = self.file.relations(self.part)
        shapes = self._shapes(child(root, "cSld", "spTree"), 0)
        return [text for text in (*shapes, *self._pictures_of(child(root, "cSld", "bg"))) if text]

    def _shapes(self, tree: Element | None, depth: int) -> Iterator[str]:
        if depth > _MAX_DEPTH:
            raise ReadingError(FailureKind.DAMAGED, "This file is nested too deeply to be read; it may be damaged.")
        shapes = [] if tree is None else [shape for shape in map(_chosen, tree) if shape is not None]
        for shape in sorted(shapes, key=_reading_order):
            match local(shape):
                case "sp" | "cxnSp" if _placeholder(shape) not in _NOT_READ:
                    yield _paragraphs(child(shape, "txBody"))
                    yield from self._pictures_of(child(shape, "spPr"))
                case "pic":
                    yield from self._pictures_of(child(shape, "blipFill"))
                case "grpSp":
                    yield from self._shapes(shape, depth + 1)
                case "graphicFrame":
                    yield from self._graphic(shape)

    def _pictures_of(self, element: Element | None) -> Iterator[str]:
        """What is recognised on the pictures that fill a shape or the ground."""
        for blip in descendants(element, "blip"):
            relation = self.relations.get(attribute(blip, "embed") or "")
            if relation is not None and relation.kind == "image" and self.pictures is not None:
                yield "\n".join(self.pictures.lines(relation.part)).strip("\n")

    def _graphic(self, frame: Element) -> Iterator[str]:
        for table in descendants(frame, "tbl"):
            yield "\n".join(_table(table))
        for one in frame.iter("{*}chart", "{*}relIds"):
            for key in ("dm", "id"):
                relation = self.relations.get(attribute(one, key) or "")
                if relation is not None and relation.kind == "diagramData":
                    yield "\n".join(diagram_lines(self.file.optional(relation.part)))
                elif relation is not None and relation.kind == "chart":
                    yield "\n".join(chart_lines(self.file.optional(relation.part)))


def diagram_lines(root: Element | None) -> list[str]:
    """What the shapes of a diagram say."""
    return [text for point in descendants(root, "t") if (text := _paragraphs(point))]


def chart_lines(root: Element | None) -> list[str]:
    """A chart as a table: its title, then a row for each category with the series' values."""
    title = "".join(t.text or "" for t in descendants(child(root, "chart", "title"), "t"))
    series = list(descendants(root, "ser"))
    names = [" ".join(_cached(child(one, "tx"))) for one in series]
    values = [_cached(child(one, "val")) or _cached(child(one, "yVal")) for one in series]
    labels = next((found for one in series if (found := _cached(child(one, "cat")) or _cached(child(one, "xVal")))), [])
    rows = [["", *names]] if any(names) else []
    for at in range(max((len(column) for column in values), default=0)):
        cells = [column[at] if at < len(column) else "" for column in values]
        rows.append([labels[at] if at < len(labels) else "", *cells])
    return [title] * bool(title) + [row_line(row) for row in rows]


def _cached(reference: Element | None) -> list[str]:
    """The values that a chart keeps of the cells it refers to."""
    found = []
    for point in descendants(reference, "pt"):
        value = child(point, "v")
        found.append((value.text or "") if value is not None else "")
    return found


def _chosen(shape: Element) -> Element | None:
    """Of the same content in two forms the newer one."""
    if local(shape) != "AlternateContent":
        return shape
    choice = child(shape, "Choice")
    found = choice if choice is not None and len(choice) else child(shape, "Fallback")
    return found[0] if found is not None and len(found) else None


def _placeholder(shape: Element) -> str:
    for kind in shape.iter("{*}ph"):
        return attribute(kind, "type") or "body"
    return ""


def _reading_order(shape: Element) -> tuple[int, int, int]:
    """Titles first, then from top to bottom and left to right; what has no place of its own keeps the file's order."""
    if _placeholder(shape) in ("title", "ctrTitle"):
        return (0, 0, 0)
    offset = next(shape.iter("{*}off"), None)
    if offset is None:
        return (1, 0, 0)
    return (2, number(attribute(offset, "y")) // _LINE, number(attribute(offset, "x")))


def _paragraphs(body: Element | None) -> str:
    return "\n".join(text for p in children(body, "p") if (text := _paragraph(p)).strip())


def _paragraph(paragraph: Element) -> str:
    parts = []
    for element in paragraph.iter("{*}t", "{*}br", "{*}tab"):
        parts.append({"br": "\n", "tab": "\t"}.get(local(element)) or element.text or "")
    return "".join(parts)


def _table(table: Element) -> list[str]:
    rows: dict[int, dict[int, str]] = {}
    merges = []
    for row, one in enumerate(children(table, "tr")):
        rows[row] = {}
        for column, cell in enumerate(children(one, "tc")):
            rows[row][column] = _paragraphs(child(cell, "txBody"))
            height, width = number(attribute(cell, "rowSpan"), 1), number(attribute(cell, "gridSpan"), 1)
            if height > 1 or width > 1:
                merges.append(Merge(row, column, row + height - 1, column + width - 1))
    return grid_lines(rows, merges)
