"""The bytes decide what a file is; what can't be read is named."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from aipc_app.errors import DocumentError, UnsupportedFormat
from aipc_app.reader.convert.base import Source
from aipc_app.reader.convert.detect import Format, detect
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
        ("a.mp3", b"ID3\x04", r"\.mp3"),
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
    assert "PDF, OFD, pictures, office files, mail, web pages, text and archives" in caught.value.message


@pytest.mark.parametrize("name", ["a.doc", "a.xls", "a.ppt", "a.msg", "a.wps", "a.xlsx", "a.odt", "a.ofd"])
@pytest.mark.parametrize("data", [b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(1000), b"PK\x03\x04", b"\0\1\2", b""])
def test_what_is_not_what_it_is_named_is_damaged(tmp_path: Path, read: ReadFile, name: str, data: bytes) -> None:
    file = tmp_path / name
    file.write_bytes(data)
    with pytest.raises(DocumentError, match="damaged"):
        read(file)


@pytest.mark.parametrize(
    ("member", "name", "format_"),
    [
        ("xl/workbook.xml", "a.bin", Format.XLSX), ("OFD.xml", "a", Format.OFD), ("ppt/x.xml", "a.doc", Format.PPTX),
        ("content.xml", "a.odt", Format.ODF), ("x", "a.zip", Format.ZIP), ("word/document.xml", "a.zip", Format.ZIP),
    ],
)  # fmt: skip
def test_containers_are_told_apart_by_what_is_in_them(tmp_path: Path, member: str, name: str, format_: Format) -> None:
    file = tmp_path / name
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(member, "x")
    assert detect(Source(file, name)) is format_


@pytest.mark.parametrize(
    ("name", "data", "format_"),
    [
        ("a.doc", b"{\\rtf1 x}", Format.RTF),
        ("a.doc", b"MIME-Version: 1.0\r\nContent-Type: multipart/related\r\n\r\n", Format.MAIL),
        ("a.msg", b"From: a@x\r\nTo: b@x\r\n\r\n", Format.MAIL),
        ("a", b"From a@x Mon Mar  2 10:00:00 2026\nSubject: x\n\n", Format.MBOX),
        ("winmail.dat", b"\x78\x9f\x3e\x22\0\0", Format.TNEF),
        ("a.xls", b"<meta charset=gbk><TABLE><tr>", Format.HTML),
        ("a.xls", b"a\tb\n", Format.TABLE),
        ("a.dat", b"Rar!\x1a\x07\x01\0", Format.RAR),
        ("a.txt", b"From: a@x\nTo: b@x\n\n", Format.TEXT),
        ("a.txt", b"\xff\xd8\xff\xe0", Format.IMAGE),
        ("a.txt", b"BMW and other makers of cars, in text", Format.TEXT),
    ],
)  # fmt: skip
def test_the_bytes_are_believed_before_the_name(tmp_path: Path, name: str, data: bytes, format_: Format) -> None:
    file = tmp_path / name
    file.write_bytes(data)
    assert detect(Source(file, name)) is format_


def test_a_file_that_is_gone_is_an_error_of_its_own(tmp_path: Path, read: ReadFile) -> None:
    with pytest.raises(DocumentError, match="can't be opened"):
        read(tmp_path / "missing.pdf")


def test_an_empty_pdf_is_damaged(tmp_path: Path, read: ReadFile) -> None:
    file = tmp_path / "a.pdf"
    file.write_bytes(b"")
    with pytest.raises(DocumentError, match="damaged"):
        read(file)
