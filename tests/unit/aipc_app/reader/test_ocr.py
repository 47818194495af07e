"""Pages without text of their own are read from their picture: states, order, boxes on the ink, certainty."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pypdf
import pytest
from PIL import Image, ImageDraw, ImageFont

from aipc_app.domain.boxes import span_boxes, unpack_boxes
from aipc_app.domain.documents import PageState
from aipc_app.workers.reader import Reader
from tests.unit.aipc_app.reader.conftest import Outcome, ReadFile
from tests.unit.aipc_app.reader.making import PdfPage, pdf_bytes, show
from tests.unit.aipc_app.reader.scans import (
    CHINESE,
    ENGLISH,
    SERIF,
    drawn,
    noisy,
    photographed,
    picture_pdf,
    plain,
    require_fonts,
    right_share,
    sealed,
    skewed,
    write,
)

pytestmark = pytest.mark.usefixtures("fonts")
DPI = 150


@pytest.fixture
def fonts() -> None:
    require_fonts()


def scan(tmp_path: Path, page: Image.Image, dpi: int = DPI, layer: str = "") -> Path:
    return picture_pdf([page], tmp_path / "scan.pdf", dpi, layer)


def assert_box_on_ink(outcome: Outcome, reader: Reader, file: Path, words: str) -> None:
    """The words' boxes hold ink, and are no larger than the words."""
    start = outcome.text.index(words)
    drawn_page = reader.render(file, file.name, 1, 2.0)
    grey = np.frombuffer(drawn_page.pixels, np.uint8).reshape(drawn_page.height, drawn_page.width, 3).min(axis=2)
    boxes = list(unpack_boxes(outcome.page.boxes, start, start + len(words)))
    assert len(boxes) == len(words)
    for x0, y0, x1, y1 in boxes:
        window = grey[int(y0 * 2) : int(y1 * 2) + 1, int(x0 * 2) : int(x1 * 2) + 1]
        assert window.min() < 128 and 4 < x1 - x0 < 24 and 8 < y1 - y0 < 32


def test_a_scan_with_a_seal_over_its_text_is_read_with_boxes_and_certainty(
    tmp_path: Path, read: ReadFile, reader: Reader
) -> None:
    lines = CHINESE[:6]
    file = scan(tmp_path, sealed(drawn(lines, DPI), DPI))
    outcome = read(file)
    assert outcome.states == [PageState.OCR]
    assert right_share(outcome.text, lines) >= 0.985  # 0.976 with the seal left on
    assert 0.9 < (outcome.page.confidence or 0) <= 1
    assert "no text layer" in outcome.page.problem
    assert_box_on_ink(outcome, reader, file, "被告上海恒通贸易有限公司")
    assert outcome.read[0].recognition_s > 0


def test_the_zero_of_a_chinese_date_is_not_lost(tmp_path: Path, read: ReadFile) -> None:
    said = [CHINESE[1], "立案日期：二〇二〇年十月三〇日，案号（二〇一九）沪〇一民终四〇八号"]
    assert plain(read(scan(tmp_path, drawn(said, DPI))).text) == plain("".join(said))


@pytest.mark.parametrize("turned", [90, 180, 270])
def test_a_page_scanned_the_wrong_way_round_is_read_and_its_boxes_stay_where_the_ink_is(
    tmp_path: Path, read: ReadFile, reader: Reader, turned: int
) -> None:
    lines = CHINESE[1:5]
    file = scan(tmp_path, drawn(lines, DPI).rotate(turned, expand=True))
    outcome = read(file)
    assert right_share(outcome.text, lines) >= 0.97
    start = outcome.text.index("资金周转需要")
    boxes = span_boxes(outcome.page.boxes, start, start + 6)
    assert len(boxes) == 1
    width, height = boxes[0][2] - boxes[0][0], boxes[0][3] - boxes[0][1]
    assert (width > 3 * height) if turned == 180 else (height > 3 * width)


def test_two_columns_are_read_one_after_the_other(tmp_path: Path, read: ReadFile) -> None:
    page = Image.new("RGB", (1240, 1754), "white")
    left = [line[:16] for line in CHINESE[1:9]]
    right = [line[16:32] for line in CHINESE[1:9]]
    write(page, [CHINESE[0]], (400, 120), DPI)
    write(page, left, (110, 240), DPI)
    write(page, right, (670, 247), DPI)
    text = plain(read(scan(tmp_path, page)).text)
    assert text.index(plain(CHINESE[0])) < text.index(left[0][:8]) < text.index(left[7][:8]) < text.index(right[0][:8])
    assert text.index(right[0][:8]) < text.index(right[7][:8])


def test_rows_of_a_table_stay_rows(tmp_path: Path, read: ReadFile) -> None:
    page = Image.new("RGB", (1240, 900), "white")
    rows = [("日期", "摘要", "金额"), ("2021-03-05", "借款本金", "500,000.00"), ("2022-08-19", "归还利息", "18,000.00"),
            ("2022-12-31", "违约金", "6,500.00"), ("2023-06-05", "诉讼费", "8,800.00")]  # fmt: skip
    for column in range(3):
        write(page, [row[column] for row in rows], (120 + 380 * column, 150), DPI)
    lines = read(scan(tmp_path, page)).text.splitlines()
    assert [line.split() for line in lines] == [list(row) for row in rows]


