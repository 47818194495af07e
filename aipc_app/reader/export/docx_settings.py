"""What a Word document says about itself: settings, fonts to fall back on, properties."""

from __future__ import annotations

import datetime
from typing import Any

from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from lxml import etree

from aipc_app.domain.exporting import DocumentPlan

_WORD_2013 = "15"  # an older mode shows "compatibility mode" in Word's title bar
# A PC without the font on the left takes the one on the right.
_FALLBACKS = (
    ("方正小标宋简体", "宋体"), ("仿宋", "FangSong"), ("楷体", "KaiTi"), ("黑体", "SimHei"), ("宋体", "SimSun"),
)  # fmt: skip


def finish_settings(document: Any, plan: DocumentPlan) -> None:
    """Separators of footnotes, language, compatibility, fallback fonts, title."""
    settings = document.settings.element
    _declare_separators(settings)
    for one in settings.iter(qn("w:compatSetting")):
        if one.get(qn("w:name")) == "compatibilityMode":
            one.set(qn("w:val"), _WORD_2013)
    settings.find(qn("w:themeFontLang")).set(qn("w:eastAsia"), "zh-CN")
    _name_fallbacks(document)
    _drop_thumbnail(document)
    properties = document.core_properties
    properties.title, properties.author, properties.comments = plan.title, "AIPC", ""
    properties.language = "zh-CN" if plan.language == "zh" else "en-US"
    properties.created = properties.modified = datetime.datetime.now(datetime.UTC).replace(tzinfo=None)


def _declare_separators(settings: Any) -> None:
    """In its place of the sequence: right before w:compat (w:endnotePr between them is left out)."""
    declared = OxmlElement("w:footnotePr")
    for number in ("-1", "0"):
        note = OxmlElement("w:footnote")
        note.set(qn("w:id"), number)
        declared.append(note)
    settings.find(qn("w:compat")).addprevious(declared)


def _name_fallbacks(document: Any) -> None:
    part = document.part.part_related_by(RELATIONSHIP_TYPE.FONT_TABLE)
    root = etree.fromstring(part.blob)
    for name, other in _FALLBACKS:
        font = etree.SubElement(root, qn("w:font"))
        font.set(qn("w:name"), name)
        for tag, value in (("w:altName", other), ("w:charset", "86"), ("w:family", "auto"), ("w:pitch", "variable")):
            etree.SubElement(font, qn(tag)).set(qn("w:val"), value)
    part._blob = etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)


def _drop_thumbnail(document: Any) -> None:
    """The template's picture shows another document."""
    package = document.part.package
    for key, relation in tuple(package.rels.items()):
        if relation.reltype == RELATIONSHIP_TYPE.THUMBNAIL:
            del package.rels[key]
