"""Small files with known content, written byte by byte so that a test says exactly what is in them."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


@dataclass(frozen=True)
class PdfPage:
    """`content` is a content stream; fonts F1 (Helvetica), F2 (Chinese), F3 (see `mapped`), image Im."""

    content: str
    media: tuple[float, float, float, float] = (0, 0, 300, 200)
    crop: tuple[float, float, float, float] | None = None
    rotate: int = 0


def show(text: str, x: float = 20, y: float = 100, size: float = 20) -> str:
    """Latin text in F1."""
    escaped = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    return f"BT /F1 {size} Tf 1 0 0 1 {x} {y} Tm ({escaped}) Tj ET\n"


def show_chinese(text: str, x: float = 20, y: float = 100, size: float = 20) -> str:
    """Chinese text in F2, which isn't embedded."""
    return f"BT /F2 {size} Tf 1 0 0 1 {x} {y} Tm <{text.encode('utf-16-be').hex()}> Tj ET\n"


def show_mapped(codes: str, x: float = 20, y: float = 100, size: float = 20) -> str:
    """Codes of F3, whose meaning `mapped` gives."""
    return f"BT /F3 {size} Tf 1 0 0 1 {x} {y} Tm ({codes}) Tj ET\n"


def pdf_bytes(pages: Sequence[PdfPage], mapped: Mapping[str, str] | None = None, title: str = "") -> bytes:
    """A PDF of these pages. `mapped`: what F3's one-byte codes say they stand for (its ToUnicode map)."""
    resources = (
        "<</Font<</F1 3 0 R/F2 4 0 R/F3 5 0 R>>/XObject<</Im 9 0 R>>>>"
    )
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Count {len(pages)}/Kids[{' '.join(f'{11 + 2 * i} 0 R' for i in range(len(pages)))}]>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
        "<</Type/Font/Subtype/Type0/BaseFont/STSong-Light/Encoding/UniGB-UCS2-H/DescendantFonts[6 0 R]>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 8 0 R>>",
        "<</Type/Font/Subtype/CIDFontType0/BaseFont/STSong-Light/FontDescriptor 7 0 R"
        "/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)/Supplement 2>>/DW 1000>>",
        "<</Type/FontDescriptor/FontName/STSong-Light/Flags 4/FontBBox[0 -200 1000 900]/ItalicAngle 0"
        "/Ascent 880/Descent -120/CapHeight 700/StemV 80>>",
        _stream(_to_unicode(mapped or {})),
        _stream("\x00", "/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray"),
        f"<</Title({title})>>",
    ]
    for i, page in enumerate(pages):
        crop = f"/CropBox[{_numbers(page.crop)}]" if page.crop else ""
        objects.append(
            f"<</Type/Page/Parent 2 0 R/MediaBox[{_numbers(page.media)}]{crop}/Rotate {page.rotate}"
            f"/Contents {12 + 2 * i} 0 R/Resources{resources}>>"
        )
        objects.append(_stream(page.content))
    return assemble([o.encode("latin-1") for o in objects])


def assemble(objects: Sequence[bytes], trailer: str = "/Root 1 0 R/Info 10 0 R") -> bytes:
    """Numbered objects, cross-reference table and trailer."""
    out, offsets = bytearray(b"%PDF-1.7\n"), []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += f"trailer<</Size {len(objects) + 1}{trailer}>>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(out)


def packed_stream(pieces: Iterable[bytes]) -> bytes:
    """A deflated stream object, however long, without ever holding it unpacked."""
    packer = zlib.compressobj(1)
    data = b"".join(packer.compress(piece) for piece in pieces) + packer.flush()
    return b"<</Filter/FlateDecode/Length %d>>stream\n" % len(data) + data + b"\nendstream"


def _stream(content: str, entries: str = "") -> str:
    return f"<<{entries}/Length {len(content)}>>stream\n{content}\nendstream"


def _numbers(box: tuple[float, float, float, float]) -> str:
    return " ".join(f"{value:g}" for value in box)


def _to_unicode(mapped: Mapping[str, str]) -> str:
    lines = "\n".join(
        f"<{ord(code):02x}> <{text.encode('utf-16-be', 'surrogatepass').hex()}>" for code, text in mapped.items()
    )
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def\n"
        "1 begincodespacerange <00> <ff> endcodespacerange\n"
        f"{len(mapped)} beginbfchar\n{lines}\nendbfchar endcmap end end"
    )


def write_docx(path: Path, body: str, **parts: str) -> Path:
    """A DOCX whose body is the XML given (namespace w); `parts`: styles, numbering, footnotes, endnotes."""
    kinds = "".join(
        f'<Relationship Id="r{i}" Type="http://x/{kind}" Target="{kind}.xml"/>' for i, kind in enumerate(parts)
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr(
            "_rels/.rels",
            '<Relationships><Relationship Id="a" Type="http://x/officeDocument" Target="word/document.xml"/>'
            "</Relationships>",
        )
        archive.writestr("word/document.xml", f'<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>')
        archive.writestr("word/_rels/document.xml.rels", f"<Relationships>{kinds}</Relationships>")
        for kind, xml in parts.items():
            archive.writestr(f"word/{kind}.xml", f'<w:{kind} xmlns:w="{W}">{xml}</w:{kind}>')
    return path


def paragraph(text: str = "", properties: str = "", runs: str = "") -> str:
    """A paragraph of one run of text, or of the runs given."""
    content = runs or f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'
    return f"<w:p><w:pPr>{properties}</w:pPr>{content}</w:p>"
