"""Mail headers as a person reads them: encoded words, raw bytes and split Chinese characters made whole."""

from __future__ import annotations

from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.utils import collapse_rfc2231_value

from aipc_app.reader.convert.encoding import decode

_SHOWN = ("From", "Sender", "To", "Cc", "Bcc", "Date", "Subject")


def shown_headers(message: Message) -> str:
    """Who wrote to whom, when and about what; a line each, "" for a message without headers."""
    lines = []
    for name in _SHOWN:
        values = [text for value in raw_values(message, name) if (text := decoded_header(value))]
        if values:
            lines.append(f"{name}: {', '.join(values)}")
    return "\n".join(lines)


def subject(message: Message) -> str:
    return decoded_header(next(iter(raw_values(message, "Subject")), ""))


def raw_values(message: Message, name: str) -> list[str]:
    """As they stand in the message: parsing addresses would drop what is not written by the book."""
    return [str(value) for key, value in message.raw_items() if key.lower() == name.lower()]


def decoded_header(value: str) -> str:
    """One header as text on one line."""
    try:
        chunks = decode_header(value)
    except (HeaderParseError, ValueError):
        chunks = [(value, None)]
    return " ".join("".join(_text(data, charset) for data, charset in chunks).split())


def file_name(part: Message) -> str:
    """The attachment's name as given, "" for none."""
    try:
        given = part.get_param("filename", None, "content-disposition") or part.get_param("name")
        name = collapse_rfc2231_value(given) if given is not None else ""
    except (LookupError, UnicodeError, ValueError, TypeError):
        return ""
    return decoded_header(name).replace("\0", "")


def _text(data: bytes | str, charset: str | None) -> str:
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogateescape")
    if not data.strip():
        return data.decode("ascii", "replace")
    return decode(data, None if charset in (None, "unknown-8bit") else charset, strict=False).text
