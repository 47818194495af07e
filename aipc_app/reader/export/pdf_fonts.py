"""Fonts for a PDF: of this PC's Chinese fonts what the document needs, embedded, as TrueType.

The PDF library takes TrueType outlines only, while Noto CJK (SIL Open Font License) and its like have cubic ones: the
glyphs needed, a few hundred of 60,000, are taken out and converted (what fontTools' own example otf2ttf does).
"""

from __future__ import annotations

import io
import itertools
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from fontTools.pens.cu2quPen import Cu2QuPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont, newTable
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont as EmbeddedFont

from aipc_app.reader.convert.system_fonts import chinese_font
from aipc_app.reader.failure import FailureKind, ReadingError

_POSTSCRIPT_NAME = 6
_ERROR_EM = 0.0005  # how far a converted curve may lie from the original, in ems
_NUMBERS = itertools.count(1)  # the PDF library keeps the first font of a name for ever: each document has its own
_ALWAYS = "".join(map(chr, range(0x20, 0x7F))) + "□—–“”•·…"


@dataclass(frozen=True)
class Fonts:
    """Names that the PDF library knows: `text` is a serif font, `strong` a sans one, for heads and what is bold."""

    text: str
    strong: str
    covered: frozenset[str]

    def shown(self, text: str) -> str:
        """With "□" for what the font doesn't have: a gap would go unseen."""
        return "".join(char if char in self.covered or char in "\n\t" else "□" for char in text)


def embed_fonts(characters: Iterable[str]) -> Fonts:
    """Make fonts with these characters. Raises ReadingError when the PC has no font with Chinese characters."""
    wanted = {ord(char) for text in (*characters, _ALWAYS) for char in text}
    logging.getLogger("fontTools").setLevel(logging.ERROR)
    number = next(_NUMBERS)
    text, covered = _register(f"AipcText{number}", _font(sans=False), wanted)
    strong, also = _register(f"AipcStrong{number}", _font(sans=True), wanted)
    return Fonts(text, strong, frozenset(map(chr, covered & also)))


def _font(*, sans: bool) -> tuple[str, int]:
    found = chinese_font(sans=sans)
    if found is None:
        raise ReadingError(
            FailureKind.ERROR,
            "This PC has no font with Chinese characters, so no PDF can be written; install one "
            "(Noto CJK, say), or choose DOCX.",
        )
    return found


def _register(name: str, place: tuple[str, int], wanted: set[int]) -> tuple[str, set[int]]:
    path, number = place
    with TTFont(path, fontNumber=number, lazy=True) as font:
        covered = wanted & set(font.getBestCmap())
        options = Options(layout_features=[], hinting=False, notdef_outline=True, name_IDs=[1, 2, 3, 4, 6])
        options.drop_tables += ["vhea", "vmtx", "VORG", "BASE", "GPOS", "GSUB", "GDEF", "DSIG", "meta"]
        subsetter = Subsetter(options)
        subsetter.populate(unicodes=covered)
        subsetter.subset(font)
        if "glyf" not in font:
            _to_truetype(font)
        for record in font["name"].names:
            if record.nameID == _POSTSCRIPT_NAME:
                record.string = name
        made = io.BytesIO()
        font.save(made)
    made.seek(0)
    pdfmetrics.registerFont(EmbeddedFont(name, made))
    return name, covered


def _to_truetype(font: Any) -> None:
    """Cubic outlines to quadratic ones, in place."""
    glyphs, order = font.getGlyphSet(), font.getGlyphOrder()
    converted = {}
    for name in order:
        pen = TTGlyphPen(glyphs)
        glyphs[name].draw(Cu2QuPen(pen, _ERROR_EM * font["head"].unitsPerEm, reverse_direction=True))
        converted[name] = pen.glyph()
    table = font["glyf"] = newTable("glyf")
    table.glyphOrder, table.glyphs = order, converted
    font["loca"] = newTable("loca")
    metrics = font["hmtx"].metrics
    for name in order:
        converted[name].recalcBounds(table)
        metrics[name] = (metrics[name][0], getattr(converted[name], "xMin", 0))
    _describe_truetype(font)
    del font["CFF "]
    font.sfntVersion = "\000\001\000\000"


def _describe_truetype(font: Any) -> None:
    """The tables that say how much a TrueType font asks of who draws it."""
    profile = font["maxp"]
    profile.tableVersion = 0x00010000
    for name in ("maxTwilightPoints", "maxStorage", "maxFunctionDefs", "maxInstructionDefs", "maxStackElements",
                 "maxSizeOfInstructions", "maxComponentElements"):  # fmt: skip
        setattr(profile, name, 0)
    profile.maxZones = 1
    profile.compile(font)  # works out the rest from the glyphs
    font["post"].formatType = 3.0
