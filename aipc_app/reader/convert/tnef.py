"""Outlook's winmail.dat ([MS-OXTNEF]): its text is page 1, the files in it become documents of their own."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import EmailMessage

from aipc_app.reader.convert.base import Content, Source, read_bytes
from aipc_app.reader.convert.compressed_rtf import decompress
from aipc_app.reader.convert.encoding import decode
from aipc_app.reader.convert.html import declared_charset
from aipc_app.reader.convert.mail import MailContent
from aipc_app.reader.convert.rtf_walk import RtfWalk

_SUBJECT, _BODY, _MAPI, _CODE_PAGE = 0x8004, 0x800C, 0x9003, 0x9007
_TITLE, _DATA, _RENDERING, _ATTACHED_MAPI = 0x8010, 0x800F, 0x9002, 0x9005
_LONG_NAME, _FILE_NAME, _OBJECT, _PLAIN, _HTML, _RTF = 0x3707, 0x3704, 0x3701, 0x1000, 0x1013, 0x1009
_WIDTHS = {2: 4, 3: 4, 4: 4, 5: 8, 6: 8, 7: 8, 10: 4, 11: 4, 20: 8, 64: 8, 72: 16}
_COUNTED = (0x1E, 0x1F, 0x102, 0x0D)  # strings, bytes, objects


@dataclass
class _File:
    name: str = ""
    data: bytes = b""


@dataclass
class _Found:
    subject: str = ""
    body: str = ""
    html: str = ""
    files: list[_File] = field(default_factory=list)


@contextmanager
def convert(source: Source) -> Iterator[Content]:
    """Raises ReadingError: limit. What is cut off gives what there is."""
    found = _read(read_bytes(source))
    message = EmailMessage()
    message.set_content(found.body, cte="base64")
    if found.html:
        message.add_alternative(found.html, subtype="html", cte="base64")
    for number, file in enumerate(found.files, 1):
        message.add_attachment(file.data, maintype="application", subtype="octet-stream", cte="base64")
        part = message.get_payload()[-1]  # type: ignore[index]
        name = file.name.replace("\0", "").strip() or f"attachment {number}"
        part.set_param("filename", name, "content-disposition", charset="utf-8")  # type: ignore[union-attr]
    content = MailContent(message, subject_line=found.subject)
    yield content


def _read(data: bytes) -> _Found:
    found, at = _Found(), 6
    while at + 9 <= len(data):
        _level, tag, size = struct.unpack_from("<BII", data, at)
        value = data[at + 9 : at + 9 + size]
        at += 11 + size  # a checksum follows
        _attribute(found, tag & 0xFFFF, value)
    return found


def _attribute(found: _Found, tag: int, value: bytes) -> None:
    if tag == _SUBJECT:
        found.subject = _text(value)
    elif tag == _BODY:
        found.body = _text(value)
    elif tag == _MAPI:
        _message_properties(found, _properties(value))
    elif tag == _RENDERING:
        found.files.append(_File())
    elif found.files and tag == _TITLE:
        found.files[-1].name = found.files[-1].name or _text(value)
    elif found.files and tag == _DATA:
        found.files[-1].data = value
    elif found.files and tag == _ATTACHED_MAPI:
        own = _properties(value)
        name = own.get(_LONG_NAME) or own.get(_FILE_NAME)
        if name:
            found.files[-1].name = _text(name)
        if not found.files[-1].data and len(own.get(_OBJECT, b"")) > 16:
            found.files[-1].data = own[_OBJECT][16:]  # after the class of the object
            found.files[-1].name += "" if "." in found.files[-1].name else ".dat"


def _message_properties(found: _Found, own: dict[int, bytes]) -> None:
    found.body = found.body or _text(own.get(_PLAIN, b""))
    html = own.get(_HTML, b"")
    found.html = decode(html, declared_charset(html), strict=False).text if html else ""
    if not found.body and not found.html and _RTF in own:
        walk = RtfWalk()
        walk.feed(decompress(own[_RTF]))
        found.html, found.body = (walk.html(), "") if walk.is_html else ("", walk.text())


def _properties(data: bytes) -> dict[int, bytes]:
    """The first value of each property; strings and bytes whole, others as they are stored."""
    found: dict[int, bytes] = {}
    try:
        (count,) = struct.unpack_from("<I", data)
        at = 4
        for _ in range(count):
            kind, id_ = struct.unpack_from("<HH", data, at)
            at = _after_name(data, at + 4, id_)
            value, at = _value(data, at, kind)
            found.setdefault(id_, value.decode("utf-16-le", "replace").encode() if kind & 0xFFF == 0x1F else value)
    except (struct.error, IndexError, ValueError):
        return found
    return found


def _after_name(data: bytes, at: int, id_: int) -> int:
    """Named properties carry their name first."""
    if id_ < 0x8000:
        return at
    (by_name,) = struct.unpack_from("<I", data, at + 16)
    if not by_name:
        return at + 24
    size: int = struct.unpack_from("<I", data, at + 20)[0]
    return at + 24 + -(-size // 4) * 4


def _value(data: bytes, at: int, kind: int) -> tuple[bytes, int]:
    plain, many = kind & 0xFFF, kind & 0x1000
    counted = plain in _COUNTED
    if not counted and plain not in _WIDTHS:
        raise ValueError("unknown type")
    count = 1
    if counted or many:
        (count,) = struct.unpack_from("<I", data, at)
        at += 4
    first = b""
    for number in range(count):
        if counted:
            (size,) = struct.unpack_from("<I", data, at)
            value, at = data[at + 4 : at + 4 + size], at + 4 + -(-size // 4) * 4
        else:
            value, at = data[at : at + _WIDTHS[plain]], at + _WIDTHS[plain]
        if at > len(data) + 3:
            raise ValueError("cut off")
        first = value if number == 0 else first
    return first, at


def _text(value: bytes) -> str:
    return decode(value.split(b"\0", 1)[0], strict=False).text if value else ""
