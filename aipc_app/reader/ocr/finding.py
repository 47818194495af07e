"""Where lines of text are on a picture."""

from __future__ import annotations

from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from aipc_app.reader.ocr.models import Image, Network, Tensor

Quad: TypeAlias = npt.NDArray[np.float32]  # top left, top right, bottom right, bottom left as the text runs
LONGEST_SIDE = 1280  # pixels the network looks at: an A4 page's smallest print is still ten high
_SHORTEST_SIDE = 64
_STEP = 32  # the network halves five times
_INK, _SURE = 0.3, 0.5
_GROW = 1.6  # the network marks a line's core
_THINNEST = 3.0
_MOST_LINES = 2_000
_STRIP = 2.2  # longer than this many times its width, a picture is looked at in pieces
_TILE, _MARGIN = 1.4, 0.2  # of its width


def find_lines(picture: Image, network: Network) -> list[Quad]:
    """The corners of each line in pixels of `picture`, in no order."""
    height, width = picture.shape[:2]
    if height > _STRIP * width and height > LONGEST_SIDE:
        return _in_tiles(picture, network)
    if width > _STRIP * height and width > LONGEST_SIDE:
        turned = _in_tiles(np.ascontiguousarray(picture.transpose(1, 0, 2)), network, transposed=True)
        return [upright(quad[:, ::-1]) for quad in turned]
    return _find(picture, network)


def _in_tiles(picture: Image, network: Network, *, transposed: bool = False) -> list[Quad]:
    """A long strip (a screenshot of a chat) piece by piece; a line belongs to the piece its middle lies in."""
    height, width = picture.shape[:2]
    core, margin = round(_TILE * width), round(_MARGIN * width)
    found: list[Quad] = []
    for top in range(0, height, core):
        first, last = max(0, top - margin), min(height, top + core + margin)
        piece = picture[first:last]
        if transposed:
            quads = [quad[:, ::-1] for quad in _find(np.ascontiguousarray(piece.transpose(1, 0, 2)), network)]
        else:
            quads = _find(np.ascontiguousarray(piece), network)
        moved = [(quad + np.array([0, first], dtype=np.float32)).astype(np.float32) for quad in quads]
        found += [quad for quad in moved if top <= float(quad[:, 1].mean()) < top + core]
    return found


def _find(picture: Image, network: Network) -> list[Quad]:
    height, width = picture.shape[:2]
    scale = min(1.0, LONGEST_SIDE / max(height, width))
    seen_height, seen_width = _stepped(height * scale), _stepped(width * scale)
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    seen = cv2.resize(picture, (seen_width, seen_height), interpolation=how)
    marks = network(_tensor(seen))[0, 0]
    stretch = np.array([width / seen_width, height / seen_height], dtype=np.float32)
    return [_inside(quad * stretch, width, height) for quad in _quads(marks)]


def _stepped(length: float) -> int:
    return max(_SHORTEST_SIDE, round(length / _STEP) * _STEP)


def _tensor(picture: npt.NDArray[np.generic]) -> Tensor:
    return ((picture.astype(np.float32) / 127.5) - 1.0).transpose(2, 0, 1)[None]


def _quads(marks: Tensor) -> list[Quad]:
    mask = cv2.dilate((marks > _INK).astype(np.uint8), np.ones((2, 2), np.uint8))
    contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    quads = []
    for contour in contours[:_MOST_LINES]:
        (x, y), (width, height), angle = cv2.minAreaRect(contour)
        if min(width, height) < _THINNEST or _certainty(marks, contour) < _SURE:
            continue
        grow = 2 * width * height * _GROW / (2 * (width + height))
        quads.append(upright(cv2.boxPoints(((x, y), (width + grow, height + grow), angle))))
    return quads


def _certainty(marks: Tensor, contour: npt.NDArray[np.generic]) -> float:
    x, y, width, height = cv2.boundingRect(contour)
    mask = np.zeros((height, width), np.uint8)
    cv2.fillPoly(mask, [contour.reshape(-1, 2) - (x, y)], 1)
    return float(cv2.mean(marks[y : y + height, x : x + width], mask)[0])


def upright(corners: npt.NDArray[np.generic]) -> Quad:
    """Four corners of a rectangle, from the top left on, clockwise."""
    by_x = corners[np.argsort(corners[:, 0])]
    left = by_x[:2][np.argsort(by_x[:2, 1])]
    right = by_x[2:][np.argsort(by_x[2:, 1])]
    return np.array([left[0], right[0], right[1], left[1]], dtype=np.float32)


def _inside(quad: Quad, width: int, height: int) -> Quad:
    return np.clip(quad, 0, (width, height)).astype(np.float32)
