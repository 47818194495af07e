"""Mail (RFC 5322, MIME) and MHTML: headers and body are page 1, what is attached becomes documents of their own."""

from __future__ import annotations

import email
import email.policy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from functools import partial
from typing import BinaryIO

from aipc_app.reader.convert.base import Content, Member, ReadPage, Source, read_bytes
from aipc_app.reader.convert.encoding import decode
from aipc_app.reader.convert.html import declared_charset, html_text
from aipc_app.reader.convert.inline_files import split_inline_files
from aipc_app.reader.convert.mail_headers import decoded_header, file_name, shown_headers, subject
from aipc_app.reader.convert.pages import text_page
from aipc_app.reader.failure import FailureKind, ReadingError

_SMALL_PICTURE = 10_000  # bytes: a picture in the text that is smaller is a logo or a line
_MAX_PARTS = 20_000
_MAX_DEPTH = 60
_AS_IT_IS = email.policy.compat32.clone(mangle_from_=False)
ENCRYPTED = "The message is encrypted; open it in the mail program that has the key and save its text."


@contextmanager
def convert(source: Source) -> Iterator[Content]:
    """Raises ReadingError: limit, damaged."""
    yield MailContent(parsed(read_bytes(source)), with_headers=source.extension not in ("mht", "mhtml"))


