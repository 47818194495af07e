"""Pictures as documents: every format, every frame, the camera's rotation, bombs refused."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from aipc_app.domain.boxes import span_boxes
from aipc_app.domain.documents import PageState
from aipc_app.errors import DocumentError, DocumentLimit
from aipc_app.workers.reader import Reader
from tests.unit.aipc_app.reader.conftest import ReadFile
from tests.unit.aipc_app.reader.scans import require_fonts, write

WORDS = "借据编号 2021 第 0305 号"


@pytest.fixture
def picture() -> Image.Image:
    require_fonts()
    page = Image.new("RGB", (760, 160), "white")
    write(page, [WORDS], (60, 50), 150, points=14)
    return page


@pytest.mark.parametrize("kind", ["png", "jpg", "tif", "webp", "bmp"])
def test_every_kind_of_picture_is_a_page_that_is_read_and_drawn(
    tmp_path: Path, read: ReadFile, reader: Reader, picture: Image.Image, kind: str
) -> None:
    file = tmp_path / f"a.{kind}"
    picture.save(file, dpi=(150, 150))
    outcome = read(file)
    assert outcome.states == [PageState.OCR] and outcome.opened.has_layout
    assert "".join(outcome.text.split()) == "".join(WORDS.split())
    assert outcome.page.width == pytest.approx(760 * 72 / 150, rel=0.02) or kind == "webp"
    drawn = reader.render(file, file.name, 1, 2.0)
    assert drawn.width == pytest.approx(outcome.page.width * 2, abs=1)
    pixels = np.frombuffer(drawn.pixels, np.uint8).reshape(drawn.height, drawn.width, 3)
    x0, y0, x1, y1 = (round(value * 2) for value in span_boxes(outcome.page.boxes, 0, 4)[0])
    assert pixels[y0:y1, x0:x1].min() < 100 and pixels[: y0 - 8].min() > 200


def test_a_tiff_of_several_pages_keeps_them_and_one_damaged_frame_stays_alone(
    tmp_path: Path, read: ReadFile, picture: Image.Image
) -> None:
    file = tmp_path / "a.tiff"
    blank = Image.new("RGB", picture.size, "white")
    picture.save(file, save_all=True, append_images=[blank, picture], dpi=(150, 150))
    assert read(file).states == [PageState.OCR, PageState.EMPTY, PageState.OCR]


def test_the_cameras_rotation_is_applied(
    tmp_path: Path, read: ReadFile, reader: Reader, picture: Image.Image
) -> None:
    file = tmp_path / "a.jpg"
    exif = Image.Exif()
    exif[0x0112] = 6  # held on its side
    picture.rotate(90, expand=True).save(file, exif=exif, dpi=(150, 150), quality=95)
    outcome = read(file)
    assert outcome.page.width > outcome.page.height
    assert "".join(outcome.text.split()) == "".join(WORDS.split())
    drawn = reader.render(file, file.name, 1, 1.0)
    assert drawn.width > drawn.height


def test_a_long_screenshot_is_read_piece_by_piece(tmp_path: Path, read: ReadFile) -> None:
    require_fonts()
    said = [f"第{i}条消息：还款{i * 500}元" for i in range(1, 26)]
    chat = Image.new("RGB", (540, 6000), "white")
    for i, line in enumerate(said):
        write(chat, [line], (30 + 150 * (i % 2), 40 + 238 * i), 150, points=12)
    file = tmp_path / "chat.png"
    chat.save(file)
    assert ["".join(line.split()) for line in read(file).text.splitlines()] == said


def test_a_transparent_picture_is_read_on_white(tmp_path: Path, read: ReadFile, picture: Image.Image) -> None:
    alpha = Image.fromarray(255 - np.asarray(picture.convert("L")))
    clear = Image.merge("RGBA", (*Image.new("RGB", picture.size, "black").split(), alpha))
    file = tmp_path / "a.png"
    clear.save(file, dpi=(150, 150))
    assert "".join(read(file).text.split()) == "".join(WORDS.split())


def test_a_picture_without_words_is_empty_with_a_reason(tmp_path: Path, read: ReadFile) -> None:
    file = tmp_path / "a.png"
    Image.new("RGB", (300, 200), (40, 90, 160)).save(file)
    outcome = read(file)
    assert outcome.states == [PageState.EMPTY] and "no text was recognised" in outcome.page.problem


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path, read: ReadFile) -> None:
    side = 60_000
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    rows = zlib.compress(b"\0" * 100_000)
    file = tmp_path / "bomb.png"
    file.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b""))
    with pytest.raises(DocumentLimit, match="million pixels"):
        read(file)


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def test_a_picture_that_is_not_whole_says_so(tmp_path: Path, read: ReadFile, picture: Image.Image) -> None:
    file = tmp_path / "a.png"
    picture.save(file)
    file.write_bytes(file.read_bytes()[:300])
    with pytest.raises(DocumentError, match="damaged or not whole"):
        read(file)
