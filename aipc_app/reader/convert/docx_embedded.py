"""Parts of a DOCX that are no Word text of their own: charts, diagrams, pages of other formats put in whole."""

from __future__ import annotations

from collections.abc import Mapping

from aipc_app.reader.convert.encoding import decode
from aipc_app.reader.convert.html import declared_charset, html_text
from aipc_app.reader.convert.mail import MailContent, parsed
from aipc_app.reader.convert.ooxml import Ooxml, Relation
from aipc_app.reader.convert.pptx import chart_lines, diagram_lines
from aipc_app.reader.convert.rtf_walk import RtfWalk


def embedded_lines(file: Ooxml, relations: Mapping[str, Relation], id_: str) -> list[str]:
    """The text of the part that a relationship leads to; none of kinds that are not known.

    Raises ReadingError: damaged, limit.
    """
    relation = relations.get(id_)
    if relation is None:
        return []
    match relation.kind:
        case "chart":
            return chart_lines(file.optional(relation.part))
        case "diagramData":
            return diagram_lines(file.optional(relation.part))
        case "aFChunk":
            return _chunk(file.archive.read(relation.part) or b"", relation.part.rpartition(".")[2].lower())
    return []


def _chunk(data: bytes, extension: str) -> list[str]:
    if extension in ("htm", "html", "xhtml"):
        return html_text(decode(data, declared_charset(data), strict=False).text).split("\n")
    if extension in ("mht", "mhtml"):
        return [
            line
            for read in MailContent(parsed(data), with_headers=False).pages()
            for line in read.page.text.split("\n")
        ]
    if extension == "rtf":
        walk = RtfWalk()
        walk.feed(data)
        return walk.text().split("\n")
    return decode(data, strict=False).text.splitlines() if extension == "txt" else []
