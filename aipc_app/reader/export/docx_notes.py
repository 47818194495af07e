"""Footnotes of a Word document, which python-docx doesn't write: a part of their own (ECMA-376 part 1, 17.11)."""

from __future__ import annotations

from typing import Any

from docx.opc.constants import CONTENT_TYPE, RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import OxmlElement
from docx.oxml.ns import nsdecls, qn
from docx.oxml.parser import parse_xml
from lxml import etree

from aipc_app.domain.exporting import ExportWords, Footnote, footnote_text
from aipc_app.reader.convert.lines import with_plain_line_ends
from aipc_app.reader.export.docx_styles import NOTE_MARK_ID, NOTE_TEXT_ID

# The lines that Word draws between text and notes; every file with notes has both.
_SEPARATORS = f"""<w:footnotes {nsdecls("w", "r")}>
<w:footnote w:type="separator" w:id="-1"><w:p><w:pPr><w:spacing w:after="0" w:line="240" w:lineRule="auto"/></w:pPr>
<w:r><w:separator/></w:r></w:p></w:footnote>
<w:footnote w:type="continuationSeparator" w:id="0"><w:p><w:pPr><w:spacing w:after="0" w:line="240"
 w:lineRule="auto"/></w:pPr><w:r><w:continuationSeparator/></w:r></w:p></w:footnote>
</w:footnotes>"""


class Footnotes:
    """`mark` for each, in reading order, then `finish` once."""

    def __init__(self, document: Any, words: ExportWords) -> None:
        self._document, self._words = document, words
        self._root = parse_xml(_SEPARATORS)
        self._count = 0

    def mark(self, paragraph: Any, note: Footnote, *, follows: bool = False) -> None:
        """Put the note's number at the paragraph's end, and the note at the foot of the page.

        `follows` another mark: a comma keeps the two numbers apart.
        """
        self._count += 1
        if follows:
            comma = OxmlElement("w:t")
            comma.text = ","
            paragraph._p.append(_run(comma, NOTE_MARK_ID))
        reference = OxmlElement("w:footnoteReference")
        reference.set(qn("w:id"), str(self._count))
        paragraph._p.append(_run(reference, NOTE_MARK_ID))
        self._root.append(self._note(note))

    def finish(self) -> None:
        """Add the part to the package, if there is a note."""
        if not self._count:
            return
        package = self._document.part.package
        blob = etree.tostring(self._root, xml_declaration=True, encoding="UTF-8", standalone=True)
        part = Part(PackURI("/word/footnotes.xml"), CONTENT_TYPE.WML_FOOTNOTES, blob, package)
        self._document.part.relate_to(part, RELATIONSHIP_TYPE.FOOTNOTES)

    def _note(self, note: Footnote) -> Any:
        made = OxmlElement("w:footnote")
        made.set(qn("w:id"), str(self._count))
        paragraph = OxmlElement("w:p")
        properties, style = OxmlElement("w:pPr"), OxmlElement("w:pStyle")
        style.set(qn("w:val"), NOTE_TEXT_ID)
        properties.append(style)
        text = OxmlElement("w:t")
        text.text = " " + with_plain_line_ends(footnote_text(note, self._words))
        text.set(qn("xml:space"), "preserve")
        for child in (properties, _run(OxmlElement("w:footnoteRef"), NOTE_MARK_ID), _run(text)):
            paragraph.append(child)
        made.append(paragraph)
        return made


def _run(content: Any, style_id: str = "") -> Any:
    made = OxmlElement("w:r")
    if style_id:
        properties, style = OxmlElement("w:rPr"), OxmlElement("w:rStyle")
        style.set(qn("w:val"), style_id)
        properties.append(style)
        made.append(properties)
    made.append(content)
    return made
