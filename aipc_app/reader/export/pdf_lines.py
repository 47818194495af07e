"""Where lines of a PDF end, by the rules of Chinese typesetting (禁则, as in GB/T 15834 and W3C's clreq).

The PDF library knows Japanese rules: it lets a Chinese comma begin a line, and a note's number stand on a line alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reportlab.platypus import Paragraph
from reportlab.platypus.paragraph import ParaLines, cjkU, makeCJKParaLine

from aipc_app.reader.export.pdf_notes import is_mark

_NOT_FIRST = frozenset("，。、；：！？）》」』】〕〉”’…—·％%‰℃°,.;:!?)]}'\"")
_NOT_LAST = frozenset("（《「『【〔〈“‘([{￥¥$＄")
_IDEOGRAPHS_FROM = "\u2e80"


class Text(Paragraph):  # type: ignore[misc]
    """A paragraph whose style has wordWrap="CJK"."""

    def breakLinesCJK(self, maxWidths: Any) -> Any:  # noqa: N802, N803 - reportlab's names
        """As Paragraph's, for text in several fonts."""
        if getattr(self, "_splitpara", 0) and hasattr(self, "blPara"):
            return self.blPara
        if not self.frags:
            return super().breakLinesCJK(maxWidths)
        self.height = 0
        widths = list(maxWidths) if isinstance(maxWidths, list | tuple) else [maxWidths]
        units = [cjkU(char, frag, "utf8") for frag in self.frags for char in (frag.text or ("",))]
        lines: list[Any] = []
        start = 0
        while start < len(units):
            width = widths[min(len(lines), len(widths) - 1)]
            end, broken = _line_end(units, start, width)
            used = sum(unit.width for unit in units[start:end])
            lines.append(makeCJKParaLine(units[start:end], width, used, width - used, broken, False))
            start = end
        return ParaLines(kind=1, lines=lines)


def _line_end(units: Sequence[Any], start: int, width: float) -> tuple[int, bool]:
    """Behind the line's last unit, and whether the text itself breaks there."""
    used, possible = 0.0, start
    for i in range(start, len(units)):
        if i > start and _may_break(units[i - 1], units[i]):
            possible = i
        used += units[i].width
        if used > width and not units[i].isspace() and i > start:
            return (possible if possible > start else i), False
        if hasattr(units[i].frag, "lineBreak"):
            return i + 1, True
    return len(units), False


def _may_break(before: Any, after: Any) -> bool:
    if is_mark(after.frag):
        return is_mark(before.frag) and after == "["
    if not before or not after:  # an anchor
        return False
    if after in _NOT_FIRST or before in _NOT_LAST:
        return False
    return before.isspace() or (not after.isspace() and max(before, after) >= _IDEOGRAPHS_FROM)
