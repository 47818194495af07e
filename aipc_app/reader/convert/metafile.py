"""Drawings of Windows (EMF, WMF, also packed) inside office files: the words they write, the bitmaps they hold."""

from __future__ import annotations

import re
import zlib

from aipc_app.reader.convert.drawing import Drawing
from aipc_app.reader.convert.emf import read_emf
from aipc_app.reader.convert.escher import inflated
from aipc_app.reader.convert.wmf import read_wmf

_GZIP, _PLACEABLE, _PLACEABLE_BYTES = b"\x1f\x8b", b"\xd7\xcd\xc6\x9a", 22
_PLAIN_WMF = re.compile(rb"[\x01\x02]\x00\x09\x00\x00[\x01\x03]", re.DOTALL)


def read_metafile(data: bytes) -> Drawing | None:
    """What is drawn; None when `data` is no such drawing. Damage ends it where it begins."""
    if data[:2] == _GZIP:
        data = inflated(data, zlib.MAX_WBITS | 16) or b""
    if data[:4] == b"\1\0\0\0" and data[40:44] == b" EMF":
        return read_emf(data)
    if data[:4] == _PLACEABLE:
        return read_wmf(data[_PLACEABLE_BYTES:])
    return read_wmf(data) if _PLAIN_WMF.match(data) else None
