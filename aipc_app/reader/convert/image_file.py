"""Picture files opened with limits, turned as their camera says, white where they are transparent."""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from aipc_app.reader.failure import FailureKind, ReadingError

MOST_PIXELS = 120_000_000  # of one picture; more than an A3 page at 600 dpi
_FORMATS = ("PNG", "JPEG", "TIFF", "WEBP", "BMP", "GIF", "MPO")
_POINTS_PER_INCH = 72.0
_USUAL_DPI = 150.0  # where a picture doesn't say
_BELIEVABLE_DPI = (50.0, 2400.0)
_LONGEST_SIDE = 2000.0  # points
_BAD = (OSError, ValueError, SyntaxError, EOFError, struct.error, IndexError, TypeError, KeyError, ZeroDivisionError)


@dataclass(frozen=True)
class Picture:
    """One frame, red first, with its size in points as displayed."""

    image: Image.Image
    width: float
    height: float


class PictureFile:
    """The frames of one file; damage of one stays with it."""

    def __init__(self, image: Image.Image) -> None:
        self._image = image
        self.count = int(getattr(image, "n_frames", 1)) if image.format in ("TIFF", "MPO") else 1
        if image.format == "MPO":
            self.count = 1  # the second is a preview

    def frame(self, number: int) -> Picture:
        """From 1 on. Raises ReadingError: damaged, limit."""
        try:
            self._image.seek(number - 1)
            _check_size(self._image)
            dpi = _dpi(self._image)
            turned = ImageOps.exif_transpose(self._image)
            flat = on_white(turned if turned is not None else self._image)
        except _BAD as error:
            raise damaged() from error
        points = _POINTS_PER_INCH / dpi
        points = min(points, _LONGEST_SIDE / max(flat.size))
        return Picture(flat, round(flat.width * points, 3), round(flat.height * points, 3))


@contextmanager
def open_picture(path: Path) -> Iterator[PictureFile]:
    """Raises ReadingError: damaged (it is no picture, or not whole), limit."""
    with _opened(path) as image:
        yield PictureFile(image)


def embedded_picture(data: bytes) -> Image.Image:
    """A picture inside another file, red-green-blue-opacity. Raises ReadingError: damaged, limit."""
    try:
        with _opened(io.BytesIO(data)) as image:
            _check_size(image)
            return image.convert("RGBA")
    except _BAD as error:
        raise damaged() from error


def _opened(file: Path | io.BytesIO) -> Image.Image:
    Image.MAX_IMAGE_PIXELS = None  # our own limit has a sentence
    try:
        return Image.open(file, formats=_FORMATS)
    except (UnidentifiedImageError, *_BAD) as error:
        raise damaged() from error


def damaged() -> ReadingError:
    return ReadingError(FailureKind.DAMAGED, "This picture is damaged or not whole; scan or save it again.")


def as_array(picture: Picture) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """Rows, columns, blue-green-red."""
    return np.ascontiguousarray(np.asarray(picture.image, dtype=np.uint8)[:, :, ::-1])


def _check_size(image: Image.Image) -> None:
    if image.width * image.height > MOST_PIXELS:
        raise ReadingError(
            FailureKind.LIMIT,
            f"This picture has {image.width * image.height // 1_000_000} million pixels; "
            f"at most {MOST_PIXELS // 1_000_000} million are read. Save it smaller.",
        )


def _dpi(image: Image.Image) -> float:
    given = image.info.get("dpi")
    try:
        value = float(given[0]) if given else _USUAL_DPI
    except (TypeError, ValueError, ZeroDivisionError, IndexError):
        return _USUAL_DPI
    return value if _BELIEVABLE_DPI[0] <= value <= _BELIEVABLE_DPI[1] else _USUAL_DPI


def on_white(image: Image.Image) -> Image.Image:
    """Red, green and blue; what is transparent is white."""
    if image.mode.startswith(("I", "F")):  # 16 bits a pixel
        array = np.asarray(image, dtype=np.float64)
        most = float(array.max()) or 1.0
        return Image.fromarray((array * (255.0 / max(most, 255.0))).astype(np.uint8)).convert("RGB")
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        whole = image.convert("RGBA")
        paper = Image.new("RGBA", whole.size, "white")
        return Image.alpha_composite(paper, whole).convert("RGB")
    return image.convert("RGB")
