"""Write the sample cases' DOCX and PDF files from their readable sources.

    python scripts/build_samples.py [CASE ...]

Every `.docx` or `.pdf` that a `case.toml` names is made from the source of the same name in
`assets/samples/sources/<case>/` (a small part of Markdown: headings, paragraphs, tables, bold; `> ` is
a line set to the right). Needs fonts-noto-cjk from the system and fonttools; the results are committed,
so only someone who edits a source runs this. A DOCX comes out with the same bytes each time; in a PDF the
order of its fonts may change.
"""

from __future__ import annotations

import html
import io
import os
import re
import shutil
import sys
import tempfile
import tomllib
import zipfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import docx
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.oxml.ns import qn
from docx.shared import Cm, Pt, RGBColor
from fontTools import subset  # type: ignore[import-untyped]
from fontTools.ttLib import TTCollection, TTFont  # type: ignore[import-untyped]
from pypdf import PdfReader, PdfWriter
from PySide6.QtCore import QMarginsF, QRectF, QSizeF, Qt, QUuid
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QFont,
    QFontDatabase,
    QGuiApplication,
    QPageLayout,
    QPageSize,
    QPainter,
    QPdfWriter,
    QTextBlock,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)

SAMPLES = Path(__file__).resolve().parent.parent / "assets" / "samples"
FONT_FOLDER = Path("/usr/share/fonts/opentype/noto")
FONT_FAMILY = "Sample Serif"
FIXED_TIME = datetime(2024, 7, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Heading:
    level: int
    text: str


@dataclass(frozen=True)
class Paragraph:
    text: str
    to_the_right: bool = False


@dataclass(frozen=True)
class Table:
    rows: tuple[tuple[str, ...], ...]


Block = Heading | Paragraph | Table


def parse(source: str) -> list[Block]:
    """Cut a source into blocks. Raises ValueError for a table whose rows differ in length."""
    return [_block(chunk) for chunk in re.split(r"\n{2,}", source.strip())]


def _block(chunk: str) -> Block:
    heading = re.match(r"(#+) (.*)", chunk)
    if heading:
        return Heading(len(heading[1]), heading[2])
    if chunk.startswith("|"):
        return _table(chunk)
    if chunk.startswith("> "):
        return Paragraph(chunk[2:], to_the_right=True)
    return Paragraph(" ".join(chunk.split("\n")))


def _table(chunk: str) -> Table:
    rows = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in chunk.split("\n")]
    kept = tuple(row for row in rows if not all(re.fullmatch(r"-+", cell) for cell in row))
    if len({len(row) for row in kept}) != 1:
        raise ValueError(f"rows of different lengths in the table that starts {chunk[:40]!r}")
    return Table(kept)


def _runs(text: str) -> list[tuple[str, bool]]:
    return [(part, index % 2 == 1) for index, part in enumerate(text.split("**")) if part]


# DOCX


def write_docx(blocks: list[Block], target: Path) -> None:
    """Write the blocks with Word's own heading, body and table styles; the same bytes every time."""
    document = docx.Document()
    _set_up_docx(document)
    for block in blocks:
        _add_to_docx(document, block)
    buffer = io.BytesIO()
    document.save(buffer)
    target.write_bytes(_with_fixed_times(buffer.getvalue()))


def _set_up_docx(document: docx.document.Document) -> None:
    properties = document.core_properties
    properties.author, properties.title, properties.comments = "", "", ""
    properties.created = properties.modified = FIXED_TIME.replace(tzinfo=None)
    section = document.sections[0]
    section.page_width, section.page_height = Cm(21), Cm(29.7)
    for name, family in (("Normal", "宋体"), ("Title", "黑体"), ("Heading 1", "黑体"), ("Heading 2", "黑体")):
        _set_font(document.styles[name], family)
    document.styles["Normal"].font.size = Pt(12)
    title = document.styles["Title"]
    title.paragraph_format.alignment = WD_ALIGN_PARAGRAPH.CENTER
    title.element.pPr.remove(title.element.pPr.find(qn("w:pBdr")))  # the template's blue line


def _set_font(style: docx.styles.style.ParagraphStyle, chinese_family: str) -> None:
    style.font.name = "Times New Roman"
    style.font.color.rgb = RGBColor(0, 0, 0)
    fonts = style.element.get_or_add_rPr().get_or_add_rFonts()
    for theme in ("asciiTheme", "hAnsiTheme", "eastAsiaTheme", "cstheme"):  # a theme's font would win
        fonts.attrib.pop(qn(f"w:{theme}"), None)
    fonts.set(qn("w:eastAsia"), chinese_family)


def _add_to_docx(document: docx.document.Document, block: Block) -> None:
    if isinstance(block, Heading):
        document.add_heading(block.text, block.level - 1)
    elif isinstance(block, Paragraph):
        paragraph = document.add_paragraph()
        if block.to_the_right:
            paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT
        for text, bold in _runs(block.text):
            paragraph.add_run(text).bold = bold or None
    else:
        table = document.add_table(len(block.rows), len(block.rows[0]), style="Table Grid")
        for cells, texts in zip(table.rows, block.rows, strict=True):
            for cell, text in zip(cells.cells, texts, strict=True):
                cell.text = text
        document.add_paragraph()


