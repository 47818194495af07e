"""Outlook messages ([MS-OXMSG]): made a MIME message of, and read as one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC
from email.message import EmailMessage
from email.utils import format_datetime

import olefile

from aipc_app.reader.convert.base import Content, Source
from aipc_app.reader.convert.compressed_rtf import decompress
from aipc_app.reader.convert.encoding import decode
from aipc_app.reader.convert.html import declared_charset
from aipc_app.reader.convert.mail import MailContent
from aipc_app.reader.convert.msg_properties import Folder, Properties
from aipc_app.reader.convert.rtf_walk import RtfWalk
from aipc_app.reader.convert.zip_guard import damaged
from aipc_app.reader.failure import FailureKind, ReadingError

_MAX_NESTED = 20
_MAX_BYTES = 1 << 30
_EMBEDDED = 0x3701000D
_RECIPIENTS = {1: "To", 2: "Cc", 3: "Bcc"}
_SUBJECT, _BODY, _HTML, _RTF = 0x0037, 0x1000, 0x1013, 0x1009
_SENDER_NAME, _SENDER_SMTP, _SENDER_ADDRESS, _ON_BEHALF = 0x0C1A, 0x5D01, 0x0C1F, 0x0042
_SENT, _DELIVERED, _TO_LINE, _CC_LINE, _BCC_LINE = 0x0039, 0x0E06, 0x0E04, 0x0E03, 0x0E02
_NAME, _ADDRESS, _SMTP, _KIND = 0x3001, 0x3003, 0x39FE, 0x0C15
_LONG_NAME, _SHORT_NAME, _DATA, _MIME = 0x3707, 0x3704, 0x3701, 0x370E


@contextmanager
def convert(source: Source) -> Iterator[Content]:
    """Raises ReadingError: damaged, limit."""
    if source.path.stat().st_size > _MAX_BYTES:
        raise ReadingError(FailureKind.LIMIT, "This message is too large to be read; save its attachments by hand.")
    try:
        with olefile.OleFileIO(source.path) as container:
            message = _message(Folder(container, ()), 0)
    except (OSError, ValueError, IndexError, TypeError, KeyError) as error:
        raise damaged() from error
    yield MailContent(message)


def _message(folder: Folder, depth: int) -> EmailMessage:
    """One message, nested ones inside it."""
    own = Properties(folder, header_bytes=32 if depth == 0 else 24)
    message = EmailMessage()
    _set_headers(message, own, folder)
    text, html = own.text(_BODY), _html(own)
    if not text and not html:
        text = _rtf_text(own)
    message.set_content(text or "", cte="base64")
    if html:
        message.add_alternative(html, subtype="html", cte="base64")
    for inner in folder.folders("__attach_version1.0_"):
        _attach(message, inner, depth)
    _name_boundaries(message)
    return message


def _set_headers(message: EmailMessage, own: Properties, folder: Folder) -> None:
    """Outlook keeps names and addresses apart; the lines are put together as it shows them."""
    address = own.text(_SENDER_SMTP) or own.text(_SENDER_ADDRESS)
    _header(message, "From", _person(own.text(_SENDER_NAME) or own.text(_ON_BEHALF), address))
    people: dict[str, list[str]] = {}
    for inner in folder.folders("__recip_version1.0_"):
        one = Properties(inner, header_bytes=8)
        line = _person(one.text(_NAME), one.text(_SMTP) or one.text(_ADDRESS))
        people.setdefault(_RECIPIENTS.get(one.number(_KIND) & 15, "To"), []).append(line)
    for name, tag in (("To", _TO_LINE), ("Cc", _CC_LINE), ("Bcc", _BCC_LINE)):
        _header(message, name, "; ".join(people.get(name, ())) or own.text(tag))
    sent = own.time(_SENT) or own.time(_DELIVERED)
    _header(message, "Date", format_datetime(sent.replace(tzinfo=UTC)) if sent else "")
    _header(message, "Subject", own.text(_SUBJECT))


def _header(message: EmailMessage, name: str, value: str) -> None:
    """Stored as it is: it is for reading, not for sending."""
    plain = " ".join("".join(char if char.isprintable() else " " for char in value).split())
    if plain:
        message._headers.append((name, plain))  # type: ignore[attr-defined]


def _person(name: str, address: str) -> str:
    if not address or address.startswith("/") or address.lower() == name.lower():  # "/o=…": an Exchange name
        return name or address
    return f"{name} <{address}>" if name else address


def _html(own: Properties) -> str:
    data = own.data(_HTML)
    if data:
        return decode(data, own.code_page or declared_charset(data), strict=False).text
    text = own.text(_HTML)
    if text:
        return text
    rich = _rtf(own)
    return rich.html() if rich is not None and rich.is_html and not own.text(_BODY) else ""


def _rtf_text(own: Properties) -> str:
    rich = _rtf(own)
    return rich.text() if rich is not None else ""


def _rtf(own: Properties) -> RtfWalk | None:
    data = own.data(_RTF)
    if not data:
        return None
    walk = RtfWalk()
    walk.feed(decompress(data))
    return walk


def _attach(message: EmailMessage, folder: Folder, depth: int) -> None:
    own = Properties(folder, header_bytes=8)
    embedded = folder.folder("__substg1.0_3701000D")
    if embedded is not None:
        if depth >= _MAX_NESTED:
            raise ReadingError(FailureKind.DAMAGED, "This file is nested too deeply to be read; it may be damaged.")
        if embedded.has_stream("__properties_version1.0"):
            message.add_attachment(_message(embedded, depth + 1))
        return  # else an object of another program, without a file of its own
    data = own.data(_DATA)
    if data is None:
        return
    name = own.text(_LONG_NAME) or own.text(_SHORT_NAME) or own.text(_NAME) or "attachment"
    main, _, sub = (own.text(_MIME) or "application/octet-stream").partition("/")
    if not sub or main not in ("image", "application", "audio", "video", "text"):
        main, sub = "application", "octet-stream"
    message.add_attachment(data, maintype=main, subtype=sub, cte="base64")
    part = message.get_payload()[-1]  # type: ignore[index]
    part.set_param("filename", name.replace("\0", ""), "content-disposition", charset="utf-8")  # type: ignore[union-attr]


def _name_boundaries(message: EmailMessage) -> None:
    """Fixed ones: the same nested message gives the same bytes, so that it is known again."""
    digest = hashlib.sha256()
    parts = [part for part in message.walk() if not part.is_multipart()]
    for part in parts:
        digest.update(str(part.get_payload()).encode("utf-8", "surrogateescape"))
    for number, part in enumerate(part for part in message.walk() if part.get_content_maintype() == "multipart"):
        part.set_boundary(f"=={digest.hexdigest()[:32]}-{number}")
