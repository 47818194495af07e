"""The bytes decide what a file is; what can't be read is named."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from aipc_app.errors import DocumentError, UnsupportedFormat
from tests.unit.aipc_app.reader.conftest import ReadFile
from tests.unit.aipc_app.reader.making import PdfPage, paragraph, pdf_bytes, show, write_docx


@pytest.mark.parametrize("name", ["a.pdf", "a.txt", "a.docx", "a.doc", "a"])
def test_a_pdf_is_read_as_one_whatever_its_name(tmp_path: Path, read: ReadFile, name: str) -> None:
    file = tmp_path / name
    file.write_bytes(pdf_bytes([PdfPage(show("Inside"))]))
    assert read(file).text == "Inside"


def test_a_docx_named_doc_is_read(tmp_path: Path, read: ReadFile) -> None:
    assert read(write_docx(tmp_path / "a.doc", paragraph("正文"))).text == "正文"


def test_html_named_doc_is_read(tmp_path: Path, read: ReadFile) -> None:
    file = tmp_path / "a.doc"
    file.write_text("<html><body>正文</body></html>", encoding="utf-8")
    assert read(file).text == "正文"


def test_the_name_counts_not_the_path(tmp_path: Path, read: ReadFile) -> None:
    file = tmp_path / "abcdef0123"
    file.write_text("文字", encoding="utf-8")
    assert read(file, "文件夹/说明.TXT").text == "文字"


@pytest.mark.parametrize(
    ("name", "data", "what"),
    [
        ("a.rtf", b"{\\rtf1 x}", "RTF"),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(1000), "old Office"),
        ("a.png", b"\x89PNG\r\n\x1a\n", r"\.png"),
        ("a", b"whatever", "without an extension"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_named_and_what_can_be_too(
    tmp_path: Path, read: ReadFile, name: str, data: bytes, what: str
) -> None:
    file = tmp_path / name
    file.write_bytes(data)
    with pytest.raises(UnsupportedFormat, match=what) as caught:
        read(file)
    assert "PDF, DOCX, TXT, MD and HTML" in caught.value.message


@pytest.mark.parametrize(
    ("member", "what"), [("xl/workbook.xml", "Excel"), ("OFD.xml", "OFD"), ("ppt/x.xml", "PowerPoint"), ("x", "ZIP")]
)
def test_other_containers_are_told_apart(tmp_path: Path, read: ReadFile, member: str, what: str) -> None:
    file = tmp_path / "a.bin"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(member, "x")
    with pytest.raises(UnsupportedFormat, match=what):
        read(file)


def test_a_file_that_is_gone_is_an_error_of_its_own(tmp_path: Path, read: ReadFile) -> None:
    with pytest.raises(DocumentError, match="can't be opened"):
        read(tmp_path / "missing.pdf")


def test_an_empty_pdf_is_damaged(tmp_path: Path, read: ReadFile) -> None:
    file = tmp_path / "a.pdf"
    file.write_bytes(b"")
    with pytest.raises(DocumentError, match="damaged"):
        read(file)
