"""Files broken at random: each ends in pages or in a sentence, and the reader serves the next one."""

from __future__ import annotations

import io
import random
import zipfile
from pathlib import Path

import pytest

from aipc_app.domain.reader_wire import ReadLimits
from aipc_app.errors import DocumentError
from aipc_app.workers.reader import Reader
from tests.unit.aipc_app.reader.making import PdfPage, paragraph, pdf_bytes, show, show_chinese, show_mapped, write_docx

ROUNDS = 150
LIMITS = ReadLimits(seconds=20, memory_bytes=512 << 20)


def seeds(tmp_path: Path) -> dict[str, bytes]:
    pages = [PdfPage(show("Some text") + show_chinese("借款合同", y=60)), PdfPage(show_mapped("ABC"), rotate=90)]
    table = f"<w:tbl><w:tr><w:tc>{paragraph('a')}</w:tc><w:tc>{paragraph('b')}</w:tc></w:tr></w:tbl>"
    with zipfile.ZipFile(write_docx(tmp_path / "seed.docx", paragraph("正文") + table)) as packed:
        plain = io.BytesIO()
        with zipfile.ZipFile(plain, "w", zipfile.ZIP_STORED) as unpacked:  # so that broken bytes reach the XML
            for name in packed.namelist():
                unpacked.writestr(name, packed.read(name))
    html = "<html><table><tr><td>甲<td>乙</table><ol><li>一<li>二</ol><pre> x</pre></html>"
    return {"pdf": pdf_bytes(pages, {"A": "\u2f00"}), "docx": plain.getvalue(), "html": html.encode("gbk")}


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
