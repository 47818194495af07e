"""Pictures as Windows keeps them in memory ([MS-WMF] 2.2.2.9), without the head that makes them files."""

from __future__ import annotations

import struct

_HEADERS = (12, 40, 52, 56, 64, 108, 124)  # their sizes
_BIT_FIELDS = (3, 6)
_MOST_COLOURS = 256


def bitmap(header: bytes, bits: bytes) -> bytes | None:
    """As a BMP; None where it is none. `header`: with the colours."""
    if len(header) < 16 or struct.unpack_from("<I", header)[0] not in _HEADERS:
        return None
    start = 14 + len(header)
    return b"BM" + struct.pack("<IHHI", start + len(bits), 0, 0, start) + header + bits


def packed_bitmap(data: bytes) -> bytes | None:
    """The same with header, colours and picture in one piece."""
    if len(data) < 40:
        return None
    size, depth = struct.unpack_from("<I", data)[0], struct.unpack_from("<H", data, 14)[0]
    if size < 40:
        return None
    fields, colours = struct.unpack_from("<I", data, 16)[0], struct.unpack_from("<I", data, 32)[0]
    masks = 12 if size == 40 and fields in _BIT_FIELDS else 0
    palette = 4 * (colours or (1 << depth if depth <= 8 else 0))
    head = size + masks + palette
    return bitmap(data[:head], data[head:]) if palette <= 4 * _MOST_COLOURS else None
