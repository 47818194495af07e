"""Styles of a Word document: sober ones, or those of Chinese authorities (GB/T 9704-2012)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from docx.enum.style import WD_STYLE_TYPE
from docx.enum.text import WD_ALIGN_PARAGRAPH, WD_LINE_SPACING, WD_TAB_ALIGNMENT, WD_TAB_LEADER
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Mm, Pt, RGBColor

from aipc_app.domain.exporting import DocumentPlan, Typography

REMARK, NOTICE, TABLE_TEXT, CONTENTS_TITLE = "Remark", "Notice", "Table Text", "TOC Heading"
NOTE_TEXT_ID, NOTE_MARK_ID = "FootnoteText", "FootnoteReference"
_BLACK, _GREY = RGBColor(0, 0, 0), RGBColor(0x59, 0x59, 0x59)
_CENTRE, _JUSTIFY, _LEFT = WD_ALIGN_PARAGRAPH.CENTER, WD_ALIGN_PARAGRAPH.JUSTIFY, WD_ALIGN_PARAGRAPH.LEFT


@dataclass(frozen=True)
class _Look:
    """Sizes in points; `line` is a fixed height, or None for single. `indent`: of first lines, in characters."""

    font: str
    size: float
    latin: str = "Times New Roman"
    bold: bool = False
    align: Any = _LEFT
    line: float | None = None
    before: float = 0
    after: float = 0
    indent: int = 0
    colour: RGBColor = _BLACK


@dataclass(frozen=True)
class _Sheet:
    """`margins` top, bottom, left, right in mm."""

    margins: tuple[float, float, float, float]
    looks: dict[str, _Look]
    note: _Look
    foot: _Look


# GB/T 9704-2012: title 2号小标宋, text 3号仿宋, headings 3号黑体, 楷体 and 仿宋 in bold, page number 4号宋体.
_OFFICIAL = _Sheet(
    margins=(37, 35, 28, 26),
    looks={
        "Title": _Look("方正小标宋简体", 22, align=_CENTRE, line=36, after=12),
        "Subtitle": _Look("楷体", 14, align=_CENTRE, line=24),
        "Heading 1": _Look("黑体", 16, line=30, before=8, indent=2),
        "Heading 2": _Look("楷体", 16, bold=True, line=30, before=4, after=3, indent=2),
        "Heading 3": _Look("仿宋", 16, bold=True, line=30, after=3, indent=2),
        "Body Text": _Look("仿宋", 16, align=_JUSTIFY, line=30, indent=2),
        REMARK: _Look("楷体", 14, align=_JUSTIFY, line=24, indent=2),
        TABLE_TEXT: _Look("宋体", 10.5, before=1, after=1),
        NOTICE: _Look("黑体", 10.5, align=_CENTRE),
        CONTENTS_TITLE: _Look("黑体", 16, align=_CENTRE, line=30, before=12, after=6),
        "toc 1": _Look("仿宋", 12, line=20),
        "toc 2": _Look("仿宋", 10.5, line=17),
    },
    note=_Look("宋体", 9),
    foot=_Look("宋体", 14, align=_CENTRE),
)

_PLAIN = _Sheet(
    margins=(25, 22, 25, 25),
    looks={
        "Title": _Look("黑体", 20, "Calibri", bold=True, after=6),
        "Subtitle": _Look("宋体", 10.5, "Calibri", after=2, colour=_GREY),
        "Heading 1": _Look("黑体", 15, "Calibri", bold=True, before=16, after=6),
        "Heading 2": _Look("黑体", 12.5, "Calibri", bold=True, before=10, after=4),
        "Heading 3": _Look("黑体", 11, "Calibri", bold=True, before=8, after=3),
        "Body Text": _Look("宋体", 10.5, "Calibri", line=17, after=5),
        REMARK: _Look("楷体", 10.5, "Calibri", line=17, after=4, colour=_GREY),
        TABLE_TEXT: _Look("宋体", 9.5, "Calibri", before=1, after=1),
        NOTICE: _Look("黑体", 9, "Calibri", align=_CENTRE, colour=_GREY),
        CONTENTS_TITLE: _Look("黑体", 13, "Calibri", bold=True, before=14, after=6),
        "toc 1": _Look("宋体", 10.5, "Calibri", after=3),
        "toc 2": _Look("宋体", 10, "Calibri", after=2),
    },
    note=_Look("宋体", 8.5, "Calibri"),
    foot=_Look("宋体", 9, "Calibri", align=_CENTRE, colour=_GREY),
)


def make_styles(document: Any, plan: DocumentPlan) -> None:
    """Page and styles for the plan's typography."""
    sheet = _OFFICIAL if plan.typography is Typography.OFFICIAL else _PLAIN
    _make_page(document, sheet)
    for name, look in sheet.looks.items():
        _apply(_style(document, name), look)
    _apply(document.styles["Footer"], sheet.foot)
    _apply(document.styles["Normal"], sheet.looks["Body Text"], text_only=True)
    _make_note_styles(document, sheet)
    _make_contents_styles(document)
    _rule_below(_style(document, NOTICE))
    for name in ("Title", "Subtitle", "Heading 1", "Heading 2", "Heading 3"):
        document.styles[name].paragraph_format.keep_with_next = True


