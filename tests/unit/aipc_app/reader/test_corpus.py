"""Real files of other projects' test suites: known text on its page, passwords, boxes on the ink, nothing crashes."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from aipc_app.domain.boxes import unpack_boxes
from aipc_app.domain.documents import PageState
from aipc_app.domain.reader_wire import PageRead, ReadLimits
from aipc_app.errors import DocumentError, PasswordNeeded, UnsupportedFormat
from aipc_app.workers.reader import Reader
from tests.unit.aipc_app.reader.conftest import ReadFile

pytestmark = pytest.mark.data

KNOWN = [
    ("pdf_pdfminer/contrib/issue_566_test_2.pdf", 1, "甲方：中国饮料有限公司（盖章）"),
    ("pdf_pdfminer/simple1.pdf", 1, "Hello World"),
    ("pdf_pdfminer/contrib/2b.pdf", 1, "01/14/2016 Transfer 1,406,164.00"),
    ("pdf_pdfminer/contrib/pagelabels.pdf", 2, "2 Second section\nSome text here..."),
    ("pdf_pdfminer/nonfree/dmca.pdf", 2, "TITLE I: WIPO TREATY IMPLEMENTATION"),
    ("pdf_pdfminer/contrib/pr-00530-ml-lines.pdf", 1, "contains notices to the public"),
    ("pdf_pdfplumber/scotus-transcript-p1.pdf", 1, "Official - Subject to Final Review"),
    ("pdf_pdfplumber/issue-316-example.pdf", 2, "dynamic discontinuities between workers"),
    ("pdf_pdfplumber/issue-463-example.pdf", 2, "El saltamontes siguió saltando"),
    ("pdf_pdfplumber/hello_structure.pdf", 2, "I’ll be back shortly!"),
    ("pdf_pdfplumber/senate-expenditures.pdf", 1, "SMITH, ALVARO R LEGISLATIVE CORRESPONDENT 21,000.00"),
    ("pdf_pdfplumber/nics-background-checks-2015-11-rotated.pdf", 1, "Kentucky"),
    ("pdf_pypdf/example.pdf", 1, "Beautiful is better than ugly."),
    ("pdf_pypdf/two-different-pages.pdf", 2, "2"),
    ("pdf_pypdf/encryption/r6-empty-password.pdf", 1, "pdf encryption test"),
    ("pdf_pypdf_samples/001-trivial/minimal-document.pdf", 1, "Lorem ipsum dolor sit amet, consetetur"),
    ("pdf_pdfium/bug_781804.pdf", 1, "Veritaserum"),
    ("pdf_pdfium/bug_420508260.pdf", 1, "What is 我的 favorite 食物?"),
    ("pdf_pdfium/vertical_text.pdf", 1, "Hello World!"),
    ("pdf_pdfium/hebrew_mirrored.pdf", 1, "בנימין"),
    ("pdf_qpdf_broken/append-xref-loop.pdf", 1, "Potato"),
    ("office_docling/code_and_formula.pdf", 2, "Formula\nLorem ipsum"),
    ("office_docling/odf_presentation_01.odp.pdf", 2, "A rectangle shape with this text inside."),
    ("office_docling/right_to_left_01.pdf", 1, "البرمجة"),
    ("office_tika/testPDF_bookmarks.pdf", 2, "This is a page about Denmark"),
    ("office_tika/testPDF_bad_page_303226.pdf", 1, "Drug Enforcement Administration, Justice"),
    ("office_unstructured/pdf/reliance.pdf", 2, "which has no final chapter"),
    ("ofd_ofdrw/AddAttachment_relativepathversion.ofd", 1, "这是一个带有附件的OFD文件"),
    ("ofd_ofdrw/AddWatermarkAnnot.ofd", 1, "中华民国十五年三月二十五日，就是国立\n北京女子师范大学"),
    ("ofd_ofdrw/SignScaleError.ofd", 1, "发票代码：033002200211\n电子凭证\n发票号码：99934328"),
    ("ofd_ofdrw/draw_param_ref.ofd", 1, "北京增值税电子普通发票 发票代码：011002680026"),
    ("ofd_ofdrw/hello.ofd", 1, "中国一向是所谓“闭关主义”，自己不去，别人也不许来。"),
    ("ofd_ofdrw/no_page_container.ofd", 1, "开票日期：2020年04月20日"),
    ("ofd_ofdrw/path_unstd.ofd", 1, "根据《中华人民共和国刑事诉讼法》第"),
    ("ofd_ofdrw/v4signed.ofd", 1, "重庆增值税电子普通发票 发票代码：050001700111"),
    ("ofd_ofdrw/z.ofd", 1, "CodeCount xs:int 变换关系中字符的数量"),
    ("ofd_ofdrw/DigitalSign.ofd", 1, "你好呀，OFD Reader&Writer！"),
    ("mail_mimekit/encoders/wikipedia.txt", 1, "J'interdis aux marchands de vanter trop leurs marchandises."),
    ("office_docling/docx_checkboxes.docx", 1, "☒ Orange juice\n☐ Tea"),
    ("office_docling/unit_test_headers_numbered.docx", 1, "1.2.1. Section 1.2.3"),
    ("office_docling/docx_list_resumed_numbering.docx", 1, "bullet two\n3. Third ordered item"),
    ("office_markitdown/test_with_comment.docx", 1, "AutoGen: Enabling Next-Gen LLM Applications"),
    ("office_poi/table_footnotes.docx", 1, "slove[1] |\n\n[1] snoska"),
    ("office_tika/testWORD_text_box.docx", 1, "This text is inside of a text box"),
    ("office_tika/testWORD_numbered_list.docx", 1, "1) This\na) Is\ni) A multi\nii) Level"),
    ("office_unstructured/fake_table.docx", 1, "Header Col 1 | Header Col 2\nLorem ipsum | A Link example"),
]

PASSWORDS = [
    ("pdf_pypdf/encryption/r2-user-password.pdf", "asdfzxcv", "pdf encryption test"),
    ("pdf_pypdf/encryption/r4-aes-user-password.pdf", "asdfzxcv", "pdf encryption test"),
    ("pdf_pypdf/encryption/r6-user-password.pdf", "asdfzxcv", "pdf encryption test"),
    ("pdf_pypdf/encrypted-file.pdf", "test", "Example"),
    ("pdf_pdfminer/encryption/rc4-40.pdf", "foo", "Secret!"),
    ("pdf_pdfminer/encryption/aes-256.pdf", "foo", "Secret!"),
    ("pdf_pdfminer/encryption/aes-256-r6.pdf", "usersecret", "Hello World"),
    ("pdf_pdfium/encrypted_hello_world_r3.pdf", "hôtel", "Hello, world!"),
    ("pdf_qpdf_broken/enc-R3,V2,U=view,O=view.pdf", "view", "Potato"),
]

TURNED = [
    ("pdf_pdfplumber/nics-background-checks-2015-11-rotated.pdf", 1),
    ("pdf_pdfplumber/senate-expenditures.pdf", 1),
    ("office_docling/odf_presentation_01.odp.pdf", 2),
    ("office_unstructured/pdf/reliance.pdf", 2),
    ("pdf_pdfium/cropped_text.pdf", 1),
    ("pdf_pdfium/cropped_text.pdf", 4),
    ("pdf_pdfium/rotated_text_90.pdf", 1),
    ("pdf_pdfium/vertical_text.pdf", 1),
    ("pdf_pdfium/hebrew_mirrored.pdf", 1),
    ("pdf_pdfminer/contrib/issue_566_test_2.pdf", 1),
]


@pytest.fixture(scope="session")
def documents(shared_data: Path) -> Path:
    return shared_data / "documents"


@pytest.mark.parametrize(("file", "page", "text"), KNOWN)
def test_known_text_is_on_its_page(documents: Path, read_once: ReadFile, file: str, page: int, text: str) -> None:
    assert text in read_once(documents / file).read[page - 1].page.text


@pytest.mark.parametrize(("file", "password", "text"), PASSWORDS)
def test_protected_files_open_with_their_password_only(
    documents: Path, read: ReadFile, file: str, password: str, text: str
) -> None:
    for wrong in (None, password + "!"):
        with pytest.raises(PasswordNeeded):
            read(documents / file, password=wrong)
    assert text in read(documents / file, password=password).read[0].page.text


@pytest.mark.parametrize(("file", "page"), TURNED)
def test_boxes_of_turned_and_cropped_pages_lie_on_the_ink(
    documents: Path, read_once: ReadFile, reader: Reader, file: str, page: int
) -> None:
    scale = 3.0
    whole = read_once(documents / file).read[page - 1].page
    drawn = reader.render(documents / file, file, page, scale)
    grey = np.frombuffer(drawn.pixels, np.uint8).reshape(drawn.height, drawn.width, 3).mean(axis=2)
    letters = [i for i, char in enumerate(whole.text) if char.isalnum()][:400]
    inked = [_contrast(grey, box, scale) > 40 for i in letters for box in unpack_boxes(whole.boxes, i, i + 1)]
    assert len(inked) == len(letters)
    assert sum(inked) >= 0.98 * len(inked)


def _contrast(grey: np.ndarray, box: tuple[float, float, float, float], scale: float) -> float:
    x0, y0, x1, y1 = (value * scale for value in box)
    window = grey[int(y0) : math.ceil(y1) + 1, int(x0) : math.ceil(x1) + 1]
    return float(window.max() - window.min()) if window.size else 0.0


def test_automatic_numbers_are_those_word_shows(documents: Path, read: ReadFile) -> None:
    """Each item of this file says which number Word gives it."""
    lines = read(documents / "office_tika/testWORD_override_list_numbering.docx").page.text.splitlines()
    items = [line.split(" ") for line in lines if line and not line.startswith(("Test", "·"))]
    assert len(items) > 35
    assert [item[0] for item in items] == [item[-1] for item in items]


READ_FORMATS = ("pdf", "docx", "txt", "md", "html", "htm")


def _all_files(documents: Path) -> Iterator[Path]:
    return (f for f in sorted(documents.rglob("*")) if f.suffix.lower().lstrip(".") in READ_FORMATS)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_no_file_crashes_hangs_or_claims_text_it_has_not(documents: Path, reader: Reader) -> None:
    wrong: list[str] = []
    count = 0
    for file in _all_files(documents):
        count += 1
        name, start = file.relative_to(documents).as_posix(), time.monotonic()
        pages: list[PageRead] = []
        try:
            end = reader.read(file, name, on_page=pages.append, limits=ReadLimits(seconds=60))
            if end.pages != len(pages):
                wrong.append(f"{name}: {end.pages} pages announced, {len(pages)} sent")
        except (PasswordNeeded, UnsupportedFormat):
            pass
        except DocumentError as error:
            if "damaged" not in error.message:
                wrong.append(f"{name}: {error.message}")
        wrong += [f"{name}: {fault}" for fault in map(_fault, pages) if fault]
        if time.monotonic() - start > 60:
            wrong.append(f"{name}: took too long")
    assert not wrong
    assert count > 300


def _fault(read: PageRead) -> str:
    page = read.page
    if page.state is PageState.TEXT and not page.text.strip():
        return f"page {page.number} is text without text"
    if page.state is not PageState.TEXT and not read.problem:
        return f"page {page.number} is {page.state} without a reason"
    if page.boxes and len(page.boxes) != 16 * len(page.text):
        return f"page {page.number} has boxes for {len(page.boxes) / 16} of {len(page.text)} characters"
    if any(0xD800 <= ord(char) < 0xE000 or (char < " " and char not in "\n\t") for char in page.text):
        return f"page {page.number} holds control characters or halves of characters"
    return ""
