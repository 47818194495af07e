"""Files written into the text of a mail, as programs did before MIME: uuencode and yEnc."""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass

_UU = re.compile(
    rb"^begin [0-7]{3,4} (?P<name>[^\r\n]{1,200})\r?\n(?P<data>(?:[ -`]{1,86}\r?\n)+)end\r?$", re.MULTILINE
)
_YENC = re.compile(
    rb"^=ybegin [^\r\n]*name=(?P<name>[^\r\n]{1,200})\r?\n(?:=ypart [^\r\n]*\r?\n)?(?P<data>.*?)^=yend[^\r\n]*\r?$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class InlineFile:
    name: bytes
    data: bytes


def split_inline_files(text: bytes) -> tuple[bytes, list[InlineFile]]:
    """The text without the files in it, and the files."""
    files = [*_found(text)]
    if not files:
        return text, []
    return _YENC.sub(b"", _UU.sub(b"", text)), files


def _found(text: bytes) -> Iterator[InlineFile]:
    for match in _UU.finditer(text) if b"begin " in text else ():
        lines = match["data"].splitlines()
        yield InlineFile(match["name"], b"".join(_uu_line(line) for line in lines))
    for match in _YENC.finditer(text) if b"=ybegin" in text else ():
        yield InlineFile(match["name"], _yenc(match["data"]))


def _uu_line(line: bytes) -> bytes:
    try:
        return binascii.a2b_uu(line)
    except binascii.Error:  # encoders that pad wrongly
        length = (((line[0] - 32) & 63) * 4 + 5) // 3
        try:
            return binascii.a2b_uu(line[:length])
        except binascii.Error:
            return b""


def _yenc(data: bytes) -> bytes:
    plain = data.replace(b"\r", b"").replace(b"\n", b"")
    escaped = re.sub(rb"=(.)", lambda match: bytes(((match[1][0] - 64) & 255,)), plain, flags=re.DOTALL)
    return bytes((byte - 42) & 255 for byte in escaped)
