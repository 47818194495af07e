"""Real office files and mail broken at random: each ends in pages or in a sentence, and the next one is read."""

from __future__ import annotations

import io
import random
import zipfile
from pathlib import Path

import pytest

from aipc_app.domain.reader_wire import ReadLimits
from aipc_app.errors import DocumentError
from aipc_app.workers.reader import Reader
from tests.unit.aipc_app.reader.test_fuzz import broken

pytestmark = pytest.mark.data

ROUNDS = 25
LIMITS = ReadLimits(seconds=30, memory_bytes=1 << 30)
SEEDS = (
    "office_poi/61490.doc",
    "office_tika/testWORD_numbered_list.doc",
    "office_docling/legacy_sample.ppt",
    "office_docling/legacy_sample.xls",
    "office_tika/testEXCEL_extra_metadata.xls",
    "office_tika/testMSG_att_msg.msg",
    "office_poi/ASCII_UTF-8_CP1252_LCID1031_HTML.msg",
    "office_docling/xlsx_01.xlsx",
    "office_tika/testPPT_various2.pptx",
    "office_tika/testODTStyles3.odt",
    "office_docling/odf_table_with_title_01.ods",
    "office_tika/testRTFJapanese.rtf",
    "office_tika/testRTFVarious.rtf",
    "mail_mimekit/tnef/panic.tnef",
    "office_unstructured/eml/fake-email-attachment.eml",
    "office_tika/testEPUB.epub",
    "office_tika/testWORD6.doc",
    "office_tika/testWPSAttachment.doc",  # pictures of every kind
    "office_tika/testWPSAttachment.xls",
    "office_tika/pictures.ppt",
)


def unpacked(data: bytes) -> bytes:
    """A zip whose parts are stored as they are, so that broken bytes reach the XML."""
    if not data.startswith(b"PK"):
        return data
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as packed, zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as plain:
        for name in packed.namelist():
            plain.writestr(name, packed.read(name))
    return out.getvalue()


def changed(data: bytes, rng: random.Random) -> bytes:
    """Some bytes changed and none moved: in old office files nearly everything hangs on where it is."""
    out = bytearray(data)
    for _ in range(rng.randint(1, 40)):
        out[rng.randrange(len(out))] = rng.randrange(256)
    return bytes(out)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_broken_file_ends_in_pages_or_in_a_sentence(
    shared_data: Path, tmp_path: Path, reader: Reader, seed: str
) -> None:
    rng = random.Random(seed)
    data = unpacked((shared_data / "documents" / seed).read_bytes())
    wrong: list[str] = []
    for number in range(ROUNDS):
        file = tmp_path / f"{number}{Path(seed).suffix}"
        file.write_bytes(broken(data, rng) if number % 2 else changed(data, rng))
        try:
            reader.read(file, file.name, on_page=lambda _: None, limits=LIMITS, work_folder=tmp_path,
                        on_member=lambda _: None)  # fmt: skip
        except DocumentError as error:
            if "crash" in error.message or "took longer" in error.message:
                wrong.append(f"{file.name}: {error.message}")
        file.unlink()
    assert not wrong
