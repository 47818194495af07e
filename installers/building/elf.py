"""What compiled files ask of the system they run on, as readelf tells."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

# What every desktop has: the C library is never carried, and a loader of GPU drivers is only of use with drivers.
OF_THE_SYSTEM = frozenset(
    [
        "libc.so.6",
        "libm.so.6",
        "libdl.so.2",
        "libpthread.so.0",
        "librt.so.1",
        "libutil.so.1",
        "libresolv.so.2",
        "libanl.so.1",
        "ld-linux-x86-64.so.2",
        "ld-linux-aarch64.so.1",
        "libstdc++.so.6",
        "libgcc_s.so.1",
        "libvulkan.so.1",
    ]
)
_AT_ONCE = 200


@dataclass(frozen=True)
class Compiled:
    """An ELF file: the libraries it names, where it looks for them, and the C library it was linked against."""

    path: Path
    needed: frozenset[str]
    looks_in: tuple[str, ...]
    glibc: tuple[int, ...]


def is_elf(path: Path) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def compiled_in(folder: Path) -> list[Compiled]:
    """Every ELF file under the folder."""
    return read([path for path in sorted(folder.rglob("*")) if is_elf(path)])


def read(paths: Sequence[Path]) -> list[Compiled]:
    """What readelf says of each, in order. Raises CalledProcessError where readelf is missing or fails."""
    found = []
    for start in range(0, len(paths), _AT_ONCE):
        some = paths[start : start + _AT_ONCE]
        # readelf names the files only when there are several
        listing = subprocess.run(
            ["readelf", "--wide", "--dynamic", "--version-info", *map(str, some), "/bin/true"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        parts = re.split(r"^File: .*$", listing, flags=re.MULTILINE)[1:]
        found += [_parsed(path, part) for path, part in zip(some, parts, strict=False)]
    return found


def _parsed(path: Path, listing: str) -> Compiled:
    runpath = re.search(r"\((?:RUNPATH|RPATH)\)\s+Library [a-z]+: \[(.*)\]", listing)
    versions = re.findall(r"Name: (GLIBC_[\d.]+)", listing)
    return Compiled(
        path=path,
        needed=frozenset(re.findall(r"\(NEEDED\)\s+Shared library: \[(.*)\]", listing)),
        looks_in=tuple(filter(None, runpath[1].split(":"))) if runpath else (),
        glibc=max(map(version_of, versions), default=()),
    )


def version_of(name: str) -> tuple[int, ...]:
    """(2, 35) of "GLIBC_2.35"."""
    return tuple(map(int, name.removeprefix("GLIBC_").split(".")))


@cache
def _known_to_the_loader() -> dict[str, Path]:
    listing = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    lines = re.findall(r"^\s+(\S+) \(libc6,(?:x86-64|AArch64)[^)]*\) => (\S+)", listing, flags=re.MULTILINE)
    found: dict[str, Path] = {}
    for name, path in lines:
        found.setdefault(name, Path(path))
    return found


def on_this_system(name: str) -> Path:
    """The file of a library. Raises FileNotFoundError with what to do."""
    path = _known_to_the_loader().get(name)
    if path is None:
        raise FileNotFoundError(f"The library {name} is needed and not on this system; 'make setup' as root brings it.")
    return path.resolve()


def with_dependencies(names: Iterable[str]) -> dict[str, Path]:
    """The libraries and all that they need, but what every system has; what is needed stands before what needs it."""
    ordered: dict[str, Path] = {}

    def visit(name: str, above: tuple[str, ...]) -> None:
        if name in OF_THE_SYSTEM or name in ordered or name in above:
            return
        path = on_this_system(name)
        for dependency in sorted(read([path])[0].needed):
            visit(dependency, (*above, name))
        ordered[name] = path

    for name in sorted(names):
        visit(name, ())
    return ordered
