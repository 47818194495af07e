"""Small office files with known content, made of their XML so that a test says exactly what is in them."""

from __future__ import annotations

import base64
import hashlib
import os
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
A = "http://schemas.openxmlformats.org/drawingml/2006/main"
P = "http://schemas.openxmlformats.org/presentationml/2006/main"
_OASIS = "urn:oasis:names:tc:opendocument:xmlns"
ODF = {name: f"{_OASIS}:{name}:1.0" for name in ("office", "text", "table", "style", "presentation")}
ODF |= {"draw": f"{_OASIS}:drawing:1.0", "dc": "http://purl.org/dc/elements/1.1/"}


def write_zip(path: Path, parts: Mapping[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return path


def relations(*targets: tuple[str, str]) -> str:
    """Kind and target of each; ids are r1, r2 …"""
    inner = "".join(
        f'<Relationship Id="r{number}" Type="http://x/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets, 1)
    )
    return f"<Relationships>{inner}</Relationships>"


def write_xlsx(
    path: Path, sheets: Mapping[str, str], *, strings: Sequence[str] = (), formats: Sequence[str] = (), book: str = ""
) -> Path:
    """Sheets by name, each the XML inside <worksheet>; `formats` are the styles 1, 2 … by number format."""
    names = "".join(
        f'<sheet name="{escape(name)}" sheetId="{number}" r:id="r{number}"/>' for number, name in enumerate(sheets, 1)
    )
    kinds = [("worksheet", f"worksheets/sheet{number}.xml") for number in range(1, len(sheets) + 1)]
    own = "".join(
        f'<numFmt numFmtId="{200 + i}" formatCode="{escape(f, {chr(34): "&quot;"})}"/>' for i, f in enumerate(formats)
    )
    xfs = "".join(f'<xf numFmtId="{200 + i}"/>' for i in range(len(formats)))
    parts = {
        "[Content_Types].xml": "<Types/>",
        "_rels/.rels": relations(("officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{REL}">{book}<sheets>{names}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": relations(
            *kinds, ("sharedStrings", "sharedStrings.xml"), ("styles", "styles.xml")
        ),
        "xl/sharedStrings.xml": f'<sst xmlns="{MAIN}">{"".join(f"<si>{s}</si>" for s in strings)}</sst>',
        "xl/styles.xml": f'<styleSheet xmlns="{MAIN}"><numFmts>{own}</numFmts>'
        f'<cellXfs><xf numFmtId="0"/>{xfs}</cellXfs></styleSheet>',
    }
    for number, sheet in enumerate(sheets.values(), 1):
        parts[f"xl/worksheets/sheet{number}.xml"] = f'<worksheet xmlns="{MAIN}" xmlns:r="{REL}">{sheet}</worksheet>'
    return write_zip(path, parts)


def row(number: int, *cells: str) -> str:
    return f'<row r="{number}">{"".join(cells)}</row>'


def text_cell(place: str, text: str) -> str:
    return f'<c r="{place}" t="inlineStr"><is><t>{escape(text)}</t></is></c>'


def number_cell(place: str, value: float | str, style: int = 0) -> str:
    return f'<c r="{place}" s="{style}"><v>{value}</v></c>'


def write_pptx(path: Path, slides: Sequence[str], notes: Mapping[int, str] | None = None) -> Path:
    """Slides as the XML inside <p:spTree>; `notes` by the slide's number, from 1."""
    ids = "".join(f'<p:sldId id="{255 + n}" r:id="r{n}"/>' for n in range(1, len(slides) + 1))
    parts = {
        "[Content_Types].xml": "<Types/>",
        "_rels/.rels": relations(("officeDocument", "ppt/presentation.xml")),
        "ppt/presentation.xml": f'<p:presentation xmlns:p="{P}" xmlns:r="{REL}">'
        f"<p:sldIdLst>{ids}</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": relations(
            *(("slide", f"slides/slide{n}.xml") for n in range(1, len(slides) + 1))
        ),
    }
    for number, slide in enumerate(slides, 1):
        parts[f"ppt/slides/slide{number}.xml"] = _tree("sld", slide)
        if notes and number in notes:
            parts[f"ppt/slides/_rels/slide{number}.xml.rels"] = relations(("notesSlide", f"../notes/n{number}.xml"))
            parts[f"ppt/notes/n{number}.xml"] = _tree("notes", shape(notes[number]))
    return write_zip(path, parts)


def _tree(name: str, inner: str) -> str:
    return f'<p:{name} xmlns:p="{P}" xmlns:a="{A}"><p:cSld><p:spTree>{inner}</p:spTree></p:cSld></p:{name}>'


def shape(text: str, *, x: int = 0, y: int = 0, kind: str = "") -> str:
    placeholder = f'<p:nvSpPr><p:nvPr><p:ph type="{kind}"/></p:nvPr></p:nvSpPr>' if kind else ""
    place = f'<p:spPr><a:xfrm><a:off x="{x}" y="{y}"/></a:xfrm></p:spPr>'
    lines = "".join(f"<a:p><a:r><a:t>{escape(line)}</a:t></a:r></a:p>" for line in text.split("\n"))
    return f"<p:sp>{placeholder}{place}<p:txBody>{lines}</p:txBody></p:sp>"


def write_odf(path: Path, body: str, *, styles: str = "", password: str | None = None) -> Path:
    """An OpenDocument file; `body` is the XML inside <office:body>, `styles` inside <office:automatic-styles>."""
    names = " ".join(f'xmlns:{prefix}="{uri}"' for prefix, uri in ODF.items())
    content = (
        f"<office:document-content {names}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body>{body}</office:body></office:document-content>"
    ).encode()
    if password is None:
        return write_zip(path, {"mimetype": "application/vnd.oasis.opendocument", "content.xml": content})
    data, manifest = _encrypted(content, password)
    return write_zip(path, {"mimetype": "x", "content.xml": data, "META-INF/manifest.xml": manifest})


def _encrypted(content: bytes, password: str) -> tuple[bytes, str]:
    """As OpenDocument 1.2 writes it: deflated, AES-256 in CBC, key by PBKDF2 from the SHA-256 of the password."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    salt, vector = os.urandom(16), os.urandom(16)
    deflater = zlib.compressobj(9, zlib.DEFLATED, -15)
    plain = deflater.compress(content) + deflater.flush()
    pad = 16 - len(plain) % 16
    key = hashlib.pbkdf2_hmac("sha1", hashlib.sha256(password.encode()).digest(), salt, 1000, 32)
    encryptor = Cipher(algorithms.AES(key), modes.CBC(vector)).encryptor()
    data = encryptor.update(plain + bytes([pad]) * pad) + encryptor.finalize()
    check, m = base64.b64encode(hashlib.sha256(plain[:1024]).digest()).decode(), "manifest:"
    return data, (
        f'<{m}manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
        f'<{m}file-entry {m}full-path="content.xml" {m}size="{len(content)}">'
        f'<{m}encryption-data {m}checksum-type="urn:x#sha256-1k" {m}checksum="{check}">'
        f'<{m}algorithm {m}algorithm-name="http://www.w3.org/2001/04/xmlenc#aes256-cbc"'
        f' {m}initialisation-vector="{base64.b64encode(vector).decode()}"/>'
        f'<{m}key-derivation {m}key-derivation-name="PBKDF2" {m}key-size="32" {m}iteration-count="1000"'
        f' {m}salt="{base64.b64encode(salt).decode()}"/>'
        f'<{m}start-key-generation {m}start-key-generation-name="http://www.w3.org/2000/09/xmldsig#sha256"'
        f' {m}key-size="32"/>'
        f"</{m}encryption-data></{m}file-entry></{m}manifest>"
    )
