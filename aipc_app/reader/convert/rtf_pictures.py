"""Pictures in RTF: hexadecimal digits in the text, kept aside with a mark where they stood."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from aipc_app.reader.convert.grid import CELL
from aipc_app.reader.convert.windows_bitmap import packed_bitmap

SIGN = "\ufffc"  # stands around a picture's number; nowhere else, because the walk drops it
_MARK = re.compile(f"{SIGN}(\\d+){SIGN}")
_NOT_HEX = re.compile(r"[^0-9a-fA-F]+")


@dataclass
class RtfPictures:
    """By the numbers of their marks, from 0."""

    _pictures: list[bytes] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self._pictures)

    def keep(self, digits: str, *, is_bitmap: bool) -> str:
        """The mark for a picture; "" for what is none."""
        clean = _NOT_HEX.sub("", digits)
        data = bytes.fromhex(clean[: len(clean) // 2 * 2])
        made = packed_bitmap(data) if is_bitmap else data
        if not made:
            return ""
        self._pictures.append(made)
        return f"{SIGN}{len(self._pictures) - 1}{SIGN}"

    def read(self, name: str) -> bytes | None:
        """A picture as a file of its own."""
        number = int(name)
        return self._pictures[number] if number < len(self._pictures) else None


def with_pictures(text: str, seen: Callable[[str], list[str]]) -> str:
    """The text with what is seen on the pictures in place of their marks: after their line, or inside their cell."""
    lines: list[str] = []
    for line in text.split("\n"):
        if CELL in line:
            lines.append(_MARK.sub(lambda mark: " ".join(part for part in seen(mark[1]) if part), line))
            continue
        lines.append(_MARK.sub("", line))
        lines += [said for mark in _MARK.finditer(line) for said in seen(mark[1])]
    return "\n".join(lines)
