"""A protected RAR archive written again without its protection, so that libarchive, which knows none, can unpack it.

What is packed stays packed; only AES is taken off. RAR 5: the format's technical note (rarlab.com/technote.htm);
RAR 3: headers as in libarchive's own reader, keys as rarfile makes them. Files are called 1, 2 … in the copy.
"""

from __future__ import annotations

import hashlib
import shutil
import struct
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from aipc_app.reader.convert.archive import locked_archive, wrong_archive_password
from aipc_app.reader.convert.zip_guard import damaged
from aipc_app.reader.failure import FailureKind, ReadingError

_SIGNATURE_5, _SIGNATURE_3 = b"Rar!\x1a\x07\x01\x00", b"Rar!\x1a\x07\x00"
_MOST_ROUNDS = 24  # a power of two
_CHECK_BYTES = 8
_LAST_BLOCK = 0x40
_TWEAKED = 2  # the checksum is one of the password too
_STORED_5, _STORED_3 = 0, 0x30
_SOLID_3, _WINDOW_3, _LONG_3 = 0x10, 0xE0, 0x8000
_AES_FROM_3 = 29  # older versions have a cipher of their own
_BLOCK = 1 << 20
_OLD = "This RAR archive is protected in an old way that can't be opened here; unpack it and add the folder."


def write_plain(path: Path, infos: Sequence[Any], password: str, target: BinaryIO, scratch: BinaryIO) -> None:
    """Copy the files named by rarfile's `infos`, in their order; `scratch` is for one at a time.

    Raises ReadingError: password, unsupported, damaged.
    """
    is_5 = hasattr(infos[0], "file_compress_flags")
    solid = any(_is_solid(info, is_5) for info in infos)
    target.write(_SIGNATURE_5 + _block_5(1, 0, _number(4 if solid else 0)) if is_5 else _start_3(solid))
    with path.open("rb") as archive:
        for number, info in enumerate(infos, 1):
            archive.seek(info.data_offset)
            cipher = (_cipher_5 if is_5 else _cipher_3)(info, password)
            scratch.seek(0)
            scratch.truncate()
            for block in _decrypted(archive, info.add_size, cipher):
                scratch.write(block)
            if cipher is not None:
                scratch.truncate(_size(info, scratch, is_5))
            scratch.seek(0)
            target.write((_file_5 if is_5 else _file_3)(info, str(number), scratch.seek(0, 2)))
            scratch.seek(0)
            shutil.copyfileobj(scratch, target, _BLOCK)
    target.write(_block_5(5, 0, _number(0)) if is_5 else _block_3(0x7B, 0x4000, b""))


def is_plain_checksum(info: Any) -> bool:
    """Whether the checksum is that of the bytes, and not of the password too."""
    tweaked = hasattr(info, "file_encryption") and info.file_encryption[1] & _TWEAKED
    return info.CRC is not None and not tweaked


def _is_solid(info: Any, is_5: bool) -> bool:
    return bool(info.file_compress_flags & 0x40 if is_5 else info.flags & _SOLID_3)


def _size(info: Any, packed: BinaryIO, is_5: bool) -> int:
    """Of the packed data: AES filled it up to whole blocks, which RAR 3 passes over and RAR 5 takes for data."""
    stored = (info.file_compress_flags >> 7) & 7 == _STORED_5 if is_5 else info.compress_type == _STORED_3
    if stored:
        return int(info.file_size)
    return _end_of_blocks(packed) if is_5 else int(info.add_size)


def _end_of_blocks(packed: BinaryIO) -> int:
    """Where the last block of RAR 5's packed data ends: flags, checksum, one to three bytes of size, then the block."""
    at = 0
    while True:
        packed.seek(at)
        head = packed.read(5)
        width = (head[0] >> 3 & 3) + 1 if len(head) > 2 else 4
        size = head[2 : 2 + width]
        check = 0x5A
        for byte in (*head[:1], *size):
            check ^= byte
        if width > 3 or len(size) < width or check != head[1]:
            raise wrong_archive_password()
        at += 2 + width + int.from_bytes(size, "little")
        if head[0] & _LAST_BLOCK:
            return at


def _decrypted(archive: BinaryIO, left: int, cipher: Any) -> Iterator[bytes]:
    while left > 0:
        block = archive.read(min(_BLOCK, left))
        if not block:
            raise damaged()
        left -= len(block)
        yield block if cipher is None else cipher.update(block)


def _cipher_5(info: Any, password: str) -> Any:
    algorithm, flags, rounds, salt, vector, check = info.file_encryption
    if not salt:
        return None
    if algorithm or rounds > _MOST_ROUNDS or (check is None and flags & _TWEAKED):
        raise locked_archive()
    secret = password.encode()
    if check is not None and check[:_CHECK_BYTES] != _check_value(secret, salt, 1 << rounds):
        raise wrong_archive_password()
    return _aes(hashlib.pbkdf2_hmac("sha256", secret, salt, 1 << rounds), vector)


def _check_value(secret: bytes, salt: bytes, rounds: int) -> bytes:
    long = hashlib.pbkdf2_hmac("sha256", secret, salt, rounds + 32)
    value = bytearray(_CHECK_BYTES)
    for i, byte in enumerate(long):
        value[i % _CHECK_BYTES] ^= byte
    return bytes(value)


def _cipher_3(info: Any, password: str) -> Any:
    if not info.needs_password():
        return None
    if info.extract_version < _AES_FROM_3 or info.salt is None:
        raise ReadingError(FailureKind.UNSUPPORTED, _OLD)
    import rarfile

    return _aes(*rarfile.rar3_s2k(password, info.salt))


def _aes(key: bytes, vector: bytes) -> Any:
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    return Cipher(algorithms.AES(key), modes.CBC(vector)).decryptor()


def _file_5(info: Any, name: str, size: int) -> bytes:
    """The checksum is left out where it is the password's too."""
    has_crc = is_plain_checksum(info)
    body = _number(4 if has_crc else 0) + _number(info.file_size) + _number(0o100644)
    body += struct.pack("<I", info.CRC) if has_crc else b""
    body += _number(info.file_compress_flags) + _number(1) + _number(len(name)) + name.encode()
    return _block_5(2, 2, body, size)


def _block_5(kind: int, flags: int, body: bytes, data: int = 0) -> bytes:
    inner = _number(kind) + _number(flags) + (_number(data) if flags & 2 else b"") + body
    sized = _number(len(inner)) + inner
    return struct.pack("<I", zlib.crc32(sized)) + sized


def _number(value: int) -> bytes:
    """Seven bits a byte, the lowest first."""
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def _start_3(solid: bool) -> bytes:
    return _SIGNATURE_3 + _block_3(0x73, 8 if solid else 0, bytes(6))


def _file_3(info: Any, name: str, size: int) -> bytes:
    flags = _LONG_3 | (info.flags & (_SOLID_3 | _WINDOW_3))
    body = struct.pack("<IIBIIBBHI", size, info.file_size, 3, info.CRC or 0, 0, info.extract_version,
                       info.compress_type, len(name), 0o100644)  # fmt: skip
    return _block_3(0x74, flags, body + name.encode())


def _block_3(kind: int, flags: int, body: bytes) -> bytes:
    rest = struct.pack("<BHH", kind, flags, 7 + len(body)) + body
    return struct.pack("<H", zlib.crc32(rest) & 0xFFFF) + rest
