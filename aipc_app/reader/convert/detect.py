"""Which converter reads a file: the extension proposes, the bytes decide."""

from __future__ import annotations

import re
import zipfile
from enum import Enum

from aipc_app.reader.convert.base import Source
from aipc_app.reader.failure import FailureKind, ReadingError

READABLE = "PDF, OFD, pictures, office files, mail, web pages, text and archives"
_HEAD_BYTES = 4096
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_TEXT = frozenset({"txt", "text", "md", "markdown", "log", "json", "xml", "srt", "vtt", "tex"})
_HTML = frozenset({"html", "htm", "xhtml", "xht"})
_TABLES = frozenset({"csv", "tsv", "tab"})
_MAIL = frozenset({"eml", "mht", "mhtml"})
_WORD = frozenset({"docx", "docm", "dotx", "dotm"})
_OFFICE_ZIP = _WORD | {
    "xlsx",
    "xlsm",
    "xltx",
    "xltm",
    "xlsb",
    "pptx",
    "pptm",
    "ppsx",
    "potx",
    "odt",
    "ods",
    "odp",
    "ofd",
}
_OLD_OFFICE = frozenset(
    {"doc", "dot", "wps", "wpt", "xls", "xlt", "et", "ett", "ppt", "pps", "pot", "dps", "dpt", "msg"}
)
_MAIL_HEADER = re.compile(
    rb"(?:From|To|Cc|Date|Subject|Received|Return-Path|Message-ID|MIME-Version|Delivered-To|X-[\w-]+|DKIM-Signature"
    rb"|Reply-To|Content-Type): ?[^\r\n]*\r?\n(?:[ \t][^\r\n]*\r?\n)*(?:[\w-]+:|\r?\n)",
    re.IGNORECASE,
)
_MBOX = re.compile(rb"From [^\r\n]{0,200}\d{4}[^\r\n]{0,20}\r?\n[\w-]+:")


class Format(Enum):
    PDF = "pdf"
    DOCX = "docx"
    XLSX = "xlsx"
    XLSB = "xlsb"
    PPTX = "pptx"
    ODF = "odf"
    OFD = "ofd"
    EPUB = "epub"
    DOC = "doc"
    XLS = "xls"
    PPT = "ppt"
    WORKS = "works"  # and other programs' files that LibreOffice may know
    PROTECTED_OFFICE = "protected office"
    WORD_XML = "word 2003 xml"
    EXCEL_XML = "excel 2003 xml"
    RTF = "rtf"
    MAIL = "mail"
    OUTLOOK = "outlook"
    MBOX = "mbox"
    TNEF = "tnef"
    IMAGE = "image"
    TEXT = "text"
    MARKDOWN = "markdown"
    HTML = "html"
    TABLE = "table"
    ZIP = "zip"
    SEVEN_ZIP = "7z"
    RAR = "rar"


_MAGIC = (
    (b"{\\rtf", Format.RTF),
    (b"\x78\x9f\x3e\x22", Format.TNEF),
    (b"7z\xbc\xaf\x27\x1c", Format.SEVEN_ZIP),
    (b"Rar!\x1a\x07", Format.RAR),
)
_PICTURES = (
    b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"II*\x00", b"MM\x00*", b"II+\x00", b"MM\x00+", b"BM", b"GIF8",
)  # fmt: skip
_ZIP_MEMBERS = (
    ("word/", Format.DOCX),
    ("xl/workbook.bin", Format.XLSB),
    ("xl/", Format.XLSX),
    ("ppt/", Format.PPTX),
    ("ofd.xml", Format.OFD),
    ("meta-inf/container.xml", Format.EPUB),
    ("content.xml", Format.ODF),
)
_STREAMS = (
    ("EncryptedPackage", Format.PROTECTED_OFFICE),
    ("__properties_version1.0", Format.OUTLOOK),
    ("WordDocument", Format.DOC),
    ("Workbook", Format.XLS),
    ("Book", Format.XLS),
    ("PowerPoint Document", Format.PPT),
    ("MatOST", Format.WORKS),
)


