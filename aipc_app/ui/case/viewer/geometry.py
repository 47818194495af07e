"""Where pages lie on the long sheet that one scrolls. Pure; pixels are the screen's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF

from aipc_app.domain.boxes import Box

GAP = 12.0
POINTS_TO_PIXELS = 96.0 / 72.0
_UNKNOWN = (595.0, 842.0)  # A4, for a page whose size was not told


@dataclass(frozen=True)
class PageSheet:
    """Pages one below the other, centred. `sizes` in points, `zoom` 1.0 for the size on paper."""

    sizes: tuple[tuple[float, float], ...]
    zoom: float
    view_width: float

    @property
    def scale(self) -> float:
        """Pixels per point."""
        return self.zoom * POINTS_TO_PIXELS

    @property
    def width(self) -> float:
        widest = max((size[0] for size in self.sizes), default=0.0) * self.scale
        return max(widest + 2 * GAP, self.view_width)

    @property
    def height(self) -> float:
        return GAP + sum(round(size[1] * self.scale) + GAP for size in self.sizes)

    def rects(self) -> tuple[QRectF, ...]:
        """Each page's place, at whole pixels: a drawn page laid between them would blur."""
        rects, top = [], GAP
        for width, height in self.sizes:
            drawn_width, drawn_height = round(width * self.scale), round(height * self.scale)
            rects.append(QRectF(round((self.width - drawn_width) / 2), top, drawn_width, drawn_height))
            top += drawn_height + GAP
        return tuple(rects)


def page_sizes(sizes: Sequence[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    """Sizes with those that are unknown filled in."""
    return tuple(size if size[0] > 1 and size[1] > 1 else _UNKNOWN for size in sizes)


def fit_width(sizes: Sequence[tuple[float, float]], view_width: float) -> float:
    """The zoom at which the widest page fills the view."""
    widest = max((size[0] for size in sizes), default=_UNKNOWN[0])
    return max((view_width - 2 * GAP) / (widest * POINTS_TO_PIXELS), 0.1)


def box_rect(box: Box, page: QRectF, scale: float) -> QRectF:
    """A box in points on a page as pixels on the sheet, with a little air."""
    x0, y0, x1, y1 = (value * scale for value in box)
    return QRectF(page.left() + x0, page.top() + y0, x1 - x0, y1 - y0).adjusted(-2, -1.5, 2, 1.5)