def _with_fixed_times(archive: bytes) -> bytes:
    result = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(result, "w") as new:
        for name in old.namelist():
            entry = zipfile.ZipInfo(name, FIXED_TIME.timetuple()[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(entry, old.read(name))
    return result.getvalue()


# PDF


def write_pdf(blocks: list[Block], target: Path, indent: bool) -> None:
    """Lay the blocks out on A4 with a text layer and a subset of the font; `indent`: paragraphs start two
    characters in, as in Chinese."""
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder) / "raw.pdf"
        writer = QPdfWriter(str(raw))
        writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
        writer.setPageMargins(QMarginsF(24, 24, 24, 24), QPageLayout.Unit.Millimeter)
        writer.setResolution(1200)
        writer.setDocumentId(QUuid("{a1bc0000-0000-4000-8000-000000000001}"))
        _paint(_laid_out(blocks, indent, writer), writer)
        del writer
        _fix_times(raw, target)


def _laid_out(blocks: list[Block], indent: bool, writer: QPdfWriter) -> QTextDocument:
    """Qt paints a paragraph that two pages share on both, clipped: the text layer would hold a line twice.
    So what a page break would cut begins a page instead, in a fresh layout, until nothing is cut."""
    breaks: frozenset[int] = frozenset()
    while True:
        document = _document(blocks, indent, writer, breaks)
        cut = next((unit[0] for unit in _units(document) if _is_cut(document, unit)), None)
        if cut is None:
            return document
        if cut in breaks:
            raise ValueError(f"{document.findBlockByNumber(cut).text()[:40]!r} does not fit a page")
        breaks |= {cut}


def _units(document: QTextDocument) -> list[list[int]]:
    """Numbers of Qt's paragraphs that stay together: a heading or a table's caption with what follows it."""
    units: list[list[int]] = []
    joined = False
    block = document.begin()
    while block.isValid():
        if joined:
            units[-1].append(block.blockNumber())
        else:
            units.append([block.blockNumber()])
        joined = _keeps_with_next(block)
        block = block.next()
    return units


def _keeps_with_next(block: QTextBlock) -> bool:
    cursor = QTextCursor(block)
    cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock)
    heading = bool(block.text()) and cursor.charFormat().fontWeight() >= QFont.Weight.Bold
    return heading or QTextCursor(block.next()).currentTable() is not None


