"""A DOCX file's parts, by relationship; tolerant of what Word itself tolerates.

python-docx refuses files that Word opens (macro-enabled, strict, with dangling relationships) and unpacks
every picture; reading text needs five XML parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from aipc_app.reader.convert.base import Source
from aipc_app.reader.convert.docx_embedded import embedded_lines
from aipc_app.reader.convert.office_pictures import PictureText
from aipc_app.reader.convert.ooxml import open_ooxml
from aipc_app.reader.convert.xml_tree import Element, attribute, child, children, local
from aipc_app.reader.convert.zip_guard import damaged

__all__ = ["Element", "Package", "attribute", "child", "children", "local", "open_package"]


def no_lines(_relationship: str) -> list[str]:
    return []


@dataclass(frozen=True)
class Package:
    """Roots of the parts that hold text; None where the document has none."""

    document: Element
    styles: Element | None
    numbering: Element | None
    footnotes: Element | None
    endnotes: Element | None
    title: str
    pictures: PictureText | None = None
    part_lines: Callable[[str], list[str]] = no_lines  # of another part by its relationship: a chart, a web page
    picture_lines: Callable[[str], list[str]] = no_lines  # what is recognised on a picture, by its relationship


@contextmanager
def open_package(source: Source) -> Iterator[Package]:
    """Raises ReadingError: damaged, limit."""
    with open_ooxml(source.path) as file:
        main = file.main("word/document.xml")
        document = file.xml(main)
        if document is None:
            raise damaged()

        def part(kind: str) -> Element | None:
            return file.optional(next(iter(file.related(main, kind)), None))

        relations = file.relations(main)
        pictures = PictureText(source, file.archive.read, file.archive.pictures("word/media/"))

        def picture_lines(relationship: str) -> list[str]:
            relation = relations.get(relationship)
            return pictures.lines(relation.part) if relation is not None and relation.kind == "image" else []

        yield Package(
            document=document,
            styles=part("styles"),
            numbering=part("numbering"),
            footnotes=part("footnotes"),
            endnotes=part("endnotes"),
            title=file.title(),
            pictures=pictures,
            part_lines=partial(embedded_lines, file, relations),
            picture_lines=picture_lines,
        )
