"""Pictures put into office files: their text stands in its place, and the page says that it was recognised."""

from __future__ import annotations

import io
import threading
import zipfile
from pathlib import Path

import docx
import pytest
from PIL import Image

from aipc_app.domain.documents import PageState
from aipc_app.domain.reader_wire import PictureRead
from aipc_app.errors import Cancelled
from tests.unit.aipc_app.reader import scans
from tests.unit.aipc_app.reader.conftest import ReadFile
from tests.unit.aipc_app.reader.making_office import (
    REL,
    A,
    P,
    relations,
    row,
    shape,
    text_cell,
    write_odf,
    write_pptx,
    write_xlsx,
)

LINES = ("借款本金人民币五十万元整", "Harbour Lane Trading Limited")
PICTURE = f'<p:pic xmlns:r="{REL}"><p:blipFill><a:blip r:embed="r1"/></p:blipFill>'


@pytest.fixture(scope="module")
def scan() -> bytes:
    """A slip of paper with two lines."""
    scans.require_fonts()
    page = Image.new("RGB", (900, 260), "white")
    scans.write(page, LINES, (40, 40), 200)
    return png(page)


def png(picture: Image.Image) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return buffer.getvalue()


def with_parts(path: Path, **parts: bytes | str) -> Path:
    with zipfile.ZipFile(path, "a") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return path


def placed(y: int) -> str:
    return f'{PICTURE}<p:spPr><a:xfrm><a:off x="0" y="{y}"/></a:xfrm></p:spPr></p:pic>'


def test_a_scan_in_a_docx_is_read_where_it_stands(tmp_path: Path, read: ReadFile, scan: bytes) -> None:
    document = docx.Document()
    document.add_paragraph("以下是借条的照片，原件由原告保管，开庭时当庭出示供法庭核对。")
    document.add_picture(io.BytesIO(scan))
    document.add_paragraph("以上照片由原告于二〇二三年六月五日提交。")
    document.save(str(tmp_path / "a.docx"))
    outcome = read(tmp_path / "a.docx")
    before, *seen, after = [line for line in outcome.text.split("\n") if line]
    assert before.startswith("以下是借条") and after.startswith("以上照片")
    assert "五十万元" in seen[0] and "Harbour" in seen[1]
    assert outcome.page.state is PageState.OCR and "in their place" in outcome.read[0].problem
    assert (outcome.page.confidence or 0) > 0.9 and outcome.page.boxes == b""


def test_a_docx_of_scans_alone_is_text(tmp_path: Path, read: ReadFile, scan: bytes) -> None:
    document = docx.Document()
    document.add_picture(io.BytesIO(scan))
    document.save(str(tmp_path / "a.docx"))
    outcome = read(tmp_path / "a.docx")
    assert "五十万元" in outcome.text and "nothing but pictures" in outcome.read[0].problem


def test_a_logo_a_photo_and_a_drawing_that_can_not_be_opened_claim_nothing(tmp_path: Path, read: ReadFile) -> None:
    document = docx.Document()
    document.add_paragraph("正文")
    for size in ((20, 20), (400, 300)):
        document.add_picture(io.BytesIO(png(Image.new("RGB", size, "navy"))))
    document.save(str(tmp_path / "a.docx"))
    outcome = read(tmp_path / "a.docx")
    assert (outcome.text, outcome.page.state, outcome.page.confidence) == ("正文", PageState.TEXT, None)
    alone = docx.Document()
    alone.add_picture(io.BytesIO(png(Image.new("RGB", (400, 300), "navy"))))
    alone.save(str(tmp_path / "b.docx"))
    outcome = read(tmp_path / "b.docx")
    assert outcome.page.state is PageState.EMPTY and "no text was recognised" in outcome.read[0].problem


def test_pictures_on_slides_are_read_in_reading_order(tmp_path: Path, read: ReadFile, scan: bytes) -> None:
    below = shape("证据说明：上图为借条原件的照片，由原告于庭前提交给法庭核对，原件当庭出示。", y=3_000_000)
    path = write_pptx(tmp_path / "a.pptx", [below + placed(400_000), shape("没有图片")])
    with_parts(path, **{
        "ppt/slides/_rels/slide1.xml.rels": relations(("image", "../media/image1.png")), "ppt/media/image1.png": scan,
    })  # fmt: skip
    outcome = read(path)
    first = outcome.read[0].page.text
    assert 0 <= first.index("五十万元") < first.index("证据说明")
    assert outcome.states == [PageState.OCR, PageState.TEXT] and outcome.read[1].page.confidence is None


def test_a_picture_on_a_sheet_comes_after_its_rows(tmp_path: Path, read: ReadFile, scan: bytes) -> None:
    path = write_xlsx(tmp_path / "a.xlsx", {"流水": f"<sheetData>{row(1, text_cell('A1', '附借条照片'))}</sheetData>"})
    with_parts(path, **{
        "xl/worksheets/_rels/sheet1.xml.rels": relations(("drawing", "../drawings/drawing1.xml")),
        "xl/drawings/drawing1.xml": f'<xdr:wsDr xmlns:xdr="x" xmlns:a="{A}" xmlns:p="{P}"/>',
        "xl/drawings/_rels/drawing1.xml.rels": relations(("image", "../media/image1.png")),
        "xl/media/image1.png": scan,
    })  # fmt: skip
    outcome = read(path)
    assert outcome.text.index("附借条照片") < outcome.text.index("五十万元")
    assert outcome.page.state is PageState.OCR


def test_each_picture_is_a_sign_of_life_and_reading_can_be_stopped_after_it(
    tmp_path: Path, read: ReadFile, scan: bytes
) -> None:
    document = docx.Document()
    for number in range(3):
        document.add_picture(io.BytesIO(scan + bytes([number])))
    document.save(str(tmp_path / "a.docx"))
    told: list[PictureRead] = []
    outcome = read(tmp_path / "a.docx", on_picture=told.append)
    assert [round(one.share, 2) for one in told] == [0.33, 0.67, 1.0] and all(one.recognition_s > 0 for one in told)
    assert outcome.read[0].recognition_s < told[0].recognition_s  # not counted twice
    cancel, seen = threading.Event(), []
    with pytest.raises(Cancelled):
        read(tmp_path / "a.docx", cancel=cancel, on_picture=lambda one: (seen.append(one), cancel.set()))
    assert len(seen) == 1


def test_a_picture_of_an_odt_in_two_forms_is_read_once(tmp_path: Path, read: ReadFile, scan: bytes) -> None:
    image = '<draw:image xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="Pictures/{}"/>'
    forms = "".join(map(image.format, ("1.svg", "1.png", "1.png")))
    frame = f"<text:p>附图<draw:frame>{forms}</draw:frame></text:p>"
    path = write_odf(tmp_path / "a.odt", f"<office:text><text:p>收到借条原件，详见下图。</text:p>{frame}</office:text>")
    outcome = read(with_parts(path, **{"Pictures/1.png": scan, "Pictures/1.svg": "<svg/>"}))
    assert outcome.text.count("五十万元") == 1 and outcome.text.index("收到借条") < outcome.text.index("五十万元")
    assert outcome.page.state is PageState.OCR
