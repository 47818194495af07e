"""What must come from the operating system: shared libraries for Qt and RAR, a Chinese font, a compiler.

Each need is tested by what it is for (does the loader know the library?), not by asking a package manager
whether a name is installed, so that the test means the same on every Linux.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from setting_up import say
from setting_up.say import SetupError

# What Qt's libraries and its xcb and wayland plugins link to and a minimal Debian or Ubuntu lacks.
LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libarchive.so.13": "libarchive13",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
}
CJK_FONT_FILES = ("*CJK*", "wqy-*", "*SourceHan*")


@dataclass(frozen=True)
class Missing:
    """Something the system lacks: Debian's name for it, a person's, and whether there is no going on."""

    package: str
    what: str
    essential: bool = False


def find_missing(*, compiling: bool) -> tuple[Missing, ...]:
    """Everything that is lacking; a compiler and its helpers only count when something must be compiled."""
    missing = list(missing_libraries(known_libraries()))
    if not has_chinese_font():
        missing.append(Missing("fonts-noto-cjk", "a font with Chinese characters"))
    if sys.platform == "linux" and shutil.which("strace") is None:
        missing.append(Missing("strace", "strace, for the test that no process opens an internet socket"))
    if sys.platform == "linux" and shutil.which("dbus-daemon") is None:
        missing.append(Missing("dbus", "dbus-daemon, for the tests of keeping the PC awake"))
    if importlib.util.find_spec("ensurepip") is None:
        missing.append(Missing(f"{_python()}-venv", "Python's venv module", essential=True))
    if compiling:
        missing += _missing_for_compiling()
    return tuple(missing)


def provide(log: Path, *, compiling: bool) -> None:
    """Install what is missing when we may, and say what to install of the rest.

    Raises SetupError if something essential stays missing."""
    missing = find_missing(compiling=compiling)
    if missing and _may_install():
        say.step(f"Installing system packages: {' '.join(need.package for need in missing)}")
        _apt_get_install([need.package for need in missing], log)
        missing = find_missing(compiling=compiling)
    if not missing:
        return
    for line in advice(missing, apt=shutil.which("apt-get") is not None):
        say.detail(line)
    if essential := [need.what for need in missing if need.essential]:
        raise SetupError(
            f"AIPC can't be set up without {' and '.join(essential)}: install the packages named above "
            "and run the same command again."
        )


def advice(wanted: Sequence[Missing], *, apt: bool) -> list[str]:
    """What to tell a person who has to install the packages themselves."""
    lines = [f"Missing on this system: {', '.join(need.what for need in wanted)}."]
    if apt:
        lines.append(f"Install with: sudo apt-get install -y {' '.join(need.package for need in wanted)}")
    else:
        packages = " ".join(need.package for need in wanted)
        lines.append(f"Install your system's packages for these (Debian's names: {packages}).")
    if not any(need.essential for need in wanted):
        lines.append("Going on without; the window needs them, the command line does not.")
    return lines


def missing_libraries(known: frozenset[str] | None) -> tuple[Missing, ...]:
    """The libraries not among those the loader knows; none where its list can't be had (None)."""
    if known is None:
        return ()
    return tuple(Missing(package, name) for name, package in LIBRARIES.items() if name not in known)


def known_libraries() -> frozenset[str] | None:
    """The names of the shared libraries the loader finds, or None where it doesn't tell."""
    search_path = os.pathsep.join([os.environ.get("PATH", ""), "/sbin", "/usr/sbin"])
    ldconfig = shutil.which("ldconfig", path=search_path)
    if ldconfig is None:
        return None
    listing = subprocess.run([ldconfig, "-p"], capture_output=True, text=True, check=False)
    return parse_ldconfig(listing.stdout) if listing.returncode == 0 else None


def parse_ldconfig(listing: str) -> frozenset[str]:
    """Library names in the output of `ldconfig -p`."""
    return frozenset(re.findall(r"^\s+(\S+) \(", listing, flags=re.MULTILINE))


def has_chinese_font() -> bool:
    """Whether text in Chinese would show as more than boxes."""
    if fc_list := shutil.which("fc-list"):
        listing = subprocess.run([fc_list, ":lang=zh", "family"], capture_output=True, text=True, check=False)
        if listing.returncode == 0:
            return bool(listing.stdout.strip())
    folders = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), Path.home() / ".local/share/fonts")
    return any(next(folder.rglob(name), None) for folder in folders for name in CJK_FONT_FILES)


def _missing_for_compiling() -> list[Missing]:
    missing = []
    if not any(shutil.which(name) for name in (os.environ.get("CXX", "c++"), "c++", "g++", "clang++")):
        missing.append(Missing("g++", "a C++ compiler", essential=True))
    if not (Path(sysconfig.get_path("include")) / "Python.h").exists():
        missing.append(Missing(f"{_python()}-dev", "Python's headers"))
    return missing


def _python() -> str:
    """What Debian calls the Python that runs this."""
    return f"python{sys.version_info.major}.{sys.version_info.minor}"


def _may_install() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get") is not None


def _apt_get_install(packages: list[str], log: Path) -> None:
    """The lists of packages are only brought up to date when those at hand don't do, and a name that this
    release doesn't have must not keep the others out."""
    if _apt_get(["install", *packages], log):
        return
    say.detail("bringing the lists of packages up to date")
    if _apt_get(["update"], log) and _apt_get(["install", *packages], log):
        return
    for package in packages:
        if not _apt_get(["install", package], log):
            say.detail(f"apt-get can't install {package}; its output is in {log}")


def _apt_get(arguments: list[str], log: Path) -> bool:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    return say.run(["apt-get", "-y", "--no-install-recommends", *arguments], log, environment=environment)
