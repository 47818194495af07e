"""Files broken at random: each ends in pages or in a sentence, and the reader serves the next one."""

from __future__ import annotations

import io
import random
import zipfile
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from aipc_app.domain.reader_wire import ReadLimits
from aipc_app.errors import DocumentError
from aipc_app.workers.reader import Reader
from tests.unit.aipc_app.reader.making import PdfPage, paragraph, pdf_bytes, show, show_chinese, show_mapped, write_docx
from tests.unit.aipc_app.reader.test_ofd import text, write_ofd

ROUNDS = 150
LIMITS = ReadLimits(seconds=20, memory_bytes=1 << 30)


def seeds(tmp_path: Path) -> dict[str, bytes]:
    pages = [PdfPage(show("Some text") + show_chinese("借款合同", y=60)), PdfPage(show_mapped("ABC"), rotate=90)]
    table = f"<w:tbl><w:tr><w:tc>{paragraph('a')}</w:tc><w:tc>{paragraph('b')}</w:tc></w:tr></w:tbl>"
    with zipfile.ZipFile(write_docx(tmp_path / "seed.docx", paragraph("正文") + table)) as packed:
        plain = io.BytesIO()
        with zipfile.ZipFile(plain, "w", zipfile.ZIP_STORED) as unpacked:  # so that broken bytes reach the XML
            for name in packed.namelist():
                unpacked.writestr(name, packed.read(name))
    html = "<html><table><tr><td>甲<td>乙</table><ol><li>一<li>二</ol><pre> x</pre></html>"
    return {
        "pdf": pdf_bytes(pages, {"A": "\u2f00"}), "docx": plain.getvalue(), "html": html.encode("gbk"),
        "ofd": unpacked_ofd(tmp_path), "png": picture(), "tif": picture("TIFF"),
    }  # fmt: skip


def unpacked_ofd(tmp_path: Path) -> bytes:
    path = '<ofd:PathObject Boundary="9 9 9 9"><ofd:AbbreviatedData>M 0 0 B 1 2 3 4 5 6 C</ofd:AbbreviatedData>'
    packed = write_ofd(tmp_path / "seed.ofd", text("借款合同", 20, 40, 5, "g 3 5") + path + "</ofd:PathObject>")
    plain = io.BytesIO()
    with zipfile.ZipFile(packed) as source, zipfile.ZipFile(plain, "w", zipfile.ZIP_STORED) as target:
        for name in source.namelist():
            target.writestr(name, source.read(name))
    return plain.getvalue()


def picture(kind: str = "PNG") -> bytes:
    out = io.BytesIO()
    image = Image.new("RGB", (90, 40), "white")
    ImageDraw.Draw(image).text((8, 8), "Loan 500", fill="black")
    image.save(out, kind)
    return out.getvalue()


def broken(data: bytes, rng: random.Random) -> bytes:
    """Some bytes changed, a piece doubled, or the end cut off."""
    out = bytearray(data)
    for _ in range(rng.randint(1, 12)):
        at = rng.randrange(len(out))
        action = rng.randrange(4)
        if action == 0:
            out[at] = rng.randrange(256)
        elif action == 1:
            out[at : at + rng.randint(1, 30)] = b""
        elif action == 2:
            out[at:at] = out[at : at + rng.randint(1, 200)]
        elif rng.random() < 0.2:
            del out[at:]
        if not out:
            return b"x"
    return bytes(out)


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_broken_files_end_in_pages_or_in_a_sentence(tmp_path: Path, reader: Reader) -> None:
    rng = random.Random(20260301)
    crashed: list[str] = []
    for kind, seed in seeds(tmp_path).items():
        for number in range(ROUNDS):
            file = tmp_path / f"{number}.{kind}"
            file.write_bytes(broken(seed, rng))
            try:
                reader.read(file, file.name, on_page=lambda _: None, limits=LIMITS)
            except DocumentError as error:
                if "crash" in error.message or "took longer" in error.message:
                    crashed.append(f"{file.name}: {error.message}")
    assert not crashed
