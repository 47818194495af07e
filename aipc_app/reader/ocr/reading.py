"""What one line says, and where on it each character stands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np
import numpy.typing as npt

from aipc_app.reader.ocr.finding import Quad
from aipc_app.reader.ocr.models import Image, Networks, Tensor

HEIGHT = 48  # pixels; what the network was taught
_LEAST_WIDTH, _MOST_WIDTH = 320, 4096
_TURN_SIZE = (192, 48)
_SURE_TURNED = 0.9
# A zero after a numeral (二○○三年), or in a court's number (沪○一民终); a name made unreadable (张○○) stays.
_CIRCLE = re.compile(
    "(?<=[一二三四五六七八九])○+(?=[\u4e00-\u9fff])"
    "|(?<=[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼])○(?=[一二三四五六七八九])"
)
_LEAST_STEPS = 6  # characters that tell how far apart a line's are
_ROOM = 1.6  # of the usual distance
_NARROWLY = 0.1


@dataclass(frozen=True)
class Reading:
    """`middles`: each character's middle along the line, from 0 to 1; `sure`: from 0 to 1 for each."""

    text: str
    middles: tuple[float, ...]
    sure: tuple[float, ...]

    @property
    def confidence(self) -> float:
        return sum(self.sure) / len(self.sure) if self.sure else 0.0


def cut_out(picture: Image, quad: Quad) -> Image:
    """The line straightened: as wide and high as its corners say."""
    width = max(1, round(float(max(np.linalg.norm(quad[1] - quad[0]), np.linalg.norm(quad[2] - quad[3])))))
    height = max(1, round(float(max(np.linalg.norm(quad[3] - quad[0]), np.linalg.norm(quad[2] - quad[1])))))
    to = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float32)
    matrix = cv2.getPerspectiveTransform(quad, to)
    size, border = (width, height), cv2.BORDER_REPLICATE
    straight: Image = cv2.warpPerspective(picture, matrix, size, flags=cv2.INTER_CUBIC, borderMode=border)
    return straight


def read_line(line: Image, networks: Networks) -> Reading:
    """A straight, upright line."""
    height, width = line.shape[:2]
    wide = min(_MOST_WIDTH, max(1, round(width * HEIGHT / height)))
    padded = np.zeros((1, 3, HEIGHT, max(_LEAST_WIDTH, wide)), dtype=np.float32)
    padded[0, :, :, :wide] = _tensor(cv2.resize(line, (wide, HEIGHT)))
    return _decoded(networks.read(padded)[0], networks.alphabet, padded.shape[3] / wide)


def stands_on_its_head(line: Image, networks: Networks) -> bool:
    height, width = line.shape[:2]
    wide = min(_TURN_SIZE[0], max(1, round(width * _TURN_SIZE[1] / height)))
    padded = np.zeros((1, 3, _TURN_SIZE[1], _TURN_SIZE[0]), dtype=np.float32)
    padded[0, :, :, :wide] = _tensor(cv2.resize(line, (wide, _TURN_SIZE[1])))
    return bool(networks.turn(padded)[0][1] > _SURE_TURNED)


def _tensor(picture: Image) -> Tensor:
    return ((picture.astype(np.float32) / 127.5) - 1.0).transpose(2, 0, 1)


def _with_overlooked(
    steps: npt.NDArray[np.intp], best: npt.NDArray[np.intp], likely: Tensor, alphabet: tuple[str, ...]
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Between two ideographs with room for a third, a character that narrowly lost against the blank is taken.

    Thin and round ones lose: the 〇 of 二〇二三年, without which a date is another one.
    """
    if len(steps) < _LEAST_STEPS:
        return steps, best
    pitch = float(np.median(np.diff(steps)))
    found = best.copy()
    added = []
    for left, right in pairwise(steps.tolist()):
        beside = alphabet[best[left]], alphabet[best[right]]
        if right - left < _ROOM * pitch or not all(map(_is_ideograph, beside)):
            continue
        inside = likely[left + 1 : right].copy()
        inside[:, [0, len(alphabet) - 1, best[left], best[right]]] = 0
        at, char = np.unravel_index(int(inside.argmax()), inside.shape)
        middle = abs(left + 1 + int(at) - (left + right) / 2) <= 0.35 * (right - left)
        if middle and inside[at, char] >= _NARROWLY:
            found[left + 1 + at] = char
            added.append(left + 1 + int(at))
    return np.sort(np.concatenate((steps, np.array(added, dtype=steps.dtype)))), found


def _is_ideograph(char: str) -> bool:
    return char == "\u3007" or "\u4e00" <= char <= "\u9fff"


def _decoded(likely: Tensor, alphabet: tuple[str, ...], stretch: float) -> Reading:
    """The likeliest character of each step, repetitions and blanks left out."""
    best = likely.argmax(axis=1)
    fresh = np.ones(len(best), dtype=bool)
    fresh[1:] = best[1:] != best[:-1]
    steps = np.flatnonzero(fresh & (best != 0))
    steps, best = _with_overlooked(steps, best, likely, alphabet)
    kept = [(i, alphabet[best[i]]) for i in steps.tolist() if len(alphabet[best[i]]) == 1]
    return Reading(
        _CIRCLE.sub(lambda found: "\u3007" * len(found[0]), "".join(char for _, char in kept)),
        tuple(min(1.0, (i + 0.5) / len(best) * stretch) for i, _ in kept),
        tuple(float(likely[i, best[i]]) for i, _ in kept),
    )
