"""Headings of a Word document and the table of contents that leads to them."""

from __future__ import annotations

from typing import Any

from docx.oxml import OxmlElement
from docx.oxml.ns import qn

from aipc_app.domain.exporting import ExportWords
from aipc_app.reader.convert.lines import with_plain_line_ends
from aipc_app.reader.export.docx_styles import CONTENTS_TITLE

_FIELD = ' TOC \\o "1-2" \\h \\z \\u '
_DEEPEST = 2


class Contents:
    """A TOC field that already holds its entries, each a link, for programs that don't work out fields by themselves.

    Only what lays out the pages knows their numbers: Word adds them when it opens the file.
    """

    def __init__(self, document: Any, words: ExportWords) -> None:
        self._document, self._words = document, words
        self._headings: list[tuple[str, int, str]] = []
        self._place: Any = None

    def begin(self) -> None:
        """The table stands here."""
        self._document.add_paragraph(self._words.contents, style=CONTENTS_TITLE)
        self._place = self._document.add_paragraph(style="toc 1")
        self._document.add_page_break()

    def heading(self, text: str, level: int) -> None:
        """A heading, with a bookmark that the table leads to."""
        text = with_plain_line_ends(text)
        made = self._document.add_paragraph(style=f"Heading {level}")
        name, number = f"_Toc{len(self._headings) + 1:06}", str(len(self._headings) + 1)
        start, end = OxmlElement("w:bookmarkStart"), OxmlElement("w:bookmarkEnd")
        for mark in (start, end):
            mark.set(qn("w:id"), number)
        start.set(qn("w:name"), name)
        made._p.append(start)
        made.add_run(text)
        made._p.append(end)
        self._headings.append((text, level, name))

    def finish(self) -> None:
        """Fill the table, now that the headings are known."""
        if self._place is None:
            return
        shown = [heading for heading in self._headings if heading[1] <= _DEEPEST]
        paragraph = self._place
        _field_begin(paragraph._p, _FIELD, dirty=True)
        for i, (text, level, name) in enumerate(shown):
            if i:
                paragraph = self._after(paragraph)
            paragraph.style = f"toc {level}"
            self._entry(paragraph._p, text, name)
        paragraph._p.append(_field_mark("end"))

    def _after(self, paragraph: Any) -> Any:
        made = OxmlElement("w:p")
        paragraph._p.addnext(made)
        return type(paragraph)(made, paragraph._parent)

    def _entry(self, parent: Any, text: str, name: str) -> None:
        link = OxmlElement("w:hyperlink")
        link.set(qn("w:anchor"), name)
        link.set(qn("w:history"), "1")
        link.append(_text(text))
        parent.append(link)


def _field_begin(parent: Any, instruction: str, *, dirty: bool = False) -> None:
    begin = _field_mark("begin", dirty=dirty)
    code = OxmlElement("w:r")
    text = OxmlElement("w:instrText")
    text.set(qn("xml:space"), "preserve")
    text.text = instruction
    code.append(text)
    for part in (begin, code, _field_mark("separate")):
        parent.append(part)


def _field_mark(kind: str, *, dirty: bool = False) -> Any:
    made, mark = OxmlElement("w:r"), OxmlElement("w:fldChar")
    mark.set(qn("w:fldCharType"), kind)
    if dirty:
        mark.set(qn("w:dirty"), "true")
    made.append(mark)
    return made


def _text(text: str) -> Any:
    made, inner = OxmlElement("w:r"), OxmlElement("w:t")
    inner.text = text
    inner.set(qn("xml:space"), "preserve")
    made.append(inner)
    return made
