"""Red ink over black: seals and stamps are taken off before lines are looked for."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from aipc_app.reader.ocr.models import Image

_RED_SHARE = 0.0015  # of a picture's pixels; a seal of 4 cm on A4 has about 0.5%
_MOST_RED = 0.25  # more is a coloured page
_REDDER = 60  # how far red is above the other two


@dataclass(frozen=True)
class SealLayer:
    """The picture without red ink, and as it was."""

    picture: Image
    original: Image
    has_seals: bool

    def turned(self, quarters: int) -> SealLayer:
        """Both turned counterclockwise."""
        picture = np.ascontiguousarray(np.rot90(self.picture, quarters))
        original = np.ascontiguousarray(np.rot90(self.original, quarters)) if self.has_seals else picture
        return SealLayer(picture, original, self.has_seals)


def without_seals(picture: Image) -> SealLayer:
    """In the red channel red ink is as light as paper, and black stays black."""
    blue, green, red = cv2.split(picture.astype(np.int16))
    reddish = (red - np.maximum(blue, green)) > _REDDER
    if not _RED_SHARE <= reddish.mean() <= _MOST_RED:
        return SealLayer(picture, picture, False)
    light = red.astype(np.uint8)
    paper = np.uint8(np.percentile(light[::4, ::4], 90))
    around = cv2.dilate(reddish.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    cleaned = picture.copy()
    flat = np.where(reddish & (light > 150), paper, light)
    cleaned[around] = flat[around][:, None]
    return SealLayer(cleaned, picture, True)
