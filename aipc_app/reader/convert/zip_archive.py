"""ZIP archives, with names in the encodings that Chinese programs wrote, and both kinds of passwords."""

from __future__ import annotations

import stat
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import BinaryIO

from aipc_app.reader.convert.archive import LINK, LOCKED, WRONG, Archive, Entry, too_many
from aipc_app.reader.convert.base import Content, Member, Source
from aipc_app.reader.convert.encoding import decode
from aipc_app.reader.convert.zip_aes import AES_METHOD, open_aes
from aipc_app.reader.convert.zip_guard import MAX_RATIO, damaged, sorted_errors
from aipc_app.reader.failure import FailureKind, ReadingError

_UTF8, _ENCRYPTED = 0x800, 0x1
_MAX_ENTRIES = 100_000  # folders too
_PIECE = 1 << 20
_RATIO_FROM_BYTES = 256 << 20
_BOMB = "It unpacks to far more than a file holds; as a precaution it was not taken in."
_METHOD = "It is packed in a way that can't be read here; unpack the archive and add the folder."


@contextmanager
def convert(source: Source) -> Iterator[Content]:
    """Raises ReadingError: damaged, limit; password when every file in it is protected and none was given."""
    try:
        archive = zipfile.ZipFile(source.path)
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        raise damaged() from error
    with archive:
        infos = archive.infolist()
        if len(infos) > _MAX_ENTRIES:
            raise too_many()
        files = [info for info in infos if not info.is_dir()]
        if files and source.password is None and all(info.flag_bits & _ENCRYPTED for info in files):
            raise ReadingError(FailureKind.PASSWORD, "This archive is protected; add it again with its password.")
        names = _names(files)
        yield Archive([_entry(archive, info, name, source) for info, name in zip(files, names, strict=True)])


def _names(infos: Sequence[zipfile.ZipInfo]) -> list[str]:
    """Without a flag the bytes may be of any charset; all names together tell which."""
    raw = [b"" if info.flag_bits & _UTF8 else _raw(info) for info in infos]
    codec = decode(b"\n".join(name for name in raw if name), strict=False).encoding if any(raw) else "utf-8"
    return [
        name.decode(codec, "replace") if name else info.orig_filename for name, info in zip(raw, infos, strict=True)
    ]


def _raw(info: zipfile.ZipInfo) -> bytes:
    try:
        return info.orig_filename.encode("cp437")
    except UnicodeEncodeError:
        return info.orig_filename.encode("utf-8")


def _entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str, source: Source) -> Entry:
    problem = _problem(info, source.password)
    write = None if problem else partial(_write, archive, info, source)
    return Entry(Member(name, write, problem), info.file_size)


def _problem(info: zipfile.ZipInfo, password: str | None) -> str:
    if stat.S_ISLNK(info.external_attr >> 16):
        return LINK
    if info.flag_bits & _ENCRYPTED and password is None:
        return LOCKED
    if info.file_size > _RATIO_FROM_BYTES and info.file_size > MAX_RATIO * max(1, info.compress_size):
        return _BOMB
    return ""


def _write(archive: zipfile.ZipFile, info: zipfile.ZipInfo, source: Source, file: BinaryIO) -> None:
    with sorted_errors():
        if info.compress_type == AES_METHOD:
            for piece in open_aes(source.path, info, source.password or ""):
                file.write(piece)
            return
        for password in _passwords(info, source.password):
            try:
                with archive.open(info, pwd=password) as member:
                    _copy(member, file, info.file_size)
                return
            except NotImplementedError as error:
                raise ReadingError(FailureKind.UNSUPPORTED, _METHOD) from error
            except RuntimeError as error:
                if not info.flag_bits & _ENCRYPTED:
                    raise damaged() from error
        raise ReadingError(FailureKind.PASSWORD, WRONG)


def _passwords(info: zipfile.ZipInfo, password: str | None) -> list[bytes | None]:
    """Old programs took the password's bytes in the system's own charset."""
    if not info.flag_bits & _ENCRYPTED or password is None:
        return [None]
    return list(dict.fromkeys(password.encode(codec, "replace") for codec in ("utf-8", "gb18030")))


def _copy(member: object, file: BinaryIO, size: int) -> None:
    """What unpacks to more than it says is a bomb."""
    left = size
    while piece := member.read(_PIECE):  # type: ignore[attr-defined]
        left -= len(piece)
        if left < 0:
            raise damaged()
        file.write(piece)
