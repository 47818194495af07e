"""What stands on an OFD page: text with a place for each character, lines, pictures; in the order of drawing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aipc_app.reader.convert.ofd_package import OfdDocument, OfdPage, Rectangle, numbers
from aipc_app.reader.convert.xml_tree import Element, attribute, child, children, local

Matrix = npt.NDArray[np.float64]  # 3 × 3, for row vectors
_DEEPEST = 8  # blocks and composites in each other
_MOST_OBJECTS = 200_000
_ASCENT, _DESCENT = 0.86, 0.14  # of a character's size, above and below its baseline
_NARROW = 0.5
_OBJECTS = frozenset({"TextObject", "PathObject", "ImageObject", "CompositeObject"})


@dataclass(frozen=True)
class Glyphs:
    """A piece of text; `origins` of its characters on the baseline and `advances` before `matrix` (to millimetres)."""

    text: str
    origins: tuple[tuple[float, float], ...]
    advances: tuple[float, ...]
    size: float
    matrix: Matrix
    font: str
    colour: tuple[int, int, int, int]
    note: bool = False

    def corners(self, i: int) -> Matrix:
        """The four corners of a character, from its top left clockwise, in millimetres of the page."""
        x, y = self.origins[i]
        top, bottom = y - _ASCENT * self.size, y + _DESCENT * self.size
        right = x + self.advances[i]
        box = np.array([[x, top, 1], [right, top, 1], [right, bottom, 1], [x, bottom, 1]], dtype=np.float64)
        return (box @ self.matrix)[:, :2]


@dataclass(frozen=True)
class Stroke:
    """A path in its own space; None for a colour: not filled or not drawn."""

    data: str
    matrix: Matrix
    width: float
    line: tuple[int, int, int, int] | None
    fill: tuple[int, int, int, int] | None


@dataclass(frozen=True)
class Placed:
    """A picture: the unit square, y down, carried by `matrix` to millimetres of the page."""

    media: str
    matrix: Matrix


Thing = Glyphs | Stroke | Placed


def things_of(document: OfdDocument, page: OfdPage) -> Iterator[Thing]:
    """Everything on the page and its templates, then its notes (watermarks, stamps of other programs)."""
    walk = _Walk(document)
    base = _shift(-page.area[0], -page.area[1])
    for part in page.parts:
        for content in children(part.root, "Content"):
            for layer in children(content, "Layer"):
                yield from walk.below(layer, base, attribute(layer, "DrawParam"), 0, note=False)
    for appearance in page.annotations:
        box = numbers(attribute(appearance, "Boundary"))
        moved = _shift(box[0], box[1]) @ base if len(box) == 4 else base
        yield from walk.below(appearance, moved, None, 0, note=True)


class _Walk:
    def __init__(self, document: OfdDocument) -> None:
        self._document, self._left = document, _MOST_OBJECTS

    def below(self, parent: Element, base: Matrix, drawing: str | None, depth: int, *, note: bool) -> Iterator[Thing]:
        for element in parent if depth < _DEEPEST else ():
            self._left -= 1
            if self._left < 0:
                return
            kind = local(element)
            if kind == "PageBlock":
                yield from self.below(element, base, drawing, depth + 1, note=note)
            elif kind in _OBJECTS and attribute(element, "Visible") != "false":
                own = attribute(element, "DrawParam") or drawing
                yield from self._object(kind, element, base, own, depth, note)

    def _object(
        self, kind: str, element: Element, base: Matrix, drawing: str | None, depth: int, note: bool
    ) -> Iterator[Thing]:
        box = numbers(attribute(element, "Boundary"))
        if len(box) != 4:
            return
        matrix = _matrix(attribute(element, "CTM")) @ _shift(box[0], box[1]) @ base
        if kind == "TextObject":
            yield from self._text(element, matrix, drawing, note)
        elif kind == "PathObject":
            yield self._path(element, matrix, drawing)
        elif kind == "ImageObject":
            yield Placed(attribute(element, "ResourceID") or "", self._square(element, box, matrix))
        else:
            unit = self._document.composites.get(attribute(element, "ResourceID") or "")
            for content in children(unit, "Content"):
                yield from self.below(content, matrix, drawing, depth + 1, note=note)

    def _square(self, element: Element, box: list[float], matrix: Matrix) -> Matrix:
        """Without a matrix of its own a picture fills its boundary."""
        if attribute(element, "CTM"):
            return matrix
        return np.diag([box[2], box[3], 1.0]) @ matrix

    def _text(self, element: Element, matrix: Matrix, drawing: str | None, note: bool) -> Iterator[Glyphs]:
        size = abs((numbers(attribute(element, "Size")) or [0.0])[0])
        scale = (numbers(attribute(element, "HScale")) or [1.0])[0]
        if size == 0:
            return
        colour = self._colour(element, "FillColor", drawing) or (0, 0, 0, 255)
        if attribute(element, "Fill") == "false":
            colour = self._colour(element, "StrokeColor", drawing) or (0, 0, 0, 255)
        x = y = 0.0
        for code in children(element, "TextCode"):
            text = (code.text or "").replace("\r", "").replace("\n", "")
            x = (numbers(attribute(code, "X")) or [x])[0]
            y = (numbers(attribute(code, "Y")) or [y])[0]
            across, down = _deltas(attribute(code, "DeltaX"), len(text)), _deltas(attribute(code, "DeltaY"), len(text))
            origins, advances = _places(text, x, y, across, down, size * scale)
            if text:
                font = attribute(element, "Font") or ""
                yield Glyphs(text, origins, advances, size, matrix, font, colour, note)

    def _path(self, element: Element, matrix: Matrix, drawing: str | None) -> Stroke:
        width = abs((numbers(attribute(element, "LineWidth") or self._param(drawing, "LineWidth")) or [0.353])[0])
        line = fill = None
        if attribute(element, "Stroke") != "false":
            line = self._colour(element, "StrokeColor", drawing) or (0, 0, 0, 255)
        if attribute(element, "Fill") == "true":
            fill = self._colour(element, "FillColor", drawing)
        data = child(element, "AbbreviatedData")
        return Stroke("" if data is None else data.text or "", matrix, width, line, fill)

    def _param(self, drawing: str | None, name: str) -> str | None:
        return attribute(self._document.drawing.get(drawing or ""), name)

    def _colour(self, element: Element, name: str, drawing: str | None) -> tuple[int, int, int, int] | None:
        """Red, green, blue, opacity; of the drawing parameters where the object says nothing."""
        alpha = (numbers(attribute(element, "Alpha")) or [255.0])[0]
        for owner in (element, self._document.drawing.get(drawing or "")):
            found = child(owner, name)
            values = numbers(attribute(found, "Value"))
            if found is not None:
                alpha *= (numbers(attribute(found, "Alpha")) or [255.0])[0] / 255
                return (*_rgb(values), round(min(max(alpha, 0.0), 255.0)))
        return (0, 0, 0, round(alpha)) if alpha < 255 else None


def _rgb(values: list[float]) -> tuple[int, int, int]:
    if len(values) == 1:
        values = values * 3
    if len(values) == 4:
        black = 1 - values[3] / 255
        values = [(255 - value) * black for value in values[:3]]
    if len(values) != 3:
        return 0, 0, 0
    red, green, blue = (round(min(max(value, 0.0), 255.0)) for value in values)
    return red, green, blue


def _places(
    text: str, x: float, y: float, across: list[float], down: list[float], size: float
) -> tuple[tuple[tuple[float, float], ...], tuple[float, ...]]:
    """Where each character begins, and how wide it is taken to be."""
    origins, advances = [], []
    for i, char in enumerate(text):
        origins.append((x, y))
        natural = size * (_NARROW if ord(char) < 0x2E80 else 1.0)
        step = across[i] if i < len(across) else (0.0 if i < len(down) else natural)
        advances.append(min(step, 1.3 * size) if step > 0 else natural)
        x += step
        y += down[i] if i < len(down) else 0.0
    return tuple(origins), tuple(advances)


def _deltas(text: str | None, most: int) -> list[float]:
    """Steps from character to character; "g 3 4.5" is 4.5 three times."""
    words = (text or "").split()
    steps: list[float] = []
    i = 0
    try:
        while i < len(words) and len(steps) < most:
            if words[i] == "g":
                steps += [float(words[i + 2])] * min(max(int(words[i + 1]), 0), most)
                i += 3
            else:
                steps.append(float(words[i]))
                i += 1
    except (ValueError, IndexError):
        return steps
    return steps[:most]


def _shift(x: float, y: float) -> Matrix:
    return np.array([[1, 0, 0], [0, 1, 0], [x, y, 1]], dtype=np.float64)


def _matrix(text: str | None) -> Matrix:
    values = numbers(text)
    if len(values) != 6:
        return np.eye(3)
    a, b, c, d, e, f = values
    return np.array([[a, b, 0], [c, d, 0], [e, f, 1]], dtype=np.float64)


def bounds(matrix: Matrix) -> Rectangle:
    """The unit square's place: left, top, right, bottom."""
    corners = np.array([[0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]], dtype=np.float64) @ matrix
    (x0, y0), (x1, y1) = corners[:, :2].min(axis=0).tolist(), corners[:, :2].max(axis=0).tolist()
    return x0, y0, x1, y1
