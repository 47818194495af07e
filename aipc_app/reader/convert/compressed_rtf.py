"""Compressed RTF of Outlook messages ([MS-OXRTFCP])."""

from __future__ import annotations

import struct

from aipc_app.reader.convert.zip_guard import damaged

_HEADER = struct.Struct("<IIII")
_COMPRESSED, _PLAIN = 0x75465A4C, 0x414C454D
_WINDOW = 4096
_MAX_BYTES = 256 << 20
_START = (
    rb"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript \fdecor MS Sans"
    rb" SerifSymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0"
    b"\r\n"
    rb"\par \pard\plain\f0\fs20\b\i\u\tab\tx"
)


def decompress(data: bytes) -> bytes:
    """Raises ReadingError (damaged). What is cut off gives what there is."""
    if len(data) < _HEADER.size:
        raise damaged()
    _size, raw_size, kind, _checksum = _HEADER.unpack_from(data)
    if kind == _PLAIN:
        return data[_HEADER.size : _HEADER.size + raw_size]
    if kind != _COMPRESSED or raw_size > _MAX_BYTES:
        raise damaged()
    return _unpacked(data, raw_size)


def _unpacked(data: bytes, raw_size: int) -> bytes:
    window = bytearray(_START.ljust(_WINDOW, b"\0"))
    write, at, out = len(_START), _HEADER.size, bytearray()
    while at < len(data) and len(out) < raw_size:
        flags = data[at]
        at += 1
        for bit in range(8):
            if flags >> bit & 1:
                if at + 1 >= len(data):
                    return bytes(out)
                word = data[at] << 8 | data[at + 1]
                at += 2
                start, length = word >> 4, (word & 15) + 2
                if start == write % _WINDOW:
                    return bytes(out)
                piece = [_copy(window, start + step, write + step) for step in range(length)]
                write += length
                out += bytes(piece)
            elif at < len(data):
                window[write % _WINDOW] = data[at]
                out.append(data[at])
                write += 1
                at += 1
    return bytes(out)


def _copy(window: bytearray, source: int, target: int) -> int:
    """Byte by byte: what is copied may be among what is being written."""
    byte = window[source % _WINDOW]
    window[target % _WINDOW] = byte
    return byte
