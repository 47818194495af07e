"""Pages of a PDF, or parts of them, read from their picture."""

from __future__ import annotations

from dataclasses import dataclass

import pypdfium2 as pdfium

from aipc_app.reader.convert.base import ReadPage
from aipc_app.reader.ocr.compose import OcrText, read_picture
from aipc_app.reader.ocr.models import Image, networks
from aipc_app.reader.ocr.page import as_page

PIXELS_PER_POINT = 200 / 72
_LONGEST_SIDE = 3_000  # pixels

NOTHING = "no text layer, and no text was recognised on its picture"
UNSURE = "no text layer, and its picture is too poor to be read; look at the page itself"


@dataclass(frozen=True)
class Area:
    """A part of a page, in points from its top left as displayed."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def size(self) -> tuple[float, float]:
        return self.x1 - self.x0, self.y1 - self.y0


def read_page(page: pdfium.PdfPage, number: int, why: str) -> ReadPage:
    """The whole page by text recognition; `why` its own text doesn't serve."""
    width, height = page.get_size()
    read = read_area(page, Area(0, 0, width, height))
    return as_page(read, number, (width, height), why=why, nothing=NOTHING, unsure=UNSURE)


def read_area(page: pdfium.PdfPage, area: Area) -> OcrText:
    """Boxes come in points of the page."""
    return read_picture(draw(page, area), networks(), area.size, (area.x0, area.y0))


def draw(page: pdfium.PdfPage, area: Area, scale: float = PIXELS_PER_POINT) -> Image:
    """A part of the page as displayed, blue first."""
    width, height = page.get_size()
    scale = min(scale, _LONGEST_SIDE / max(area.size))
    crop = (area.x0, height - area.y1, width - area.x1, area.y0)  # left, bottom, right, top
    bitmap = page.render(scale=scale, crop=crop, prefer_bgrx=False, may_draw_forms=True)
    array = bitmap.to_numpy()
    if array.ndim == 2 or array.shape[2] == 1:
        array = array.reshape(array.shape[0], array.shape[1], 1).repeat(3, axis=2)
    picture: Image = array[:, :, :3].copy()
    bitmap.close()
    return picture
