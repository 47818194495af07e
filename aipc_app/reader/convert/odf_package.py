"""An OpenDocument package, its parts decrypted where it is protected by a password.

OpenDocument 1.2 part 3, chapter 3: AES-CBC with a key by PBKDF2, as LibreOffice before 24.8 and WPS write it.
"""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from aipc_app.reader.convert.base import Source
from aipc_app.reader.convert.passwords import password_needed, protection_unknown, wrong_password
from aipc_app.reader.convert.xml_tree import Element, attribute, child, children, number, parse
from aipc_app.reader.convert.zip_guard import MAX_PART_BYTES, GuardedZip, damaged, open_zip

_MANIFEST = "META-INF/manifest.xml"
_KEY_BYTES = (16, 24, 32)
_MAX_ITERATIONS = 10_000_000
_CHECKED_BYTES = 1024


class Package(Protocol):
    """Parts by name, None for one that isn't there. Raises ReadingError: damaged, limit."""

    def read(self, name: str) -> bytes | None: ...

    def pictures(self, folder: str) -> int: ...


@contextmanager
def decrypted_zip(source: Source) -> Iterator[Package]:
    """Raises ReadingError: damaged, limit, password, unsupported (a protection that is not known)."""
    with open_zip(source.path) as archive:
        if archive.read("encrypted-package") is not None:
            raise protection_unknown()
        manifest = archive.read(_MANIFEST)
        if manifest is None or b"encryption-data" not in manifest:
            yield archive
            return
        if source.password is None:
            raise password_needed()
        yield _Decrypted(archive, parse(manifest), source.password)


@dataclass(frozen=True)
class _Decrypted:
    archive: GuardedZip
    manifest: Element
    password: str

    def read(self, name: str) -> bytes | None:
        data = self.archive.read(name)
        entry = next((e for e in children(self.manifest, "file-entry") if attribute(e, "full-path") == name), None)
        protection = child(entry, "encryption-data")
        return data if data is None or protection is None else _decrypted(data, protection, self.password)

    def pictures(self, folder: str) -> int:
        return self.archive.pictures(folder)


def _decrypted(data: bytes, protection: Element, password: str) -> bytes:
    algorithm, derivation = child(protection, "algorithm"), child(protection, "key-derivation")
    if not (attribute(algorithm, "algorithm-name") or "").lower().endswith("cbc"):
        raise protection_unknown()
    key = _key(derivation, child(protection, "start-key-generation"), password)
    plain = _aes_cbc(data, key, _bytes(algorithm, "initialisation-vector"))
    checksum, kind = _bytes(protection, "checksum"), (attribute(protection, "checksum-type") or "").lower()
    digest = hashlib.sha256 if "sha256" in kind else hashlib.sha1
    unpadded = plain[: -plain[-1]] if plain and 1 <= plain[-1] <= 16 else plain
    if checksum not in (digest(unpadded[:_CHECKED_BYTES]).digest(), digest(plain[:_CHECKED_BYTES]).digest()):
        raise wrong_password()
    return _inflated(plain)


def _key(derivation: Element | None, start: Element | None, password: str) -> bytes:
    rounds, size = number(attribute(derivation, "iteration-count"), 1024), number(attribute(derivation, "key-size"), 16)
    name = (attribute(start, "start-key-generation-name") or "sha1").lower()
    if size not in _KEY_BYTES or not 0 < rounds <= _MAX_ITERATIONS:
        raise protection_unknown()
    digest = hashlib.sha256 if "sha256" in name else hashlib.sha1
    first = digest(password.encode()).digest()
    return hashlib.pbkdf2_hmac("sha1", first, _bytes(derivation, "salt"), rounds, size)


def _aes_cbc(data: bytes, key: bytes, vector: bytes) -> bytes:
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    if len(vector) != 16 or len(data) % 16:
        raise damaged()
    decryptor = Cipher(algorithms.AES(key), modes.CBC(vector)).decryptor()
    return bytes(decryptor.update(data) + decryptor.finalize())


def _inflated(data: bytes) -> bytes:
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        plain = inflater.decompress(data, MAX_PART_BYTES)
    except zlib.error as error:
        raise damaged() from error
    return plain


def _bytes(element: Element | None, name: str) -> bytes:
    try:
        return base64.b64decode(attribute(element, name) or "", validate=True)
    except ValueError as error:
        raise damaged() from error
