"""Pictures in DOC, XLS and PPT, and drawings of Windows in any office file: their text stands in its place."""

from __future__ import annotations

import gzip
import io
import struct
import zipfile
from pathlib import Path

import docx
import pytest
from PIL import Image

from aipc_app.domain.documents import PageState
from aipc_app.reader.convert.metafile import read_metafile
from tests.unit.aipc_app.reader import scans
from tests.unit.aipc_app.reader.conftest import ReadFile
from tests.unit.aipc_app.reader.making_metafiles import dib, emf, emf_record, emf_text, wmf
from tests.unit.aipc_app.reader.making_ole import picture_shape, text_box, text_shape, write_ppt, write_xls

LINES = ("借款本金人民币五十万元整", "Harbour Lane Trading Limited")
SLIP = "本图为借条原件的照片，由原告于庭前提交给法庭核对，原件开庭时当庭出示。"


@pytest.fixture(scope="module")
def scan() -> Image.Image:
    """A slip of paper with two lines."""
    scans.require_fonts()
    page = Image.new("RGB", (900, 260), "white")
    scans.write(page, LINES, (40, 40), 200)
    return page


def saved(picture: Image.Image, kind: str) -> bytes:
    if kind == "dib":
        return b"".join(dib(picture))
    if kind in ("emf", "wmf"):
        return emf(bitmaps=[picture]) if kind == "emf" else wmf(bitmaps=[picture])
    buffer = io.BytesIO()
    picture.save(buffer, kind.upper())
    return buffer.getvalue()


@pytest.mark.parametrize("kind", ["png", "jpeg", "dib", "emf", "wmf"])
def test_a_scan_on_an_old_slide_is_read_where_it_stands(
    tmp_path: Path, read: ReadFile, scan: Image.Image, kind: str
) -> None:
    slides = [[text_shape("证据一"), picture_shape(1), text_shape(SLIP)], [text_shape("没有图片")]]
    outcome = read(write_ppt(tmp_path / "a.ppt", slides, [(kind, saved(scan, kind))]))
    first = outcome.read[0].page.text
    assert 0 <= first.index("证据一") < first.index("五十万元") < first.index("本图为")
    assert "Harbour" in first
    assert outcome.states == [PageState.OCR, PageState.TEXT] and outcome.read[1].page.confidence is None


def test_a_slide_that_is_a_picture_alone_is_text(tmp_path: Path, read: ReadFile, scan: Image.Image) -> None:
    outcome = read(write_ppt(tmp_path / "a.ppt", [[picture_shape(1)]], [("png", saved(scan, "png"))]))
    assert "五十万元" in outcome.text and "nothing but pictures" in outcome.read[0].problem


def test_a_picture_on_an_old_sheet_comes_after_its_rows(tmp_path: Path, read: ReadFile, scan: Image.Image) -> None:
    pictures = [("png", saved(Image.new("RGB", (200, 200), "navy"), "png")), ("png", saved(scan, "png"))]
    sheets = {"流水": [picture_shape(2)], "空": [picture_shape(1)]}
    outcome = read(write_xls(tmp_path / "a.xls", sheets, pictures, cell="附借条"))
    first, second = (one.page for one in outcome.read)
    assert 0 <= first.text.index("附借条") < first.text.index("五十万元") and first.state is PageState.OCR
    assert "五十万元" not in second.text and second.state is PageState.TEXT


def test_a_text_box_on_an_old_sheet_is_read_and_a_comment_is_not(tmp_path: Path, read: ReadFile) -> None:
    boxes = text_box("本表由原告制作") + text_box("内部意见", note=True)
    outcome = read(write_xls(tmp_path / "a.xls", {"流水": []}, cell="转账", boxes=boxes))
    assert "转账" in outcome.text and outcome.text.endswith("本表由原告制作") and "内部意见" not in outcome.text


def with_media(path: Path, name: str, data: bytes) -> Path:
    """A DOCX whose picture is this."""
    document = docx.Document()
    document.add_paragraph("以下是附图。")
    document.add_picture(io.BytesIO(saved(Image.new("RGB", (400, 300), "navy"), "png")))
    document.add_paragraph("以上是附图。")
    buffer = io.BytesIO()
    document.save(buffer)
    with zipfile.ZipFile(buffer) as old, zipfile.ZipFile(path, "w") as new:
        for one in old.namelist():
            content = old.read(one)
            if one.endswith("document.xml.rels"):
                content = content.replace(b"media/image1.png", f"media/{name}".encode())
            shown = one.endswith("image1.png")
            new.writestr(f"word/media/{name}" if shown else one, data if shown else content)
    return path