def _make_page(document: Any, sheet: _Sheet) -> None:
    section = document.sections[0]
    section.page_width, section.page_height = Mm(210), Mm(297)
    section.top_margin, section.bottom_margin, section.left_margin, section.right_margin = map(Mm, sheet.margins)
    section.header_distance, section.footer_distance = Mm(15), Mm(min(sheet.margins[1] - 7, 25))


def _style(document: Any, name: str) -> Any:
    if name not in document.styles:
        made = document.styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH, builtin=name[:3].lower() == "toc")
        made.base_style = document.styles["Normal"]
    return document.styles[name]


def _apply(style: Any, look: _Look, *, text_only: bool = False) -> None:
    font = style.font
    font.size, font.bold, font.italic, font.color.rgb = Pt(look.size), look.bold, False, look.colour
    _name_fonts(style, look)
    if text_only:
        return
    shape = style.paragraph_format
    shape.alignment, shape.space_before, shape.space_after = look.align, Pt(look.before), Pt(look.after)
    shape.line_spacing_rule = WD_LINE_SPACING.SINGLE
    if look.line is not None:
        # At least, not exactly: a fixed height cuts off what a fallback font draws higher.
        shape.line_spacing_rule, shape.line_spacing = WD_LINE_SPACING.AT_LEAST, Pt(look.line)
    properties = style.element.get_or_add_pPr()
    for old in properties.findall(qn("w:pBdr")):  # the template draws a blue line under its title
        properties.remove(old)
    if look.indent:
        shape.first_line_indent = Pt(look.size * look.indent)
        properties.find(qn("w:ind")).set(qn("w:firstLineChars"), str(look.indent * 100))


def _name_fonts(style: Any, look: _Look) -> None:
    """By name, not by the template's theme, which is Japanese."""
    properties = style.element.get_or_add_rPr()
    fonts = properties.find(qn("w:rFonts"))
    if fonts is None:
        style.font.name = look.latin
        fonts = properties.find(qn("w:rFonts"))
    for key in tuple(fonts.attrib):
        del fonts.attrib[key]
    for script in ("ascii", "hAnsi", "cs"):
        fonts.set(qn(f"w:{script}"), look.latin)
    fonts.set(qn("w:eastAsia"), look.font)
    for spacing in properties.findall(qn("w:spacing")) + properties.findall(qn("w:kern")):
        properties.remove(spacing)


def _make_note_styles(document: Any, sheet: _Sheet) -> None:
    text = document.styles.add_style("footnote text", WD_STYLE_TYPE.PARAGRAPH, builtin=True)
    text.element.set(qn("w:styleId"), NOTE_TEXT_ID)
    text.base_style = document.styles["Normal"]
    _apply(text, sheet.note)
    mark = document.styles.add_style("footnote reference", WD_STYLE_TYPE.CHARACTER, builtin=True)
    mark.element.set(qn("w:styleId"), NOTE_MARK_ID)
    mark.font.superscript = True


def _make_contents_styles(document: Any) -> None:
    section = document.sections[0]
    across = section.page_width - section.left_margin - section.right_margin
    for level, name in ((0, "toc 1"), (1, "toc 2")):
        shape = document.styles[name].paragraph_format
        shape.left_indent = Pt(14 * level)
        shape.tab_stops.add_tab_stop(across, WD_TAB_ALIGNMENT.RIGHT, WD_TAB_LEADER.DOTS)
    _not_in_outline(document.styles[CONTENTS_TITLE])


def _not_in_outline(style: Any) -> None:
    properties = style.element.get_or_add_pPr()
    for old in properties.findall(qn("w:outlineLvl")):
        properties.remove(old)


def _rule_below(style: Any) -> None:
    """A thin line under the notice, apart from the text."""
    properties = style.element.get_or_add_pPr()
    borders, bottom = OxmlElement("w:pBdr"), OxmlElement("w:bottom")
    for key, value in (("val", "single"), ("sz", "4"), ("space", "3"), ("color", "808080")):
        bottom.set(qn(f"w:{key}"), value)
    borders.append(bottom)
    first_later = next((one for one in properties if one.tag not in (qn("w:pStyle"), qn("w:keepNext"))), None)
    properties.append(borders) if first_later is None else first_later.addprevious(borders)
