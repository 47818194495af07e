"""OFD pages as pictures."""

from __future__ import annotations

import io
import math

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from aipc_app.reader.convert.image_file import embedded_picture
from aipc_app.reader.convert.jbig2 import is_jbig2, jbig2_picture
from aipc_app.reader.convert.ofd_objects import Glyphs, Matrix, Stroke, things_of
from aipc_app.reader.convert.ofd_package import OfdDocument, OfdPage
from aipc_app.reader.convert.ofd_paths import polygons
from aipc_app.reader.convert.system_fonts import chinese_font
from aipc_app.reader.failure import ReadingError

_PNG, _JPEG = b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff"
_LARGEST_LETTER = 2_000  # pixels
_SUBPIXELS = 4  # bits after the point in cv2's coordinates
_SANS = ("黑", "hei", "sans", "arial", "雅")
_MISSING = "\U0010ffff"
Canvas = npt.NDArray[np.uint8]


class OfdPainter:
    """Draws pages of one document; fonts and pictures are opened once."""

    def __init__(self, document: OfdDocument) -> None:
        self._document = document
        self._fonts: dict[tuple[str, int], ImageFont.FreeTypeFont | None] = {}
        self._pictures: dict[str, Image.Image | None] = {}
        self.unknown_pictures = 0

    def draw(self, page: OfdPage, pixels_per_mm: float) -> Image.Image:
        """The page on white, red first. What can't be drawn is left out."""
        size = max(1, round(page.area[2] * pixels_per_mm)), max(1, round(page.area[3] * pixels_per_mm))
        canvas = Image.new("RGB", size, "white")
        scale = np.diag([pixels_per_mm, pixels_per_mm, 1.0])
        for thing in things_of(self._document, page):
            if isinstance(thing, Glyphs):
                self._write(canvas, thing, thing.matrix @ scale)
            elif isinstance(thing, Stroke):
                canvas = _stroked(canvas, thing, thing.matrix @ scale)
            else:
                self._place(canvas, self._picture(thing.media), thing.matrix @ scale)
        for (x, y, width, height), file in page.seals:
            seal = _seal_picture(self._document.package.read(file) or b"")
            matrix = np.array([[width, 0, 0], [0, height, 0], [x - page.area[0], y - page.area[1], 1]]) @ scale
            self._place(canvas, seal, matrix)
        return canvas

    def can_write(self) -> bool:
        """Whether there is a font for everything: the file's own, or one of this PC."""
        return chinese_font() is not None or all(font.file for font in self._document.fonts.values())

    def _write(self, canvas: Image.Image, glyphs: Glyphs, matrix: Matrix) -> None:
        pixels = glyphs.size * math.hypot(matrix[1, 0], matrix[1, 1])
        if not 1 <= pixels <= _LARGEST_LETTER:
            return
        angle = math.degrees(math.atan2(matrix[0, 1], matrix[0, 0]))
        for char, (x, y) in zip(glyphs.text, glyphs.origins, strict=True):
            font = self._font_for(char, glyphs.font, round(pixels))
            if font is None or char.isspace():
                continue
            px, py, _ = np.array([x, y, 1.0]) @ matrix
            if not (-pixels < px < canvas.width + pixels and -pixels < py < canvas.height + pixels):
                continue
            _letter(canvas, char, (float(px), float(py)), font, angle, glyphs.colour)

    def _font_for(self, char: str, font: str, pixels: int) -> ImageFont.FreeTypeFont | None:
        own = self._font(font, pixels)
        if own is not None and own.getmask(char).getbbox() and bytes(own.getmask(char)) != bytes(own.getmask(_MISSING)):
            return own
        return self._system(font, pixels)

    def _font(self, font: str, pixels: int) -> ImageFont.FreeTypeFont | None:
        known = self._document.fonts.get(font)
        if known is None or not known.file:
            return None
        key = known.file, pixels
        if key not in self._fonts:
            data = self._document.package.read(known.file)
            try:
                self._fonts[key] = ImageFont.truetype(io.BytesIO(data), pixels) if data else None
            except (OSError, ValueError):
                self._fonts[key] = None
        return self._fonts[key]

    def _system(self, font: str, pixels: int) -> ImageFont.FreeTypeFont | None:
        known = self._document.fonts.get(font)
        name = known.name.lower() if known else ""
        found = chinese_font(sans=any(word in name for word in _SANS))
        if found is None:
            return None
        key = f"{found[0]}#{found[1]}", pixels
        if key not in self._fonts:
            self._fonts[key] = ImageFont.truetype(found[0], pixels, index=found[1])
        return self._fonts[key]

    def _picture(self, media: str) -> Image.Image | None:
        if media not in self._pictures:
            self._pictures[media] = self._opened(media)
        return self._pictures[media]

    def _opened(self, media: str) -> Image.Image | None:
        file = self._document.media.get(media)
        data = self._document.package.read(file) if file else None
        try:
            if data:
                return jbig2_picture(data) if is_jbig2(data) else embedded_picture(data)
        except ReadingError:
            pass
        self.unknown_pictures += 1
        return None

    def _place(self, canvas: Image.Image, picture: Image.Image | None, matrix: Matrix) -> None:
        if picture is None:
            return
        (a, b, _), (c, d, _), (e, f, _) = matrix.tolist()
        if abs(b) < 0.5 and abs(c) < 0.5 and a >= 1 and d >= 1 and a * d <= 4 * canvas.width * canvas.height:
            small = picture.resize((max(1, round(a)), max(1, round(d))))
            canvas.paste(small, (round(e), round(f)), small)
            return
        to = np.array([[a / picture.width, c / picture.height, e], [b / picture.width, d / picture.height, f]])
        if abs(np.linalg.det(to[:, :2])) < 1e-9:
            return
        carried = cv2.warpAffine(np.asarray(picture), to, canvas.size, flags=cv2.INTER_AREA)
        whole = Image.fromarray(carried)
        canvas.paste(whole, (0, 0), whole)