WORDS = [("借款本金", 100, 100), ("500,000元", 140, 100), ("出借日", 100, 140), ("2021年3月5日", 180, 140)]
SAID = ["借款本金500,000元", "出借日 2021年3月5日"]


@pytest.mark.parametrize(("name", "data"), [
    ("image1.emf", emf(WORDS)), ("image1.wmf", wmf(WORDS)), ("image1.emz", gzip.compress(emf(WORDS))),
])  # fmt: skip
def test_the_words_of_a_drawing_stand_in_its_place_and_were_not_recognised(
    tmp_path: Path, read: ReadFile, name: str, data: bytes
) -> None:
    outcome = read(with_media(tmp_path / "a.docx", name, data))
    assert [line for line in outcome.text.split("\n") if line] == ["以下是附图。", *SAID, "以上是附图。"]
    assert outcome.page.state is PageState.TEXT and outcome.page.confidence is None


def test_a_scan_inside_a_drawing_is_recognised(tmp_path: Path, read: ReadFile, scan: Image.Image) -> None:
    outcome = read(with_media(tmp_path / "a.docx", "image1.emf", emf(WORDS[:1], [scan])))
    assert 0 <= outcome.text.index("借款本金") < outcome.text.index("五十万元")
    assert outcome.page.state is PageState.OCR and (outcome.page.confidence or 0) > 0.9


def test_a_drawing_of_lines_alone_says_that_it_was_not_read(tmp_path: Path, read: ReadFile) -> None:
    outcome = read(write_ppt(tmp_path / "a.ppt", [[picture_shape(1)]], [("emf", emf())]))
    assert outcome.page.state is PageState.EMPTY and "save it as PDF" in outcome.read[0].problem


def test_words_are_put_where_the_device_puts_them() -> None:
    """Programs move the paper instead of the pen: every word is written at the same place."""
    moved = b"".join(
        emf_record(33, b"") + emf_record(35, _matrix(1, 0, 0, 1, x, y)) + emf_text(text, 0, 0)
        + emf_record(34, bytes(4))
        for text, x, y in WORDS
    )
    drawing = read_metafile(emf(extra=moved))
    assert drawing is not None and drawing.text.split("\n") == SAID


def test_letters_of_a_formula_say_nothing_and_glyphs_without_characters_are_told() -> None:
    formula = read_metafile(emf([("x", 0, 0), ("2", 20, -5), ("=", 40, 0)]))
    assert formula is not None and formula.text == "" and not formula.unread
    glyphs = read_metafile(emf(extra=emf_text("\x24\x25", 0, 0, options=0x10)))
    assert glyphs is not None and glyphs.text == "" and glyphs.unread


@pytest.mark.parametrize("whole", [emf(WORDS), wmf(WORDS)])
def test_a_drawing_that_is_cut_off_anywhere_gives_what_is_left(whole: bytes) -> None:
    for end in range(0, len(whole), 3):
        drawing = read_metafile(whole[:end])
        assert drawing is None or set(drawing.text.split("\n")) <= {*SAID, "", "借款本金", "出借日"}


def _matrix(*numbers: float) -> bytes:
    return struct.pack("<6f", *numbers)


@pytest.mark.parametrize("name", ["a.et", "a.dps"])
def test_files_of_kingsofts_office_are_read_like_those_they_copy(tmp_path: Path, read: ReadFile, name: str) -> None:
    if name == "a.et":
        write_xls(tmp_path / name, {"流水": []}, cell="证据一")
    else:
        write_ppt(tmp_path / name, [[text_shape("证据一")]], [])
    assert "证据一" in read(tmp_path / name).text


@pytest.mark.parametrize(("kind", "form"), [("png", "pngblip"), ("jpeg", "jpegblip"), ("dib", "dibitmap0")])
def test_a_scan_in_an_rtf_is_read_where_it_stands(
    tmp_path: Path, read: ReadFile, scan: Image.Image, kind: str, form: str
) -> None:
    digits = saved(scan, kind).hex()
    lines = "\n".join(digits[at : at + 128] for at in range(0, len(digits), 128))
    again = f"{{\\nonshppict{{\\pict\\{form} {lines}}}}}"  # for old programs
    picture = f"{{\\*\\shppict{{\\pict{{\\*\\picprop{{\\sp}}}}\\{form}\\picw900\\pich260 {lines}}}}}{again}"
    file = tmp_path / "a.rtf"
    file.write_text(f"{{\\rtf1\\ansi Before the slip of paper.\\par {picture}\\par After it, signed.\\par}}")
    outcome = read(file)
    assert 0 <= outcome.text.index("Before") < outcome.text.index("五十万元") < outcome.text.index("After")
    assert outcome.text.count("五十万元") == 1 and outcome.page.state is PageState.OCR