def parsed(data: bytes) -> Message:
    """A message, also of one stored as UTF-16."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in data[:64]:
        data = decode(data).text.encode("utf-8")
    try:
        return email.message_from_bytes(data.lstrip(b"\r\n \xef\xbb\xbf"), policy=email.policy.compat32)
    except RecursionError as error:
        raise ReadingError(
            FailureKind.DAMAGED, "This file is nested too deeply to be read; it may be damaged."
        ) from error


@dataclass
class MailContent:
    """A parsed message as a page and its attachments as members."""

    message: Message
    with_headers: bool = True
    subject_line: str = ""  # where there is no header for it
    count: int = 1
    has_layout: bool = False
    encoding: str = ""
    _texts: list[str] = field(default_factory=list)
    _members: list[Member] = field(default_factory=list)
    _encrypted: bool = False
    _parts: int = 0

    def __post_init__(self) -> None:
        self._walk(self.message, 0)

    @property
    def title(self) -> str:
        return self.subject_line or subject(self.message)

    @property
    def member_count(self) -> int:
        return len(self._members)

    def members(self) -> Iterator[Member]:
        yield from self._members

    def pages(self) -> Iterator[ReadPage]:
        body = "\n\n".join(text for text in (text.strip("\n") for text in self._texts) if text.strip())
        head = shown_headers(self.message) if self.with_headers else ""
        head = f"Subject: {self.subject_line}" if self.subject_line else head
        attached = ", ".join(member.name for member in self._members if "/" not in member.name)
        blocks = [head + (f"\nAttachments: {attached}" if attached and self.with_headers else ""), body]
        page = text_page(1, "\n\n".join(block.strip("\n") for block in blocks if block.strip()))
        yield ReadPage(page.page, page.problem or (ENCRYPTED if self._encrypted else ""))

    def _walk(self, part: Message, depth: int) -> None:
        self._parts += 1
        if depth > _MAX_DEPTH or self._parts > _MAX_PARTS:
            raise ReadingError(FailureKind.DAMAGED, "This file is nested too deeply to be read; it may be damaged.")
        kind = part.get_content_type()
        if kind == "multipart/alternative":
            self._alternative(part, depth)
        elif kind == "multipart/related":
            self._related(part, depth)
        elif kind == "multipart/encrypted" or "pkcs7-mime" in kind:
            self._encrypted = True
            self._attach(part, kind)
        elif kind == "message/rfc822" or (kind == "message/partial" and depth):
            self._nested(part)
        elif kind == "message/delivery-status":
            self._texts.append("\n\n".join(_all_headers(one) for one in _children(part)))
        elif part.is_multipart():
            for one in _children(part):
                self._walk(one, depth + 1)
        else:
            self._leaf(part, kind)

    def _leaf(self, part: Message, kind: str) -> None:
        attached = part.get_content_disposition() == "attachment" or (file_name(part) and kind != "text/plain")
        if kind in ("text/plain", "text/html", "text/enriched", "text/richtext") and not attached:
            self._texts.append(self._text(part, kind))
        elif kind == "text/rfc822-headers" or kind.startswith("message/"):
            self._texts.append(self._text(part, "text/plain"))
        elif kind not in ("application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature"):
            self._attach(part, kind)

    def _alternative(self, part: Message, depth: int) -> None:
        """Of the same text in several forms one: the plain one, unless it says less or lacks the tables."""
        before, forms = self._texts, []
        for one in _children(part):
            self._texts = []
            self._walk(one, depth + 1)
            if any(text.strip() for text in self._texts):
                forms.append("\n\n".join(self._texts))
        self._texts = before
        if forms:
            plain, rich = forms[0], forms[-1]
            tables = sum(" | " in line for line in rich.splitlines()) >= 2
            self._texts.append(rich if tables or len(plain) < len(rich) / 2 else plain)

    def _related(self, part: Message, depth: int) -> None:
        """A page and the pictures in it; small ones are decoration."""
        for one in _children(part):
            picture = one.get_content_maintype() == "image" and one.get_content_disposition() != "attachment"
            if picture and len(_payload(one)) < _SMALL_PICTURE:
                continue
            if one.get_content_type() in ("text/css", "text/javascript", "application/javascript"):
                continue
            self._walk(one, depth + 1)

    def _nested(self, part: Message) -> None:
        for inner in _children(part):
            self._add(f"{subject(inner) or 'message'}.eml", partial(inner.as_bytes, policy=_AS_IT_IS))
        if not part.is_multipart():
            self._attach(part, "message/rfc822")

    def _attach(self, part: Message, kind: str) -> None:
        name = file_name(part) or f"attachment.{_extension(kind)}"
        self._add(name, lambda: _payload(part) if not part.is_multipart() else part.as_bytes())

    def _add(self, name: str, data: Callable[[], bytes]) -> None:
        taken = {member.name for member in self._members}
        plain = name.replace("/", "_").replace("\\", "_")
        stem, dot, ending = plain.rpartition(".")
        number, free = 1, plain
        while free in taken:
            number += 1
            free = f"{stem} ({number}){dot}{ending}" if stem else f"{plain} ({number})"
        self._members.append(Member(free, lambda file: _write(file, data)))

    def _text(self, part: Message, kind: str) -> str:
        data, files = split_inline_files(_payload(part))
        for file in files:
            self._add(decode(file.name, strict=False).text, partial(bytes, file.data))
        own = declared_charset(data) if kind == "text/html" else None
        decoded = decode(data, _charset(part) or own, strict=False)
        self.encoding = self.encoding or decoded.encoding
        return html_text(decoded.text) if kind == "text/html" else decoded.text


def _write(file: BinaryIO, data: Callable[[], bytes]) -> None:
    file.write(data())


def _children(part: Message) -> list[Message]:
    found = part.get_payload()
    return [one for one in found if isinstance(one, Message)] if isinstance(found, list) else []


def _all_headers(part: Message) -> str:
    return "\n".join(f"{name}: {decoded_header(str(value))}" for name, value in part.raw_items())


def _payload(part: Message) -> bytes:
    try:
        data = part.get_payload(decode=True)
    except (ValueError, LookupError, AssertionError):
        return b""
    return data if isinstance(data, bytes) else b""


def _charset(part: Message) -> str | None:
    charset = part.get_param("charset")
    return charset.strip("'\" ") if isinstance(charset, str) else None


def _extension(kind: str) -> str:
    known = {"text/plain": "txt", "text/html": "html", "message/rfc822": "eml", "image/jpeg": "jpg"}
    return known.get(kind) or kind.rpartition("/")[2].removeprefix("x-")[:20] or "bin"
