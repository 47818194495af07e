"""Pictures on a page of a PDF that may hold words: where they lie, and whether text lies over them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from aipc_app.reader.convert.pdf_ocr import Area

_FORM_DEPTH = 4
_LEAST_WIDTH, _LEAST_HEIGHT = 60.0, 16.0  # points: smaller ones are marks and lines
_LEAST_PIXELS = 4_000
_MOST = 8
_SCAN_SHARE = 0.7
_FREE = 0.0002  # characters a square point: fewer lie over a picture by chance


def picture_areas(page: pdfium.PdfPage) -> list[Area]:
    """Pictures of some size, those that touch joined (scanners cut pages into strips), in reading order."""
    width, height = page.get_size()
    areas: list[Area] = []
    for thing in page.get_objects(filter=(pdfium_c.FPDF_PAGEOBJ_IMAGE,), max_depth=_FORM_DEPTH):
        area = _displayed(page, thing)
        if area is not None and _pixels(thing) >= _LEAST_PIXELS:
            areas.append(_clipped(area, width, height))
    joined = _joined([area for area in areas if min(area.size) > 0])
    large = [area for area in joined if area.size[0] >= _LEAST_WIDTH and area.size[1] >= _LEAST_HEIGHT]
    return sorted(large, key=lambda area: (area.y0, area.x0))[:_MOST]


def is_scan(page: pdfium.PdfPage, areas: list[Area]) -> bool:
    """One picture fills the page."""
    width, height = page.get_size()
    return any(area.size[0] * area.size[1] >= _SCAN_SHARE * width * height for area in areas)


def without_text(areas: list[Area], boxes: bytes) -> list[Area]:
    """Those that the page's own text does not lie over."""
    placed = np.frombuffer(boxes, dtype="<f4").reshape(-1, 4)
    placed = placed[~np.isnan(placed[:, 0])]
    return [area for area in areas if _characters(area, placed) <= _FREE * area.size[0] * area.size[1]]


def _characters(area: Area, placed: npt.NDArray[np.float32]) -> int:
    x, y = (placed[:, 0] + placed[:, 2]) / 2, (placed[:, 1] + placed[:, 3]) / 2
    return int(((x > area.x0) & (x < area.x1) & (y > area.y0) & (y < area.y1)).sum())


def _displayed(page: pdfium.PdfPage, thing: pdfium.PdfObject) -> Area | None:
    """Where the object lies after crop and rotation; None where it can't be told (inside turned forms)."""
    try:
        x0, y0, x1, y1 = thing.get_bounds() if thing.level == 0 else _in_form(thing)
    except (pdfium.PdfiumError, ValueError):
        return None
    left, bottom, right, top = page.get_bbox()
    return {
        0: Area(x0 - left, top - y1, x1 - left, top - y0),
        90: Area(y0 - bottom, x0 - left, y1 - bottom, x1 - left),
        180: Area(right - x1, y0 - bottom, right - x0, y1 - bottom),
        270: Area(top - y1, right - x1, top - y0, right - x0),
    }[page.get_rotation()]


def _in_form(thing: pdfium.PdfObject) -> tuple[float, float, float, float]:
    """Bounds carried through the forms around the object."""
    x0, y0, x1, y1 = thing.get_bounds()
    corners = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])
    around = thing.container
    while around is not None:
        a, b, c, d, e, f = around.get_matrix().get()
        corners = corners @ np.array([[a, b], [c, d]]) + (e, f)
        around = around.container
    (x0, y0), (x1, y1) = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
    return x0, y0, x1, y1


def _pixels(thing: pdfium.PdfImage) -> int:
    try:
        width, height = thing.get_px_size()
    except pdfium.PdfiumError:
        return 0
    return int(width) * int(height)


def _clipped(area: Area, width: float, height: float) -> Area:
    return Area(max(area.x0, 0.0), max(area.y0, 0.0), min(area.x1, width), min(area.y1, height))


def _joined(areas: list[Area]) -> list[Area]:
    done: list[Area] = []
    for area in sorted(areas, key=lambda one: (one.y0, one.x0)):
        merged = area
        touching = [other for other in done if _touch(other, merged)]
        while touching:
            done = [other for other in done if other not in touching]
            for other in touching:
                merged = Area(
                    min(merged.x0, other.x0), min(merged.y0, other.y0),
                    max(merged.x1, other.x1), max(merged.y1, other.y1),
                )  # fmt: skip
            touching = [other for other in done if _touch(other, merged)]
        done.append(merged)
    return done


def _touch(a: Area, b: Area) -> bool:
    return a.x0 <= b.x1 + 1 and b.x0 <= a.x1 + 1 and a.y0 <= b.y1 + 1 and b.y0 <= a.y1 + 1