def _letter(
    canvas: Image.Image, char: str, at: tuple[float, float], font: ImageFont.FreeTypeFont, angle: float,
    colour: tuple[int, int, int, int],
) -> None:  # fmt: skip
    reach = round(font.size * 1.6) + 2
    mask = Image.new("L", (2 * reach, 2 * reach))
    corner = round(at[0]) - reach, round(at[1]) - reach
    inside = at[0] - corner[0], at[1] - corner[1]
    ImageDraw.Draw(mask).text(inside, char, fill=colour[3], font=font, anchor="ls")
    if abs(angle) > 0.5:
        mask = mask.rotate(-angle, resample=Image.Resampling.BICUBIC, center=inside)
    canvas.paste(Image.new("RGB", mask.size, colour[:3]), corner, mask)


def _stroked(canvas: Image.Image, stroke: Stroke, matrix: Matrix) -> Image.Image:
    shapes = [(_pixels(points, matrix), closed) for points, closed in polygons(stroke.data)]
    if not shapes:
        return canvas
    array = np.array(canvas)
    if stroke.fill:
        _blended(array, [points for points, _ in shapes], stroke.fill, None)
    if stroke.line:
        width = max(1, round(stroke.width * math.sqrt(abs(float(np.linalg.det(matrix[:2, :2]))))))
        for points, closed in shapes:
            _blended(array, [points], stroke.line, (min(width, 200), closed))
    return Image.fromarray(array)


def _blended(
    array: Canvas, shapes: list[npt.NDArray[np.int32]], colour: tuple[int, int, int, int], pen: tuple[int, bool] | None
) -> None:
    target = array if colour[3] >= 255 else array.copy()
    if pen is None:
        cv2.fillPoly(target, shapes, colour[:3], cv2.LINE_AA, _SUBPIXELS)
    else:
        cv2.polylines(target, shapes, pen[1], colour[:3], pen[0], cv2.LINE_AA, _SUBPIXELS)
    if target is not array:
        share = colour[3] / 255
        array[:] = cv2.addWeighted(target, share, array, 1 - share, 0)


def _pixels(points: npt.NDArray[np.float64], matrix: Matrix) -> npt.NDArray[np.int32]:
    whole = np.column_stack((points, np.ones(len(points)))) @ matrix
    placed: npt.NDArray[np.int32] = np.clip(whole[:, :2] * 2**_SUBPIXELS, -(2**26), 2**26).astype(np.int32)
    return placed


def _seal_picture(data: bytes) -> Image.Image | None:
    """A signature's binary structure holds the seal's picture whole."""
    for magic in (_PNG, _JPEG):
        start = data.find(magic)
        if start >= 0:
            try:
                return embedded_picture(data[start:])
            except ReadingError:
                return None
    return None


