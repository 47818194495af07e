"""Files made to hurt: each ends as one sentence about itself, and the next file is read."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from aipc_app.domain.documents import PageState
from aipc_app.domain.reader_wire import ReadLimits
from aipc_app.errors import DocumentError, DocumentLimit
from tests.unit.aipc_app.reader.conftest import ReadFile
from tests.unit.aipc_app.reader.making import PdfPage, assemble, packed_stream, paragraph, pdf_bytes, show, write_docx
from tests.unit.aipc_app.reader.making_office import shape, write_odf, write_pptx, write_xlsx, write_zip
from tests.unit.aipc_app.reader.test_ofd import text as ofd_text
from tests.unit.aipc_app.reader.test_ofd import write_ofd

GROWING = "".join(f'<!ENTITY {name} "{f"&{before};" * 20}">' for before, name in pairwise("abcdefghi"))
LAUGHS = f'<!DOCTYPE l [<!ENTITY a "ha ha ha ha">{GROWING}]>'
TITLED = "x" * 40


def with_laughs(path: Path, part: str) -> Path:
    """One part of a zip now begins with entities that grow to gigabytes, and uses them where a word stood."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    head, _, body = parts[part].decode().rpartition("?>")
    assert TITLED in body
    parts[part] = f"{head}?>".removeprefix("?>").encode() + (LAUGHS + body.replace(TITLED, "&i;")).encode()
    return write_zip(path, parts)


BOMBS: dict[str, tuple[Callable[[Path], Path], str]] = {
    "a.docx": (lambda path: write_docx(path, paragraph(TITLED)), "word/document.xml"),
    "a.xlsx": (lambda path: write_xlsx(path, {"S": ""}, strings=[f"<t>{TITLED}</t>"]), "xl/sharedStrings.xml"),
    "a.pptx": (lambda path: write_pptx(path, [shape(TITLED)]), "ppt/slides/slide1.xml"),
    "a.odt": (lambda path: write_odf(path, f"<office:text><text:p>{TITLED}</text:p></office:text>"), "content.xml"),
    "a.ofd": (lambda path: write_ofd(path, ofd_text(TITLED, 20, 30)), "Doc_0/Pages/P0.xml"),
}


@pytest.mark.parametrize("name", BOMBS)
def test_entities_that_grow_are_never_expanded(tmp_path: Path, read: ReadFile, name: str) -> None:
    """Whatever is read of the file, it is neither the bomb nor long in coming."""
    write, part = BOMBS[name]
    file = with_laughs(write(tmp_path / name), part)
    try:
        outcome = read(file, limits=ReadLimits(seconds=20.0, memory_bytes=300 << 20))
    except DocumentError as error:
        assert "damaged" in error.message
    else:
        assert all("ha ha" not in one.page.text for one in outcome.read)
        assert any(one.page.problem for one in outcome.read)


def test_flat_xml_with_entities_that_grow_is_damaged(tmp_path: Path, read: ReadFile) -> None:
    word = 'xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml"'
    file = tmp_path / "a.doc"
    file.write_text(f"{LAUGHS}<w:wordDocument {word}><w:body><w:p>&i;</w:p></w:body></w:wordDocument>")
    with pytest.raises(DocumentError, match="damaged"):
        read(file, limits=ReadLimits(seconds=20.0, memory_bytes=300 << 20))


def test_objects_packed_into_a_stream_that_grows_end_at_the_memory_limit(tmp_path: Path, read: ReadFile) -> None:
    """The catalog itself lies in it, so that it has to be unpacked before anything is known."""
    file = tmp_path / "a.pdf"
    file.write_bytes(_packed_objects(mebibytes=1))
    assert read(file).states == [PageState.EMPTY]
    file.write_bytes(_packed_objects(mebibytes=400))
    with pytest.raises(DocumentLimit, match="memory"):
        read(file, limits=ReadLimits(seconds=30.0, memory_bytes=250 << 20))
    file.write_bytes(pdf_bytes([PdfPage(show("Next"))]))
    assert read(file).text == "Next"


def _packed_objects(mebibytes: int) -> bytes:
    """A PDF of one empty page whose objects are in a packed stream, followed there by so many spaces."""
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
               b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>"]  # fmt: skip
    places = [sum(len(one) + 1 for one in objects[:at]) for at in range(len(objects))]
    index = b" ".join(b"%d %d" % (number, place) for number, place in enumerate(places, 1)) + b" "
    body = packed_stream([index, b" ".join(objects), *(b" " * (1 << 20) for _ in range(mebibytes))])
    head = b"%PDF-1.7\n"
    stored = b"4 0 obj\n" + body.replace(b"<<", b"<</Type/ObjStm/N 3/First %d" % len(index), 1) + b"\nendobj\n"
    start = len(head) + len(stored)
    in_stream = b"".join(bytes((2, 0, 0, 4, at)) for at in range(len(objects)))
    rows = bytes(5) + in_stream + b"".join(bytes((1, *place.to_bytes(3, "big"), 0)) for place in (len(head), start))
    table = b"<</Type/XRef/Size 6/W[1 3 1]/Root 1 0 R/Length %d>>stream\n" % len(rows) + rows + b"\nendstream"
    return head + stored + b"5 0 obj\n" + table + b"\nendobj\nstartxref\n%d\n%%%%EOF\n" % start


def test_a_hundred_thousand_pages_are_one_sentence(tmp_path: Path, read: ReadFile) -> None:
    count = 100_000
    kids = " ".join(f"{number} 0 R" for number in range(4, 4 + count)).encode()
    tree = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count %d/Kids[%s]>>" % (count, kids)]
    content = b"<</Length 0>>stream\n\nendstream"
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 3 0 R>>"
    file = tmp_path / "a.pdf"
    file.write_bytes(assemble([*tree, content, *[page] * count], "/Root 1 0 R"))
    with pytest.raises(DocumentLimit, match="100000 pages"):
        read(file)
