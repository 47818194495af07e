"""Mailboxes in one file (mbox): a page that lists the messages, each of them a document of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import BinaryIO

from aipc_app.reader.convert.archive import Archive, Entry
from aipc_app.reader.convert.base import Content, Member, Source, read_bytes
from aipc_app.reader.convert.mail import parsed
from aipc_app.reader.convert.mail_headers import subject

_START = re.compile(rb"^From [^\r\n]*\r?\n(?=[\w-]+:)", re.MULTILINE)
_HEAD_BYTES = 20_000


@contextmanager
def convert(source: Source) -> Iterator[Content]:
    """Raises ReadingError: limit."""
    data = read_bytes(source)
    starts = [(match.start(), match.end()) for match in _START.finditer(data)]
    ends = [start for start, _ in starts[1:]] + [len(data)]
    yield Archive(
        [_entry(data[start:end], at) for at, ((_, start), end) in enumerate(zip(starts, ends, strict=True), 1)]
    )


def _entry(message: bytes, number: int) -> Entry:
    about = subject(parsed(message[:_HEAD_BYTES])).replace("/", "_").replace("\\", "_")[:100]
    return Entry(Member(f"{number} {about}".strip() + ".eml", partial(_write, message)), len(message))


def _write(message: bytes, file: BinaryIO) -> None:
    file.write(message.replace(b"\n>From ", b"\nFrom "))
