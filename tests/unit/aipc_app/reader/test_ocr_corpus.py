"""Real pictures and scans of other projects' suites: known words on their page."""

from __future__ import annotations

from pathlib import Path

import pytest

from aipc_app.domain.documents import PageState
from tests.unit.aipc_app.reader.conftest import ReadFile

pytestmark = pytest.mark.data

KNOWN = [
    ("img_zh_rapidocr/ch_en_num.jpg", 1, "强力去污符合国标"),
    ("img_zh_rapidocr/test_without_det.jpg", 1, "在中国作家协会第三届儿童文学"),
    ("img_zh_rapidocr/text_rec.jpg", 1, "韩国小馆"),
    ("img_zh_rapidocr/text_cls.jpg", 1, "怪我咯"),  # stands on its head
    ("img_zh_rapidocr/en_rec.jpg", 1, "we collect MovieShots, a large-scale"),
    ("img_zh_rapidocr/return_word_debug.jpg", 1, "027-88852022"),
    ("img_zh_rapidocr/check_return_word_len.jpeg", 1, "机动车登记证书编号：440040"),
    ("office_docling/ocr_test.pdf", 1, "Docling bundles PDF document conversion to"),
    ("office_docling/ocr_test_rotated_90.pdf", 1, "JSON and Markdown in an easy self contained"),
    ("office_tika/testOCR.pdf", 1, "Happy New Year 2003!"),
    ("office_tika/testPDF_JBIG2.pdf", 1, "Hey Norconex, this is a test"),
    ("pdf_pdfminer/contrib/pdf-with-jbig2.pdf", 1, "Work?!?!?!"),
    ("pdf_pdfium/bug_889099.pdf", 1, "Good :]"),
    ("office_markitdown/RECEIPT-2024-TXN-98765_retail_purchase.pdf", 1, "TECHMART ELECTRONICS"),
]
WITHOUT = ["img_zh_rapidocr/korean.jpg", "img_zh_rapidocr/arabic.png", "office_tika/testColorRendering.pdf"]


@pytest.mark.parametrize(("file", "page", "text"), KNOWN)
def test_known_words_are_recognised(shared_data: Path, read: ReadFile, file: str, page: int, text: str) -> None:
    found = read(shared_data / "documents" / file).read[page - 1].page
    assert text in found.text
    assert found.state is PageState.OCR and found.problem and (found.confidence or 0) > 0.8


@pytest.mark.parametrize("file", WITHOUT)
def test_scripts_that_are_not_read_and_pictures_without_words_claim_nothing(
    shared_data: Path, read: ReadFile, file: str
) -> None:
    page = read(shared_data / "documents" / file).page
    assert page.state in (PageState.EMPTY, PageState.GARBLED) and page.problem and not page.text