def test_vertical_chinese_is_read_from_the_right(tmp_path: Path, read: ReadFile) -> None:
    page = Image.new("RGB", (900, 1200), "white")
    pen, letters = ImageDraw.Draw(page), ImageFont.truetype(str(SERIF), 30, index=2)
    columns = ["本院经审理查明双方签订的合同", "真实意思表示内容不违反法律", "被告未提交证据证明其主张"]
    for i, column in enumerate(columns):
        for k, char in enumerate(column):
            pen.text((720 - 80 * i, 100 + 42 * k), char, fill="black", font=letters)
    outcome = read(scan(tmp_path, page))
    assert right_share(outcome.text, columns) >= 0.9
    found = [outcome.text.index(column[2:6]) for column in columns]
    assert found == sorted(found)


def test_a_picture_on_a_page_of_text_is_read_too_and_stands_apart(tmp_path: Path, read: ReadFile) -> None:
    strip = drawn(CHINESE[1:4], DPI).crop((100, 120, 1240, 320))
    file = picture_pdf([strip], tmp_path / "a.pdf", DPI, "")
    data = file.read_bytes().replace(b"/MediaBox[0 0 547.2 96.0]", b"/MediaBox[0 0 547 400 ]  ")
    assert data != file.read_bytes()
    file.write_bytes(data)
    mixed = tmp_path / "mixed.pdf"
    overlay(file, pdf_bytes([PdfPage(show("Statement of account", y=300), media=(0, 0, 547, 400))]), mixed)
    outcome = read(mixed)
    assert outcome.states == [PageState.OCR]
    own, recognised = outcome.text.split("\n\n")
    assert own == "Statement of account"
    assert right_share(recognised, CHINESE[1:4]) >= 0.95
    assert "pictures on it" in outcome.page.problem
    (box,) = span_boxes(outcome.page.boxes, outcome.text.index("月五日立"), outcome.text.index("月五日立") + 4)
    assert box[1] > 300  # the picture lies at the foot of the page


def overlay(under: Path, over: bytes, target: Path) -> None:
    writer = pypdf.PdfWriter(clone_from=under)
    writer.pages[0].merge_page(pypdf.PdfReader(io.BytesIO(over)).pages[0])
    writer.write(target)


def test_another_programs_recognition_full_of_noise_is_replaced_and_a_good_one_kept(
    tmp_path: Path, read: ReadFile
) -> None:
    lines = [line[:24] for line in CHINESE[1:8]]
    page = drawn(lines, DPI)
    noise = "\n".join("".join(chr(ord(c) + 11) if i % 2 else c for i, c in enumerate(line)) for line in lines)
    replaced = read(scan(tmp_path, page, layer=noise))
    assert replaced.states == [PageState.OCR] and "another program" in replaced.page.problem
    assert right_share(replaced.text, lines) >= 0.97
    kept = read(scan(tmp_path, page, layer="\n".join(lines)))
    assert kept.states == [PageState.TEXT] and right_share(kept.text, lines) == 1.0


def test_a_photograph_of_nothing_and_grain_are_no_text(tmp_path: Path, read: ReadFile) -> None:
    random = np.random.default_rng(3)
    grain = Image.fromarray(random.integers(0, 255, (700, 600, 3), dtype=np.uint8))
    waves = np.sin(np.linspace(0, 9, 600))[None, :, None] * np.linspace(60, 120, 700)[:, None, None] + 120
    hills = Image.fromarray(np.clip(np.repeat(waves, 3, axis=2), 0, 255).astype(np.uint8))
    outcome = read(picture_pdf([grain, hills], tmp_path / "a.pdf", DPI))
    assert all(state in (PageState.EMPTY, PageState.GARBLED) for state in outcome.states)
    assert all(one.page.problem and not one.page.text for one in outcome.read)


DEGRADED = {
    "300 dpi": (lambda page: page, 300),
    "150 dpi": (lambda page: page, 150),
    "skew 5°": (lambda page: skewed(page, 5), 200),
    "noise": (noisy, 200),
    "red seal": (lambda page: sealed(page, 200), 200),
    "seal thick as paint": (lambda page: sealed(page, 200, opaque=True), 200),
    "photograph": (photographed, 200),
}


@pytest.mark.long
@pytest.mark.parametrize("name", list(DEGRADED))
@pytest.mark.parametrize("lines", [CHINESE, ENGLISH], ids=["chinese", "english"])
def test_degraded_scans_are_read(tmp_path: Path, read: ReadFile, name: str, lines: tuple[str, ...]) -> None:
    degrade, dpi = DEGRADED[name]
    outcome = read(scan(tmp_path, degrade(drawn(lines, dpi)), dpi))
    share = right_share(outcome.text, lines)
    print(f"{name}: {share:.4f}, certainty {outcome.page.confidence}")
    assert outcome.states == [PageState.OCR] and share >= 0.97
