"""Real office files and mail of other projects' test suites: known text on its page, passwords, nothing crashes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from aipc_app.domain.documents import PageState
from aipc_app.domain.reader_wire import MemberFound, PageRead, ReadLimits
from aipc_app.errors import DocumentError, PasswordNeeded, UnsupportedFormat
from aipc_app.reader.convert.legacy_office import libreoffice
from aipc_app.workers.reader import Reader
from tests.unit.aipc_app.reader.conftest import ReadFile

pytestmark = pytest.mark.data

KNOWN = [
    ("office_poi/54071.xlsx", 1, "双11商品导入定制打标时间模板\n\ntime\n2012-11-11 23:59:59"),
    ("office_poi/DateFormatTests.xlsx", 2, "Saturday-October-1952 | dddd-mmmm-yyyy | 11-Oct-1952 14:35:27.000 | Date"),
    ("office_docling/xlsx_01.xlsx", 2, "Sheet2\n\ncol-1 | col-2 | col-3 | col-4\n1 | 2 | 3 | 4"),
    ("office_tika/test-columnar.xlsx", 1, "| This is row 1 of 10 | 10.00% | 0.00% | 02-01-1960 | 01Jan60 00:00:10"),
    ("office_tika/testEXCEL.strict.xlsx", 2, "cb=1 | cb=10 | cb=2 | cb=sum\n1 | 10 | 2 | 13"),
    ("office_tika/testEXCEL_phonetic.xlsx", 1, "1 | 豊田 | 豊田車会社 | 豊田製品戦略事業統括本部"),
    ("office_unstructured/vodafone.xlsx", 1, "Topic | Period |  | Page\nQuarterly revenue | Nine quarters"),
    ("office_tika/testEXCEL_template.xltx", 1, "this is a template"),
    ("office_docling/legacy_sample.xls", 1, "Duck Observations\n\nNumber of freshwater ducks per year"),
    ("office_poi/mortgage-calculation.xls", 1, "| $790.79"),
    ("office_tika/testEXCEL_extra_metadata.xls", 4, "very hidden sheet"),
    ("office_tika/testEXCEL_headers_footers.xls", 1, "Name | Address\nJohn Smith1 | 1 Corporate HQ"),
    ("office_docling/odf_table_with_title_01.ods", 1, "Number of freshwater ducks per year\n\nYear | Freshwater Ducks"),
    ("office_tika/testFooter.ods", 1, "Data 1 | Data 2\nData 3 | Data 4"),
    ("office_docling/powerpoint_sample.pptx", 2, "备注 / Notes:\nSome notes on the second slide."),
    ("office_docling/powerpoint_sample.pptx", 1, "R3 | False |  |  |  | False\nR3 |  | True |  | True"),
    ("office_unstructured/sample-presentation.pptx", 4, "Table | A | B | C\n1 | A1 | B1 | C1"),
    ("office_markitdown/test.pptx", 4, "| Series 1\n2000 | 2000\n2001 | 2001"),
    ("office_markitdown/test.pptx", 5, "This is a nested shape with content in 2 shapes"),
    ("office_tika/testPPT_various2.pptx", 4, "SmartList1\nSmartList2"),
    ("office_tika/testPPTX_overlappingRelations.pptx", 4, "POI can read this too"),
    ("office_docling/legacy_sample.ppt", 3, "备注 / Notes:\nFinal notes on the third slide.\nSecond line of notes."),
    ("office_poi/SampleShow.ppt", 2, "Especially in a different font like Arial Black at 16 point!"),
    ("office_tika/testPPT_various.ppt", 1, "Row 1 Col 1 | Row 1 Col 2 | Row 1 Col 3\nRow 2 Col 1"),
    ("office_unstructured/language-docs/eng_spa_mult.ppt", 6, "Todos los seres humanos nacen libres e iguales"),
    ("office_poi/61490.doc", 1, "1. 章节1\n章节1的内容，一段话\n1.1. 章节1.1"),
    ("office_poi/61490.doc", 1, "下面是表格3x3\n11 | 12 | 13\n21 | 22 | 23\n31 | 32 | 33"),
    ("office_poi/Lists.doc", 1, "2.2.2. OL 2.2.2\n2.2.2.1. OL 2.2.2.1\n2.2.3. OL 2.2.3\n3. OL 3"),
    ("office_poi/endingnote.doc", 1, "Text, text[1], text.\n\n[1] Ending note text"),
    ("office_poi/innertable.doc", 1, "A | B | C\nD | E 1 2 3 4 F | G\nH | I | J"),
    ("office_poi/HeaderFooterUnicode.doc", 1, "Les Précieuses ridicules. The end."),
    ("office_tika/testWORD_numbered_list.doc", 1, "I. yet\na) another\ni) list"),
    ("office_tika/testWORD_phonetic.doc", 1, "東京"),
    ("office_tika/testWORD6.doc", 1, "The quick brown fox jumps over the lazy dog"),
    ("office_tika/testWORD_various.doc", 1, "Gothic text:\n𐌲𐌿𐍄𐌹𐍃𐌺"),
    ("office_tika/testWORDML_tableInsideParagraph.doc", 1, "Some Data | Second column | Third"),
    ("office_tika/testWORD_charts.docx", 1, "| NUMBER\nJanuary | 5"),
    ("office_tika/testAltChunkHTML.docx", 1, "Col 1 | Col 2\nROW 1 | ROW 1"),
    ("office_tika/testNPEOpenDocument.odt", 1, "1. Enunciado de la práctica\nLa práctica consiste en"),
    ("office_tika/testODTStyles3.odt", 1, "Taalrol | N\nUniek referentienummer"),
    ("office_tika/testRTFJapanese.rtf", 1, "1. ゾルゲの処刑記録、\n2. 「何等取乱シタル態度無ク」と記されていた"),
    ("office_tika/testRTFVarious.rtf", 1, "1) Number bullet 1\n2) Number bullet 2"),
    ("office_tika/testRTFWordPadCzechCharacters.rtf", 1, "Článek týdne"),
    ("office_tika/testRTFTIKA_2899.rtf", 1, "Annual Fee | None"),
    ("office_unstructured/fake-doc.rtf", 1, "Column 1 | Column 2\nRow 1, Cell 1 | Row 1, Cell 2"),
    ("office_unstructured/eml/fake-email-utf-16.eml", 1, "Subject: Test Email\n\nThis is a test email"),
    ("office_unstructured/eml/email-no-html-content-1.eml", 1, "we’re just writing to let you know"),
    ("mail_mimekit/messages/delivery-status.anonymized.eml", 1, "Reporting-MTA: xxxx xxx"),
    ("office_poi/example_received_regular.msg", 1, "'Ashutosh Dandavate' <ashutosh.dandavate@alfresco.com>"),
    ("office_poi/HTMLBodyBinary_CP1251.msg", 1, "HTML автоматически"),
    ("office_tika/test-outlook.msg", 1, "La réponse à vos attentes en matière de messagerie"),
    ("office_tika/testMSG_att_msg.msg", 1, "Attachments: Test Attachment.eml, smbprn.00009008.KdcPjl.pdf"),
    ("mail_mimekit/dkim/multipart-no-end-boundary.msg", 1, "Multipart message without closing boundary"),
    ("mail_mimekit/tnef/body.tnef", 1, "THE BILL OF RIGHTS"),
    ("mail_mimekit/tnef/panic.tnef", 1, "Subject: Fw: VIKTIGT: Vill att någon av er gör följande ändringar"),
    ("office_unstructured/stanley-cups-with-emoji.tsv", 1, "Team | Location | Stanley Cups\nBlues | STL | 1"),
    ("office_markitdown/test.epub", 2, "Chapter 1: Test Content"),
    ("office_tika/testWORD_1img.doc", 1, "lazy dog\n\nAlfresco"),  # from here on what pictures say
    ("office_tika/testEXCEL_1img.xls", 1, "SKIP2\n\nAlfresco"),
    ("office_tika/testPPT_2imgs.ppt", 1, "lazy dog\n\nAlfresco"),
    ("office_tika/testEXCEL_extra_metadata.xls", 5, "anchor cell\n\nX\nJohn Doe\nDirector"),
    ("office_tika/testPPT_EmbeddedPDF.ppt", 1, "March 22nd, 2007: Apache Tika project started"),
    ("office_tika/testMSChart-govdocs-428996.xls", 1, "2002 2003 2004 2005\nTech Partners\nR&D Partners"),
    ("office_tika/testWPSAttachment.doc", 1, "PDF.pdf\n\nXML.xml"),
]  # fmt: skip

PASSWORDS = [
    ("office_tika/testWORD_protected_passtika.doc", "tika", "This is an encrypted Word 2007 File."),
    ("office_tika/testEXCEL_protected_passtika.xls", "tika", "This is an Encrypted Excel spreadsheet."),
    ("office_tika/testEXCEL_protected_passtika.xlsx", "tika", "This is an Encrypted Excel spreadsheet."),
    ("office_tika/testPPT_protected_passtika.pptx", "tika", "This is an encrypted PowerPoint 2007 sl"),
    ("office_tika/protected_normal_case.docx", "password", "This is a sample Word document"),
    ("office_tika/protected_upper_case.docx", "password", "This is a sample Word document"),
]

ATTACHED = [
    ("office_tika/testMSG_att_msg.msg", {"Test Attachment.eml": 239, "smbprn.00009008.KdcPjl.pdf": 13539}),
    ("office_poi/58214_with_attachment.msg", {"Test mail attachment.eml": 1469}),
    ("mail_mimekit/tnef/two-files.tnef", {"AUTHORS": 244, "README": 893}),
    ("mail_mimekit/partial/message-partial.0.eml", {"earrings.jpg": 44928}),
    ("office_unstructured/eml/mime-attach-mp3.eml", {"sample-3s.mp3": 52079}),
    ("office_unstructured/eml/mime-multipart-digest.eml",
     {"First Message.eml": 109, "Second Message.eml": 111, "Third Message.eml": 111}),
]  # fmt: skip

NOT_OURS = frozenset({".pdf", ".ofd", ".png", ".jpg", ".jpeg"})


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


@pytest.mark.parametrize(("file", "files"), ATTACHED)
def test_attachments_come_out_whole(
    documents: Path, read: ReadFile, tmp_path: Path, file: str, files: dict[str, int]
) -> None:
    found: list[MemberFound] = []
    read(documents / file, work_folder=tmp_path, on_member=found.append)
    assert {one.name: Path(one.path).stat().st_size for one in found} == files


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.skipif(libreoffice() is None, reason="LibreOffice is not on this computer")
@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("office_tika/testWORKS2000.wps", "This is an example document made with Microsoft Works"),
        ("office_tika/test-columnar.xlsb", "1 | 1 | This is row 1 of 10 | 10.00%"),
    ],
)
def test_what_only_libreoffice_knows_is_read_through_it(documents: Path, read: ReadFile, file: str, text: str) -> None:
    assert text in read(documents / file).text


def _all_files(documents: Path) -> Iterator[Path]:
    return (f for f in sorted(documents.rglob("*")) if f.is_file() and f.suffix.lower() not in NOT_OURS)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_no_file_crashes_hangs_or_claims_text_it_has_not(documents: Path, reader: Reader, tmp_path: Path) -> None:
    wrong: list[str] = []
    count = 0
    for file in _all_files(documents):
        count += 1
        name, start = file.relative_to(documents).as_posix(), time.monotonic()
        pages: list[PageRead] = []
        folder = tmp_path / str(count)
        folder.mkdir()
        try:
            end = reader.read(
                file, name, on_page=pages.append, limits=ReadLimits(seconds=60), work_folder=folder,
                on_member=lambda found: None,
            )  # fmt: skip
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
    assert count > 330


def _fault(read: PageRead) -> str:
    page = read.page
    if page.state is PageState.TEXT and not page.text.strip():
        return f"page {page.number} is text without text"
    if page.state is not PageState.TEXT and not read.problem:
        return f"page {page.number} is {page.state} without a reason"
    if any(0xD800 <= ord(char) < 0xE000 or (char < " " and char not in "\n\t") for char in page.text):
        return f"page {page.number} holds control characters or halves of characters"
    return ""