def detect(source: Source) -> Format:
    """The format to read `source` as. Raises ReadingError: unsupported, damaged (it isn't what it is named)."""
    with source.path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    if b"%PDF-" in head[:1024]:
        return Format.PDF
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _zip_format(source)
    if head.startswith(_OLE):
        return _ole_format(source)
    if is_picture(head):
        return Format.IMAGE
    known = next((format_ for magic, format_ in _MAGIC if head.startswith(magic)), None)
    return known or _by_name(source.extension, head)


def is_picture(head: bytes) -> bool:
    """PNG, JPEG, TIFF, BMP, GIF or WebP, by the first bytes."""
    if head.startswith(b"BM"):
        return len(head) > 18 and head[14:18] in (b"\x28\0\0\0", b"\x0c\0\0\0", b"\x6c\0\0\0", b"\x7c\0\0\0")
    return head.startswith(_PICTURES) or (head[:4] == b"RIFF" and head[8:12] == b"WEBP")


def _by_name(extension: str, head: bytes) -> Format:
    """Nothing in the bytes says it for sure."""
    if extension == "pdf" and head:
        return Format.PDF  # without its header it can still be repaired
    if extension == "pdf" or extension in _OFFICE_ZIP:
        raise _not_a(extension)
    if extension in _MAIL:
        return Format.MAIL
    if extension in _TEXT:
        return Format.MARKDOWN if extension in ("md", "markdown") else Format.TEXT
    markup = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:64].lower()
    if extension in _HTML or markup.startswith((b"<!doctype html", b"<html")):
        return Format.HTML
    if extension in _TABLES:
        return Format.TABLE
    return _mistaken(extension, head)


def _mistaken(extension: str, head: bytes) -> Format:
    """Files that another program named for one that opens them: XML, web pages, tables and mail as .doc, .xls, .msg."""
    if b"schemas.microsoft.com/office/word/2003/wordml" in head:
        return Format.WORD_XML
    if b"urn:schemas-microsoft-com:office:spreadsheet" in head:
        return Format.EXCEL_XML
    plain = head.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n")
    if extension == "mbox" or _MBOX.match(plain):
        return Format.MBOX
    if _MAIL_HEADER.match(plain):
        return Format.MAIL
    if extension in ("xls", "xlt", "et") and head:
        return Format.HTML if b"<table" in head.lower() else _table_or_damaged(extension, head)
    if extension in _OLD_OFFICE:
        raise _not_a(extension)
    raise unsupported(f"a .{extension} file" if extension else "a file without an extension")


def _table_or_damaged(extension: str, head: bytes) -> Format:
    if b"\0" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise _not_a(extension)
    return Format.TABLE


def _zip_format(source: Source) -> Format:
    try:
        with zipfile.ZipFile(source.path) as archive:
            names = [name.replace("\\", "/").lower().lstrip("/") for name in archive.namelist()]
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        if source.extension in _OFFICE_ZIP:
            raise _not_a(source.extension) from error
        raise ReadingError(
            FailureKind.DAMAGED, "This archive is damaged or not complete; get it anew and add it again."
        ) from error
    if source.extension != "zip":
        for prefix, format_ in _ZIP_MEMBERS:
            if any(name.startswith(prefix) for name in names):
                return format_
    if source.extension in _OFFICE_ZIP:
        raise _not_a(source.extension)
    if source.extension != "zip" and not {"[content_types].xml", "mimetype"}.isdisjoint(names):
        raise unsupported(f"a .{source.extension} file" if source.extension else "a file without an extension")
    return Format.ZIP


def _ole_format(source: Source) -> Format:
    import olefile

    try:
        with olefile.OleFileIO(source.path) as container:
            streams = frozenset(entry[0].lower() for entry in container.listdir(streams=True, storages=False))
    except (OSError, ValueError, IndexError, TypeError, AttributeError) as error:
        raise _not_a(source.extension or "office") from error
    for name, format_ in _STREAMS:
        if name.lower() in streams:
            return format_
    if source.extension in _OLD_OFFICE - {"wps"}:
        raise _not_a(source.extension)
    return Format.WORKS


def _not_a(extension: str) -> ReadingError:
    return ReadingError(
        FailureKind.DAMAGED,
        f"This is not a {extension.upper()} file, or it is damaged; save it again in the program that made it.",
    )


def unsupported(what: str) -> ReadingError:
    return ReadingError(FailureKind.UNSUPPORTED, f"This is {what}, which can't be read; {READABLE} can.")
