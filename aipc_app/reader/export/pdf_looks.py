"""Styles of a PDF: sober ones, or near those of Chinese authorities (GB/T 9704-2012)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from reportlab.lib.colors import HexColor
from reportlab.lib.enums import TA_CENTER, TA_LEFT
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm

from aipc_app.domain.exporting import DocumentPlan, Typography
from aipc_app.reader.export.pdf_fonts import Fonts

GRID = (
    ("GRID", (0, 0), (-1, -1), 0.5, HexColor("#7f7f7f")),
    ("BACKGROUND", (0, 0), (-1, 0), HexColor("#eef0f4")),
    ("VALIGN", (0, 0), (-1, -1), "TOP"),
    ("LEFTPADDING", (0, 0), (-1, -1), 4),
    ("RIGHTPADDING", (0, 0), (-1, -1), 4),
    ("TOPPADDING", (0, 0), (-1, -1), 2),
    ("BOTTOMPADDING", (0, 0), (-1, -1), 4),
)


@dataclass(frozen=True)
class Looks:
    """A style for each kind of text. `margins` top, bottom, left, right in points."""

    margins: tuple[float, float, float, float]
    number_size: float
    title: ParagraphStyle
    subtitle: ParagraphStyle
    headings: tuple[ParagraphStyle, ParagraphStyle, ParagraphStyle]
    body: ParagraphStyle
    remark: ParagraphStyle
    cell: ParagraphStyle
    note: ParagraphStyle
    contents_title: ParagraphStyle
    contents: tuple[ParagraphStyle, ParagraphStyle]


def looks_of(plan: DocumentPlan, fonts: Fonts) -> Looks:
    """The styles for the plan's typography."""
    return _official(fonts) if plan.typography is Typography.OFFICIAL else _plain(fonts)


def _official(fonts: Fonts) -> Looks:
    text, strong = fonts.text, fonts.strong
    return Looks(
        margins=(37 * mm, 35 * mm, 28 * mm, 26 * mm),
        number_size=14,
        title=_style("title", text, 22, 34, alignment=TA_CENTER, spaceAfter=14),
        subtitle=_style("subtitle", text, 13, 22, alignment=TA_CENTER),
        headings=(
            _style("h1", strong, 16, 29, firstLineIndent=32, spaceBefore=8),
            _style("h2", strong, 15, 28, firstLineIndent=32, spaceBefore=4, spaceAfter=3),
            _style("h3", strong, 14, 27, firstLineIndent=32, spaceAfter=3),
        ),
        body=_style("body", text, 16, 29, firstLineIndent=32),
        remark=_style("remark", text, 13, 23, firstLineIndent=26, textColor=HexColor("#333333")),
        cell=_style("cell", text, 10.5, 15),
        note=_style("note", text, 9, 12.5),
        contents_title=_style("ct", strong, 16, 30, alignment=TA_CENTER, spaceBefore=16, spaceAfter=6),
        contents=(_style("c1", text, 12, 20), _style("c2", text, 10.5, 16.5, leftIndent=18)),
    )


def _plain(fonts: Fonts) -> Looks:
    text, strong = fonts.text, fonts.strong
    grey = HexColor("#555555")
    return Looks(
        margins=(26 * mm, 24 * mm, 24 * mm, 24 * mm),
        number_size=9,
        title=_style("title", strong, 20, 27, spaceAfter=6),
        subtitle=_style("subtitle", text, 10.5, 15, textColor=grey),
        headings=(
            _style("h1", strong, 15, 21, spaceBefore=16, spaceAfter=5),
            _style("h2", strong, 12.5, 18, spaceBefore=10, spaceAfter=3),
            _style("h3", strong, 11, 16, spaceBefore=8, spaceAfter=2),
        ),
        body=_style("body", text, 10.5, 16.5, spaceAfter=5),
        remark=_style("remark", text, 10.5, 16.5, spaceAfter=4, leftIndent=8, textColor=grey),
        cell=_style("cell", text, 9.5, 13.5),
        note=_style("note", text, 8.5, 11.5),
        contents_title=_style("ct", strong, 13, 18, spaceBefore=16, spaceAfter=6),
        contents=(_style("c1", text, 10.5, 16), _style("c2", text, 10, 14, leftIndent=14)),
    )


def _style(name: str, font: str, size: float, line: float, **options: Any) -> ParagraphStyle:
    """Broken between any two ideographs, between words of other scripts."""
    options.setdefault("alignment", TA_LEFT)
    return ParagraphStyle(name, fontName=font, fontSize=size, leading=line, wordWrap="CJK", **options)
