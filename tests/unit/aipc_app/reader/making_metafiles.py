"""Small drawings of Windows with known words and bitmaps ([MS-EMF], [MS-WMF])."""

from __future__ import annotations

import io
import struct
from collections.abc import Sequence

from PIL import Image

Placed = tuple[str, int, int]  # text, x, y


def emf(texts: Sequence[Placed] = (), bitmaps: Sequence[Image.Image] = (), extra: bytes = b"") -> bytes:
    """Each character of a text is 10 units wide. `extra`: records before them."""
    records = extra + b"".join(emf_text(*one) for one in texts) + b"".join(map(_emf_bitmap, bitmaps))
    head = struct.pack("<16x16x4sIIIHH16x24x", b" EMF", 0x10000, 0, 0, 0, 0)
    return emf_record(1, head) + records + emf_record(14, bytes(12))


def emf_record(kind: int, content: bytes) -> bytes:
    content = content.ljust(-(-len(content) // 4) * 4, b"\0")
    return struct.pack("<II", kind, 8 + len(content)) + content


def emf_text(text: str, x: int, y: int, options: int = 0) -> bytes:
    raw = text.encode("utf-16-le")
    padded = raw.ljust(-(-len(raw) // 4) * 4, b"\0")
    count = len(raw) // 2
    placed = struct.pack("<iiIII16xI", x, y, count, 76, options, 76 + len(padded))
    widths = struct.pack(f"<{count}i", *[10] * count)
    return emf_record(84, struct.pack("<16xIff", 1, 1.0, 1.0) + placed + padded + widths)


def _emf_bitmap(picture: Image.Image) -> bytes:
    head, bits = dib(picture)
    offsets = struct.pack("<4I", 80, len(head), 80 + len(head), len(bits))
    return emf_record(81, bytes(40) + offsets + bytes(16) + head + bits)


def dib(picture: Image.Image) -> tuple[bytes, bytes]:
    """Header and rows, as Windows keeps a picture in memory."""
    buffer = io.BytesIO()
    picture.save(buffer, "BMP")
    data = buffer.getvalue()
    (start,) = struct.unpack_from("<I", data, 10)
    return data[14:start], data[start:]


def wmf(texts: Sequence[Placed] = (), bitmaps: Sequence[Image.Image] = (), charset: int = 134) -> bytes:
    """Placeable; texts in the charset of one font, each byte 5 units wide."""
    font = _wmf_record(0x02FB, struct.pack("<5h8B", -10, 0, 0, 0, 400, 0, 0, 0, charset, 0, 0, 0, 0) + b"SimSun\0\0")
    records = font + _wmf_record(0x012D, struct.pack("<H", 0))
    records += b"".join(_wmf_text(*one) for one in texts)
    records += b"".join(_wmf_record(0x0F43, bytes(22) + b"".join(dib(one))) for one in bitmaps)
    return b"\xd7\xcd\xc6\x9a" + bytes(18) + struct.pack("<HHHIHIH", 1, 9, 0x300, 0, 1, 0, 0) + records + _wmf_record(0)


def _wmf_text(text: str, x: int, y: int) -> bytes:
    raw = text.encode("gb18030")
    padded = raw.ljust(len(raw) + len(raw) % 2, b"\0")
    widths = struct.pack(f"<{len(raw)}h", *[5] * len(raw))
    return _wmf_record(0x0A32, struct.pack("<hhHH", y, x, len(raw), 0) + padded + widths)


def _wmf_record(kind: int, content: bytes = b"") -> bytes:
    content = content.ljust(len(content) + len(content) % 2, b"\0")
    return struct.pack("<IH", 3 + len(content) // 2, kind) + content
