"""ZIP entries protected by AES (WinZip's AE-1 and AE-2), which most programs write today.

https://www.winzip.com/en/support/aes-encryption/
"""

from __future__ import annotations

import bz2
import hashlib
import hmac
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from aipc_app.reader.convert.archive import WRONG
from aipc_app.reader.convert.zip_guard import damaged
from aipc_app.reader.failure import FailureKind, ReadingError

AES_METHOD = 99
_KEY_BYTES = {1: 16, 2: 24, 3: 32}
_ROUNDS = 1000
_MAC_BYTES = 10
_PIECE = 1 << 16


def open_aes(path: Path, info: zipfile.ZipInfo, password: str) -> Iterator[bytes]:
    """The unpacked bytes piece by piece. Raises ReadingError: password, damaged."""
    key_bytes, method = _parameters(info)
    with path.open("rb") as file:
        file.seek(info.header_offset)
        header = file.read(30)
        if len(header) < 30 or header[:4] != b"PK\x03\x04":
            raise damaged()
        name_bytes, extra_bytes = struct.unpack_from("<HH", header, 26)
        file.seek(name_bytes + extra_bytes, 1)
        salt, check = file.read(key_bytes // 2), file.read(2)
        keys = hashlib.pbkdf2_hmac("sha1", password.encode(), salt, _ROUNDS, 2 * key_bytes + 2)
        if keys[-2:] != check:
            raise ReadingError(FailureKind.PASSWORD, WRONG)
        left = info.compress_size - len(salt) - 2 - _MAC_BYTES
        yield from _unpacked(_decrypted(file, left, keys[:key_bytes], keys[key_bytes:-2]), method, info.file_size)


def _parameters(info: zipfile.ZipInfo) -> tuple[int, int]:
    """Length of the key and how it is packed, from the extra field 0x9901."""
    extra, at = info.extra, 0
    while at + 4 <= len(extra):
        kind, size = struct.unpack_from("<HH", extra, at)
        if kind == 0x9901 and size >= 7 and at + 11 <= len(extra):
            strength, method = struct.unpack_from("<BH", extra, at + 8)
            if strength in _KEY_BYTES:
                return _KEY_BYTES[strength], method
        at += 4 + size
    raise damaged()


def _decrypted(file: Any, left: int, key: bytes, mac_key: bytes) -> Iterator[bytes]:
    """AES in counter mode, its counter little-endian from 1, which libraries don't offer: block by block as ECB."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    encryptor = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    mac, counter = hmac.new(mac_key, digestmod="sha1"), 1
    while left > 0:
        piece = file.read(min(left, _PIECE))
        if not piece:
            raise damaged()
        left -= len(piece)
        mac.update(piece)
        blocks = -(-len(piece) // 16)
        pad = encryptor.update(b"".join((counter + i).to_bytes(16, "little") for i in range(blocks)))
        counter += blocks
        yield (int.from_bytes(piece, "big") ^ int.from_bytes(pad[: len(piece)], "big")).to_bytes(len(piece), "big")
    if mac.digest()[:_MAC_BYTES] != file.read(_MAC_BYTES):
        raise damaged()


def _unpacked(pieces: Iterator[bytes], method: int, size: int) -> Iterator[bytes]:
    if method not in (0, 8, 12):
        raise damaged()
    inflater: Any = {8: lambda: zlib.decompressobj(-15), 12: bz2.BZ2Decompressor}.get(method, _Stored)()
    written = 0
    for piece in pieces:
        try:
            plain = inflater.decompress(piece)
        except (zlib.error, OSError, EOFError, lzma.LZMAError) as error:
            raise damaged() from error
        written += len(plain)
        if written > size:
            raise damaged()
        yield plain


class _Stored:
    def decompress(self, piece: bytes) -> bytes:
        return piece
