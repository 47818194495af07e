"""Which way up a page is, told by reading a few of its lines."""

from __future__ import annotations

import cv2
import numpy as np

from aipc_app.reader.ocr.finding import Quad
from aipc_app.reader.ocr.models import Image, Networks
from aipc_app.reader.ocr.reading import Reading, cut_out, read_line, stands_on_its_head

_TALL = 1.5
_SAMPLE = 5
_LONGEST_SAMPLE = 12  # line heights; enough of a line to tell


def is_tall(quad: Quad) -> bool:
    """Higher than wide: text that runs down the picture, or a single thin letter."""
    width, height = _sides(quad)
    return height >= _TALL * width


def turns_of(picture: Image, quads: list[Quad], networks: Networks) -> int:
    """Quarters to turn the picture counterclockwise, 0 to 3, so that it can be read."""
    longest = sorted(quads, key=lambda quad: -max(_sides(quad)))
    down = sum(max(_sides(quad)) for quad in quads if is_tall(quad))
    across = sum(max(_sides(quad)) for quad in quads if not is_tall(quad))
    if down > across:
        return _of_tall([_strip(picture, quad) for quad in longest if is_tall(quad)][:_SAMPLE], networks)
    flat = [_strip(picture, quad) for quad in longest if not is_tall(quad)][:_SAMPLE]
    doubtful = [strip for strip in flat if stands_on_its_head(strip, networks)]
    if 2 * len(doubtful) <= len(flat):
        return 0
    turned = [cv2.rotate(strip, cv2.ROTATE_180) for strip in flat]
    return 2 if _certainty(turned, networks) > _certainty(flat, networks) else 0


def _of_tall(strips: list[Image], networks: Networks) -> int:
    """Characters that stand upright in a column are vertical writing; else the page lies on its side."""
    left = [cv2.rotate(strip, cv2.ROTATE_90_COUNTERCLOCKWISE) for strip in strips]
    right = [cv2.rotate(strip, cv2.ROTATE_90_CLOCKWISE) for strip in strips]
    readings = [read_line(_contiguous(strip), networks) for strip in left]
    if any(reading.confidence > 0.6 for reading in readings) and _stand_upright(strips, readings, networks):
        return 0
    return 1 if _mean(readings) >= _certainty(right, networks) else 3


def _stand_upright(strips: list[Image], readings: list[Reading], networks: Networks) -> bool:
    """Whether single ideographs of these columns read the same when they aren't turned."""
    same = tried = 0
    for strip, reading in zip(strips, readings, strict=True):
        length, width = strip.shape[:2]
        ideographs = [i for i, char in enumerate(reading.text) if "\u4e00" <= char <= "\u9fff"]
        for i in ideographs[:: max(1, len(ideographs) // 3)][:3]:
            top = max(0, round(reading.middles[i] * length - 0.55 * width))
            square = strip[top : top + round(1.1 * width)]
            tried += 1
            same += reading.text[i] in read_line(_contiguous(square), networks).text if square.size else 0
    return tried > 0 and 2 * same >= tried


def _strip(picture: Image, quad: Quad) -> Image:
    """The beginning of a line, no longer than needed."""
    strip = cut_out(picture, quad)
    height, width = strip.shape[:2]
    return strip[:, : _LONGEST_SAMPLE * height] if width >= height else strip[: _LONGEST_SAMPLE * width]


def _certainty(strips: list[Image], networks: Networks) -> float:
    return _mean([read_line(_contiguous(strip), networks) for strip in strips])


def _mean(readings: list[Reading]) -> float:
    """Longer texts weigh more: a wrong way round gives few characters."""
    return sum(sum(reading.sure) for reading in readings) / max(1, len(readings))


def _contiguous(strip: Image) -> Image:
    return np.ascontiguousarray(strip, dtype=np.uint8)


def _sides(quad: Quad) -> tuple[float, float]:
    return float(np.linalg.norm(quad[1] - quad[0])), float(np.linalg.norm(quad[3] - quad[0]))