def _is_cut(document: QTextDocument, unit: list[int]) -> bool:
    layout, height = document.documentLayout(), document.pageSize().height()
    first, last = (layout.blockBoundingRect(document.findBlockByNumber(n)) for n in (unit[0], unit[-1]))
    return bool(first.top() // height != (last.bottom() - 1) // height)


def _document(blocks: list[Block], indent: bool, writer: QPdfWriter, breaks: frozenset[int]) -> QTextDocument:
    document = QTextDocument()
    document.documentLayout().setPaintDevice(writer)
    document.setDocumentMargin(0)
    document.setDefaultFont(QFont(FONT_FAMILY, 12 if indent else 10))
    document.setDefaultStyleSheet(_style_sheet(indent))
    document.setHtml("".join(_as_html(block) for block in blocks))
    for number in breaks:
        block = document.findBlockByNumber(number)
        moved = block.blockFormat()
        moved.setPageBreakPolicy(QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore)
        QTextCursor(block).setBlockFormat(moved)
    document.setPageSize(QSizeF(writer.width(), writer.height()))
    return document


def _paint(document: QTextDocument, writer: QPdfWriter) -> None:
    page, millimetre = document.pageSize(), writer.resolution() / 25.4
    painter = QPainter(writer)
    for number in range(document.pageCount()):
        if number:
            writer.newPage()
        painter.save()
        painter.translate(0, -number * page.height())
        context = QAbstractTextDocumentLayout.PaintContext()
        context.clip = QRectF(0, number * page.height(), page.width(), page.height())
        document.documentLayout().draw(painter, context)
        painter.restore()
        painter.setFont(QFont(FONT_FAMILY, 9))
        foot = QRectF(0, page.height() + 6 * millimetre, page.width(), 6 * millimetre)
        painter.drawText(foot, Qt.AlignmentFlag.AlignHCenter, str(number + 1))
    painter.end()


def _style_sheet(indent: bool) -> str:
    body = "text-indent: 400px; line-height: 150%;" if indent else "text-indent: 200px; line-height: 125%;"
    start = "text-indent: 400px;" if indent else "text-indent: 200px;"
    headings = (  # in the body's size: where sizes change, pdfium's text runs a heading into the line above
        "p.heading1 { font-size: 17pt; margin-top: 0px; margin-bottom: 10px; }"
        f"p.heading2 {{ margin-top: 12px; margin-bottom: 8px; {start} }}"
        f"p.heading3 {{ margin-top: 8px; margin-bottom: 6px; {start} }}"
    )
    return f"p.body {{ {body} margin-top: 0px; margin-bottom: 6px; white-space: pre-wrap; }} {headings}"


def _as_html(block: Block) -> str:
    if isinstance(block, Heading):  # not <h1>: Qt scales those by factors of its own
        align = ' align="center"' if block.level == 1 else ""
        return f'<p class="heading{block.level}"{align}><b>{html.escape(block.text)}</b></p>'
    if isinstance(block, Paragraph):
        align = ' align="right"' if block.to_the_right else ""
        return f'<p class="body"{align}>{_inline_html(block.text)}</p>'
    rows = "".join(f"<tr>{_cells(row)}</tr>" for row in block.rows)
    frame = 'border="1" cellspacing="0" cellpadding="4" style="border-collapse: collapse; margin-bottom: 8px"'
    return f"<table {frame}>{rows}</table><p></p>"


def _cells(row: tuple[str, ...]) -> str:
    return "".join(f"<td>{_inline_html(cell)}</td>" for cell in row)


def _inline_html(text: str) -> str:
    return "".join(f"<b>{html.escape(part)}</b>" if bold else html.escape(part) for part, bold in _runs(text))


def _fix_times(raw: Path, target: Path) -> None:
    writer = PdfWriter(clone_from=PdfReader(raw))
    stamp = FIXED_TIME.strftime("D:%Y%m%d%H%M%SZ")
    writer.metadata = {"/CreationDate": stamp, "/ModDate": stamp, "/Producer": "Qt"}
    writer.root_object.pop("/Metadata", None)
    writer.compress_identical_objects(remove_unreferenced=True)
    writer.write(target)


def load_fonts(text: str, folder: Path) -> None:
    """Give Qt a font that has exactly the characters of `text`: a full CJK font maps one glyph to both a
    character and a Kangxi radical, and the text layer would then carry the radical."""
    for weight in ("Regular", "Bold"):
        font = _simplified_chinese(FONT_FOLDER / f"NotoSerifCJK-{weight}.ttc")
        options = subset.Options(layout_features=[], hinting=False, name_IDs=[1, 2, 4, 6])
        subsetter = subset.Subsetter(options)
        subsetter.populate(text=text)
        subsetter.subset(font)
        for record in font["name"].names:
            values = {1: FONT_FAMILY, 2: weight, 4: f"{FONT_FAMILY} {weight}", 6: f"SampleSerif-{weight}"}
            record.string = values[record.nameID]
        path = folder / f"{weight}.otf"
        font.save(path)
        if QFontDatabase.addApplicationFont(str(path)) < 0:
            raise RuntimeError(f"Qt could not load the font made from {weight}")


def _simplified_chinese(collection: Path) -> TTFont:
    for font in TTCollection(collection).fonts:
        if str(font["name"].getDebugName(1)).endswith(" SC"):
            return font
    raise RuntimeError(f"no Simplified Chinese font in {collection}: install fonts-noto-cjk")


# Cases


def targets(case: str) -> list[Path]:
    """The files of a case that are made from a source."""
    manifest = tomllib.loads((SAMPLES / case / "case.toml").read_text("utf-8"))
    named = [SAMPLES / case / name for name in (*manifest["documents"], *manifest.get("library", []))]
    return [path for path in named if path.suffix in {".docx", ".pdf"}]


def source_of(target: Path) -> Path:
    """The readable source of a generated file."""
    case, _, name = target.relative_to(SAMPLES).as_posix().partition("/")
    return (SAMPLES / "sources" / case / name).with_suffix(".md")


def main(cases: list[str]) -> None:
    """Write every generated file of the named cases (all when none is named)."""
    os.environ.update(QT_QPA_PLATFORM="offscreen", QT_HASH_SEED="0")  # the seed orders the PDF's fonts
    application = QGuiApplication([])
    paths = [path for case in cases or all_cases() for path in targets(case)]
    sources = {path: source_of(path).read_text("utf-8") for path in paths}
    fonts = Path(tempfile.gettempdir()) / "aipc-sample-fonts"  # a fixed name: it too decides the fonts' order
    fonts.mkdir(exist_ok=True)
    load_fonts("0123456789" + "".join(text for path, text in sources.items() if path.suffix == ".pdf"), fonts)
    for path, text in sources.items():
        _write(parse(text), path)
        print(path.relative_to(SAMPLES))
    shutil.rmtree(fonts)
    application.shutdown()


def _write(blocks: list[Block], target: Path) -> None:
    if target.suffix == ".docx":
        write_docx(blocks, target)
    else:
        write_pdf(blocks, target, indent=target.relative_to(SAMPLES).parts[0] != "paper")


def all_cases() -> list[str]:
    """The names of the sample cases."""
    return sorted(path.parent.name for path in SAMPLES.glob("*/case.toml"))


if __name__ == "__main__":
    main(sys.argv[1:])
