"""Pages are drawn as displayed, as plain RGB."""

from __future__ import annotations

from pathlib import Path

import pytest

from aipc_app.errors import DocumentError, UnsupportedFormat
from aipc_app.workers.reader import Reader
from tests.unit.aipc_app.reader.making import PdfPage, pdf_bytes


def drawing(tmp_path: Path, *pages: PdfPage) -> Path:
    file = tmp_path / "a.pdf"
    file.write_bytes(pdf_bytes(pages))
    return file


def pixel(pixels: bytes, width: int, x: int, y: int) -> tuple[int, ...]:
    return tuple(pixels[3 * (y * width + x) : 3 * (y * width + x) + 3])


def test_rows_are_tight_and_red_comes_first(tmp_path: Path, reader: Reader) -> None:
    file = drawing(tmp_path, PdfPage("1 0 0 rg 0 100 150 100 re f", media=(0, 0, 301, 200)))
    drawn = reader.render(file, "a.pdf", 1, 1.0)
    assert (drawn.width, drawn.height, len(drawn.pixels)) == (301, 200, 301 * 200 * 3)
    assert pixel(drawn.pixels, 301, 10, 10) == (255, 0, 0)
    assert pixel(drawn.pixels, 301, 290, 190) == (255, 255, 255)


def test_rotation_and_crop_are_those_of_the_display(tmp_path: Path, reader: Reader) -> None:
    red_top_left = PdfPage("1 0 0 rg 100 150 50 50 re f", crop=(100, 100, 300, 200), rotate=90)
    drawn = reader.render(drawing(tmp_path, red_top_left), "a.pdf", 1, 1.0)
    assert (drawn.width, drawn.height) == (100, 200)
    assert pixel(drawn.pixels, 100, 95, 5) == (255, 0, 0)  # top left turns to top right


def test_an_enormous_scale_is_cut_to_what_memory_allows(tmp_path: Path, reader: Reader) -> None:
    drawn = reader.render(drawing(tmp_path, PdfPage("")), "a.pdf", 1, 1000.0)
    assert 39_000_000 < drawn.width * drawn.height <= 40_000_000
    assert drawn.width / drawn.height == pytest.approx(1.5, rel=0.01)


@pytest.mark.parametrize(("page", "scale"), [(0, 1.0), (2, 1.0), (1, 0.0), (1, float("nan"))])
def test_what_is_not_there_can_not_be_drawn(tmp_path: Path, reader: Reader, page: int, scale: float) -> None:
    with pytest.raises(DocumentError):
        reader.render(drawing(tmp_path, PdfPage("")), "a.pdf", page, scale)


def test_formats_without_pages_say_so(tmp_path: Path, reader: Reader) -> None:
    file = tmp_path / "a.txt"
    file.write_text("text", encoding="utf-8")
    with pytest.raises(UnsupportedFormat, match="no pages to draw"):
        reader.render(file, "a.txt", 1, 1.0)
