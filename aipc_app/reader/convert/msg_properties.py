"""MAPI properties of an Outlook message, recipient or attachment ([MS-OXMSG] 2.1 to 2.4)."""

from __future__ import annotations

import struct
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, TypeAlias

from aipc_app.reader.convert.encoding import decode

Ole: TypeAlias = Any  # olefile has no type hints
_UNICODE, _ANSI, _BINARY = 0x001F, 0x001E, 0x0102
_CODE_PAGE, _MESSAGE_CODE_PAGE = 0x3FDE, 0x3FFD
_EPOCH = datetime(1601, 1, 1)
_CODECS = {65001: "utf-8", 936: "gb18030", 54936: "gb18030", 20936: "gb18030", 950: "cp950", 20127: "ascii",
           50220: "iso-2022-jp", 50221: "iso-2022-jp", 50222: "iso-2022-jp", 51949: "euc-kr", 20866: "koi8-r",
           28591: "latin-1", 1200: "utf-16-le"}  # fmt: skip


class Folder:
    """A storage in the file, with the storages and streams right in it."""

    def __init__(self, ole: Ole, path: tuple[str, ...]) -> None:
        self._ole, self._path = ole, path

    def folders(self, prefix: str) -> list[Folder]:
        """Those whose names begin so, in the order of their numbers."""
        depth = len(self._path)
        names = {
            entry[depth]
            for entry in self._ole.listdir(streams=True, storages=True)
            if len(entry) > depth and tuple(entry[:depth]) == self._path and entry[depth].startswith(prefix)
        }
        return [Folder(self._ole, (*self._path, name)) for name in sorted(names)]

    def folder(self, name: str) -> Folder | None:
        path = [*self._path, name]
        known = self._ole.exists(path) and self._ole.get_type(path) == 1
        return Folder(self._ole, tuple(path)) if known else None

    def has_stream(self, name: str) -> bool:
        return bool(self._ole.exists([*self._path, name]))

    def stream(self, name: str) -> bytes | None:
        path = [*self._path, name]
        if not self._ole.exists(path) or self._ole.get_type(path) != 2:
            return None
        data: bytes = self._ole.openstream(path).read()
        return data


class Properties:
    """By property id, whatever type each is stored as."""

    def __init__(self, folder: Folder, *, header_bytes: int) -> None:
        self._folder = folder
        self._fixed = _fixed_values((folder.stream("__properties_version1.0") or b"")[header_bytes:])

    @cached_property
    def code_page(self) -> str | None:
        """The encoding of strings that are not Unicode, by the message's own word."""
        page = self.number(_CODE_PAGE) or self.number(_MESSAGE_CODE_PAGE)
        name = _CODECS.get(page, f"cp{page}")
        try:
            b"".decode(name)
        except LookupError:
            return None
        return name

    def text(self, id_: int) -> str:
        wide = self._stream(id_, _UNICODE)
        if wide is not None:
            return wide.decode("utf-16-le", "replace").rstrip("\0")
        narrow = self._stream(id_, _ANSI)
        return decode(narrow, self.code_page, strict=False).text.rstrip("\0") if narrow else ""

    def data(self, id_: int) -> bytes | None:
        return self._stream(id_, _BINARY)

    def number(self, id_: int) -> int:
        value: int = struct.unpack("<i", self._fixed.get(id_, bytes(8))[:4])[0]
        return value

    def time(self, id_: int) -> datetime | None:
        """In UTC, without saying so."""
        (ticks,) = struct.unpack("<Q", self._fixed.get(id_, bytes(8)))
        try:
            return _EPOCH + timedelta(microseconds=ticks // 10) if ticks else None
        except OverflowError:
            return None

    def _stream(self, id_: int, kind: int) -> bytes | None:
        return self._folder.stream(f"__substg1.0_{id_:04X}{kind:04X}")


def _fixed_values(data: bytes) -> dict[int, bytes]:
    """Eight bytes a property, by id."""
    found = {}
    for at in range(0, len(data) - 15, 16):
        (tag,) = struct.unpack_from("<I", data, at)
        found[tag >> 16] = data[at + 8 : at + 16]
    return found
