"""The program starts on a C library older than the build's where only a symbol's version is newer, not the function.

`hypot` got a new version in glibc 2.35, which left an old way of handling errors behind (glibc's NEWS); Python asks for
it. Its reference loses the version, so that the loader takes the one there is, and the library's demand for that
version becomes one for another version that is demanded anyway (Linux Standard Base 5.0, Symbol Versioning). A demand
that is marked as weak would do as well, but the loader complains of it at each start.
"""

from __future__ import annotations

import re
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

from building import elf

OLDEST = (2, 34)  # below it many symbols have other homes; what the window's wheels ask for, too
SAME_FUNCTION = {"hypot": "GLIBC_2.35"}
_ANY_VERSION = 1  # VER_NDX_GLOBAL
_NEED, _AUXILIARY = struct.Struct("<HHIII"), struct.Struct("<IHHII")


@dataclass(frozen=True)
class _Asked:
    """An undefined symbol and its place in the table of symbols."""

    place: int
    name: str
    version: str


def loosen(folder: Path) -> list[Path]:
    """Every ELF file under `folder` that asks for nothing newer but such symbols; returns those changed."""
    return [file.path for file in elf.compiled_in(folder) if file.glibc > OLDEST and loosen_one(file.path)]


def loosen_one(path: Path) -> bool:
    """False, and the file as it was, where something else is asked for."""
    newer = [asked for asked in _asked(path) if elf.version_of(asked.version) > OLDEST]
    if not newer or any(SAME_FUNCTION.get(asked.name) != asked.version for asked in newer):
        return False
    places = _sections(path)
    data = bytearray(path.read_bytes())
    for asked in newer:
        struct.pack_into("<H", data, places[".gnu.version"] + 2 * asked.place, _ANY_VERSION)
    if not _demand_others(data, places[".gnu.version_r"], {hashed(asked.version) for asked in newer}):
        return False
    path.write_bytes(data)
    return True


def hashed(name: str) -> int:
    """System V's hash of a name (gABI, Hash Table Section)."""
    value = 0
    for byte in name.encode("ascii"):
        value = (value << 4) + byte
        high = value & 0xF0000000
        value = (value ^ (high >> 24)) & ~high & 0xFFFFFFFF
    return value


def _demand_others(data: bytearray, start: int, versions: set[int]) -> bool:
    """In place of `versions`, of each library that they are demanded of. False where nothing else is demanded of it."""
    need = start
    while True:
        _version, count, _file, first, following = _NEED.unpack_from(data, need)
        places = [need + first]
        for _ in range(count - 1):
            places.append(places[-1] + _AUXILIARY.unpack_from(data, places[-1])[4])
        demands = {place: _AUXILIARY.unpack_from(data, place) for place in places}
        others = [demand for demand in demands.values() if demand[0] not in versions]
        for place, (hash_, flags, index, _name, after) in demands.items():
            if hash_ in versions:
                if not others:
                    return False
                _AUXILIARY.pack_into(data, place, others[0][0], flags, index, others[0][3], after)
        if not following:
            return True
        need += following


def _asked(path: Path) -> list[_Asked]:
    listing = _readelf("--dyn-syms", path)
    found = re.findall(r"^\s*(\d+): .* UND (\w+)@(GLIBC_[\d.]+)", listing, re.MULTILINE)
    return [_Asked(int(place), name, version) for place, name, version in found]


def _sections(path: Path) -> dict[str, int]:
    """Where in the file each section begins, in bytes."""
    listing = _readelf("--section-headers", path)
    found = re.findall(r"^\s*\[ *\d+\] (\S+) +\S+ +[0-9a-f]{16} ([0-9a-f]+)", listing, re.MULTILINE)
    return {name: int(offset, 16) for name, offset in found}


def _readelf(what: str, path: Path) -> str:
    return subprocess.run(["readelf", "--wide", what, path], capture_output=True, text=True, check=True).stdout
