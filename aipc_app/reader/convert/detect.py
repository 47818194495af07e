"""Which converter reads a file: the extension proposes, the bytes decide."""

from __future__ import annotations

import zipfile
from enum import Enum

from aipc_app.reader.convert.base import Source
from aipc_app.reader.failure import FailureKind, ReadingError

READABLE = "PDF, DOCX, TXT, MD and HTML"
_HEAD_BYTES = 4096
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_OFFICE = "EncryptedPackage".encode("utf-16-le")
_TEXT = frozenset({"txt", "text", "md", "markdown", "log"})
_HTML = frozenset({"html", "htm", "xhtml", "xht"})
_WORD = frozenset({"docx", "docm", "dotx", "dotm"})
_ZIP_MEMBERS = (
    ("xl/", "an Excel workbook"),
    ("ppt/", "a PowerPoint presentation"),
    ("OFD.xml", "an OFD file"),
    ("META-INF/container.xml", "an EPUB book"),
    ("content.xml", "an OpenDocument file"),
)


class Format(Enum):
    PDF = "pdf"
    DOCX = "docx"
    TEXT = "text"
    MARKDOWN = "markdown"
    HTML = "html"


def detect(source: Source) -> Format:
    """The format to read `source` as. Raises ReadingError: unsupported, damaged (it isn't what it is named)."""
    with source.path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    extension = source.extension
    if b"%PDF-" in head[:1024]:
        return Format.PDF
    if head.startswith(b"PK\x03\x04"):
        return _zip_format(source)
    if head.startswith(_OLE):
        raise _ole(source)
    if head.startswith(b"{\\rtf"):
        raise _unsupported("an RTF file")
    if extension == "pdf" and head:
        return Format.PDF  # without its header it can still be repaired
    if extension == "pdf" or extension in _WORD:
        raise _not_a(extension)
    return _text_format(extension, head)


def _text_format(extension: str, head: bytes) -> Format:
    markup = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:64].lower()
    if extension in _HTML or (
        extension not in _TEXT and markup.startswith((b"<!doctype html", b"<html"))
    ):
        return Format.HTML
    if extension in _TEXT:
        return Format.MARKDOWN if extension in ("md", "markdown") else Format.TEXT
    raise _unsupported(f"a .{extension} file" if extension else "a file without an extension")


def _zip_format(source: Source) -> Format:
    try:
        with zipfile.ZipFile(source.path) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        if source.extension in _WORD:
            raise _not_a(source.extension) from error
        raise _unsupported("a damaged archive") from error
    if any(name.replace("\\", "/").lower().startswith("word/") for name in names):
        return Format.DOCX
    for prefix, what in _ZIP_MEMBERS:
        if any(name.startswith(prefix) for name in names):
            raise _unsupported(what)
    if source.extension in _WORD:
        raise _not_a(source.extension)
    raise _unsupported("a ZIP archive")


def _ole(source: Source) -> ReadingError:
    if _ENCRYPTED_OFFICE in source.path.read_bytes()[: 64 << 20]:
        return ReadingError(
            FailureKind.UNSUPPORTED,
            "This Office file is encrypted and can't be opened here; add a copy saved without a password.",
        )
    return _unsupported("an old Office file (.doc, .xls, .ppt or .msg)")


def _not_a(extension: str) -> ReadingError:
    return ReadingError(
        FailureKind.DAMAGED,
        f"This is not a {extension.upper()} file, or it is damaged; save it again in the program that made it.",
    )


def _unsupported(what: str) -> ReadingError:
    return ReadingError(FailureKind.UNSUPPORTED, f"This is {what}, which can't be read; {READABLE} can.")
