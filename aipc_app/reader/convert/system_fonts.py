"""A font of this PC that has Chinese, for documents that bring none."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from PIL import ImageFont

from aipc_app import paths

# In order of preference; parts of file names in lower case.
_SERIF = ("notoserifcjk-regular", "notoserifcjksc", "notoserifsc", "sourcehanserif", "simsun", "songti", "uming")
_SANS = ("notosanscjk-regular", "notosanscjksc", "notosanssc", "sourcehansans", "msyh", "simhei", "pingfang",
         "hiragino sans gb", "wqy-microhei", "wqy-zenhei", "droidsansfallback")  # fmt: skip
_SIMPLIFIED = (" SC", " CN")
_LOOKS_AT = 64  # fonts of one collection


@cache
def chinese_font(sans: bool = False) -> tuple[str, int] | None:
    """File and number in the collection; None where the PC has no such font."""
    files = {path.name.lower(): path for path in _font_files()}
    for wanted in (*(_SANS if sans else _SERIF), *(_SERIF if sans else _SANS)):
        for name in sorted(files):
            if name.startswith(wanted):
                return str(files[name]), _simplified(files[name])
    return None


def _simplified(path: Path) -> int:
    """Collections hold one font for each country; the shapes differ."""
    if path.suffix.lower() != ".ttc":
        return 0
    for index in range(_LOOKS_AT):
        try:
            family = ImageFont.truetype(str(path), 12, index=index).getname()[0] or ""
        except OSError:
            return 0
        if family.endswith(_SIMPLIFIED):
            return index
    return 0


def _font_files() -> Iterator[Path]:
    for folder in _folders():
        for parent, _, names in os.walk(folder):
            yield from (Path(parent) / name for name in names if name.lower().endswith((".ttf", ".ttc", ".otf")))


def _folders() -> tuple[Path, ...]:
    if sys.platform == "win32":
        return (Path(os.environ.get("WINDIR", r"C:\Windows")) / "Fonts",)
    if sys.platform == "darwin":
        return Path("/System/Library/Fonts"), Path("/Library/Fonts")
    installed = paths.installation()
    carried = (installed / "fonts",) if installed else ()
    own = Path.home() / ".local/share/fonts"
    return Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), own, *carried
