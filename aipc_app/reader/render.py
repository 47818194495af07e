"""Pages as pictures, for the viewer."""

from __future__ import annotations

import math

import pypdfium2 as pdfium

from aipc_app.domain.reader_wire import PageRendered, RenderPage
from aipc_app.reader.convert.base import Source
from aipc_app.reader.convert.detect import Format, detect
from aipc_app.reader.convert.pdf_open import open_pdf
from aipc_app.reader.failure import FailureKind, ReadingError

MAX_PIXELS = 40_000_000


def render_page(request: RenderPage, source: Source) -> PageRendered:
    """The page as displayed: crop, rotation, annotations and form fields. Raises ReadingError."""
    match detect(source):
        case Format.PDF:
            with open_pdf(source) as document:
                _check_number(request.page, len(document))
                document.init_forms()
                return _draw(request, document)
        case Format.IMAGE:
            return _picture(request, source)
        case Format.OFD:
            return _ofd_page(request, source)
    raise ReadingError(FailureKind.UNSUPPORTED, "This kind of file has no pages to draw; its text is shown instead.")


def _check_number(page: int, count: int) -> None:
    if not 1 <= page <= count:
        raise ReadingError(FailureKind.ERROR, f"There is no page {page}; the document has {count}.")


def _picture(request: RenderPage, source: Source) -> PageRendered:
    from aipc_app.reader.convert.image_file import open_picture

    with open_picture(source.path) as file:
        _check_number(request.page, file.count)
        picture = file.frame(request.page)
    scale = _allowed_scale(request.scale, picture.width, picture.height)
    width, height = max(1, round(picture.width * scale)), max(1, round(picture.height * scale))
    drawn = picture.image.resize((width, height))
    return PageRendered(id=request.id, width=width, height=height, pixels=drawn.tobytes())


def _ofd_page(request: RenderPage, source: Source) -> PageRendered:
    from aipc_app.reader.convert.ofd_draw import OfdPainter
    from aipc_app.reader.convert.ofd_package import POINTS_PER_MM, open_ofd

    with open_ofd(source) as document:
        _check_number(request.page, len(document.pages))
        page = document.pages[request.page - 1]
        width, height = page.area[2] * POINTS_PER_MM, page.area[3] * POINTS_PER_MM
        painter = OfdPainter(document)
        if not painter.can_write():
            raise ReadingError(
                FailureKind.UNSUPPORTED,
                "No font with Chinese characters is installed on this PC, so this page can't be drawn; "
                "its text is shown instead. Install one, for example Noto CJK.",
            )
        drawn = painter.draw(page, _allowed_scale(request.scale, width, height) * POINTS_PER_MM)
    return PageRendered(id=request.id, width=drawn.width, height=drawn.height, pixels=drawn.tobytes())


def _draw(request: RenderPage, document: pdfium.PdfDocument) -> PageRendered:
    try:
        page = document[request.page - 1]
        scale = _allowed_scale(request.scale, *page.get_size())
        bitmap = page.render(scale=scale, rev_byteorder=True, prefer_bgrx=False, may_draw_forms=True)
    except (pdfium.PdfiumError, ValueError) as error:  # ValueError: a page without area
        raise ReadingError(FailureKind.DAMAGED, f"Page {request.page} is damaged and can't be drawn.") from error
    pixels = _tight(bitmap)
    return PageRendered(id=request.id, width=bitmap.width, height=bitmap.height, pixels=pixels)


def _allowed_scale(scale: float, width: float, height: float) -> float:
    """As asked, but never more than MAX_PIXELS."""
    if not (math.isfinite(scale) and scale > 0):
        raise ReadingError(FailureKind.ERROR, "A page can't be drawn at that size.")
    wanted = max(width * scale, 1.0) * max(height * scale, 1.0)
    return scale if wanted <= MAX_PIXELS else scale * math.sqrt(MAX_PIXELS / wanted) * 0.999


def _tight(bitmap: pdfium.PdfBitmap) -> bytes:
    """Rows of exactly width × 3 bytes, red first."""
    array = bitmap.to_numpy()
    return bytes(array[:, :, :3].tobytes())
