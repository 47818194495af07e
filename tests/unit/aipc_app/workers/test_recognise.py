"""A page read from its picture because the user asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from aipc_app import paths
from aipc_app.domain.documents import PageState
from aipc_app.errors import DocumentError, UnsupportedFormat
from aipc_app.workers.reader import Reader
from aipc_app.workers.spawn import child_command
from tests.unit.aipc_app.reader.scans import require_fonts
from tests.unit.aipc_app.reader.test_ofd import text, write_ofd

REPORT = paths.assets() / "samples" / "loan" / "documents" / "03_抵押物评估报告.pdf"


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    made = Reader(child_command("reader"), tmp_path)
    yield made
    made.close()


def test_a_page_with_good_text_is_read_from_its_picture_all_the_same(reader: Reader) -> None:
    page = reader.recognise(REPORT, REPORT.name, 1)
    assert page.state is PageState.OCR and page.confidence is not None and page.boxes
    assert "as you asked" in page.problem
    text = page.text.replace(" ", "")
    for written in ("房地产抵押估价报告", "江澄市高新区启明路19号", "4,860平方米"):
        assert written in text


def test_a_page_of_an_ofd_is_read_from_its_picture_too(reader: Reader, tmp_path: Path) -> None:
    require_fonts()
    path = write_ofd(tmp_path / "a.ofd", text("转账五十万元整", 20, 40, size=8))
    page = reader.recognise(path, path.name, 1)
    assert page.state is PageState.OCR and "as you asked" in page.problem and page.boxes
    assert "五十万元" in page.text
    with pytest.raises(DocumentError, match="no page 2"):
        reader.recognise(path, path.name, 2)


def test_other_files_are_refused_in_a_sentence(reader: Reader, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("借款五十万元", encoding="utf-8")
    with pytest.raises(UnsupportedFormat, match="Only pages of PDF"):
        reader.recognise(path, path.name, 1)
