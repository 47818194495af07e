"""OFD's path language as polygons."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.float64]
_PIECES = 16  # of a curve
_MOST_POINTS = 200_000
_TAKES = {"M": 2, "S": 2, "L": 2, "Q": 4, "B": 6, "A": 7, "C": 0}


def polygons(data: str) -> list[tuple[Points, bool]]:
    """Each stretch of a path with whether it is closed; nonsense ends the path."""
    done: list[tuple[Points, bool]] = []
    points: list[tuple[float, float]] = []
    total = 0

    def finish(closed: bool) -> None:
        if len(points) > 1:
            done.append((np.array(points, dtype=np.float64), closed))

    for command, values in _commands(data):
        if command in "MS":
            finish(False)
            points = [(values[0], values[1])]
        elif command == "C":
            finish(True)
            points = points[:1]
        elif points:
            points += _drawn(points[-1], command, values)
        total += _PIECES
        if total > _MOST_POINTS:
            break
    finish(False)
    return done


def _commands(data: str) -> list[tuple[str, list[float]]]:
    commands: list[tuple[str, list[float]]] = []
    words = data.replace(",", " ").split()
    i = 0
    while i < len(words) and words[i] in _TAKES:
        count = _TAKES[words[i]]
        try:
            values = [float(word) for word in words[i + 1 : i + 1 + count]]
        except ValueError:
            break
        if len(values) < count or not all(math.isfinite(value) and abs(value) < 1e7 for value in values):
            break
        commands.append((words[i], values))
        i += 1 + count
    return commands


def _drawn(start: tuple[float, float], command: str, values: list[float]) -> list[tuple[float, float]]:
    if command == "L":
        return [(values[0], values[1])]
    if command == "A":
        return _arc(start, values)
    x0, y0 = start
    if command == "Q":
        (x1, y1), (x3, y3) = values[:2], values[2:]
        controls = [(x0 + 2 / 3 * (x1 - x0), y0 + 2 / 3 * (y1 - y0)), (x3 + 2 / 3 * (x1 - x3), y3 + 2 / 3 * (y1 - y3))]
    else:
        controls, (x3, y3) = [(values[0], values[1]), (values[2], values[3])], (values[4], values[5])
    return [_cubic((x0, y0), controls[0], controls[1], (x3, y3), i / _PIECES) for i in range(1, _PIECES + 1)]


def _cubic(
    a: tuple[float, float], b: tuple[float, float], c: tuple[float, float], d: tuple[float, float], t: float
) -> tuple[float, float]:
    u = 1 - t
    weights = u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t
    x, y = (sum(w * p[k] for w, p in zip(weights, (a, b, c, d), strict=True)) for k in (0, 1))
    return x, y


def _arc(start: tuple[float, float], values: list[float]) -> list[tuple[float, float]]:
    """An elliptic arc from end point to centre form, as SVG describes it."""
    rx, ry, angle, large, sweep, x, y = values
    rx, ry, turn = abs(rx), abs(ry), math.radians(angle)
    if rx == 0 or ry == 0 or (x, y) == start:
        return [(x, y)]
    cos, sin = math.cos(turn), math.sin(turn)
    dx, dy = (start[0] - x) / 2, (start[1] - y) / 2
    px, py = cos * dx + sin * dy, -sin * dx + cos * dy
    grow = math.sqrt(max(1.0, (px / rx) ** 2 + (py / ry) ** 2))
    rx, ry = rx * grow, ry * grow
    below = (rx * py) ** 2 + (ry * px) ** 2
    root = math.sqrt(max(0.0, (rx * ry) ** 2 - below) / below) if below else 0.0
    root = -root if bool(large) == bool(sweep) else root
    cx, cy = root * rx * py / ry, -root * ry * px / rx
    mx, my = cos * cx - sin * cy + (start[0] + x) / 2, sin * cx + cos * cy + (start[1] + y) / 2
    first = math.atan2((py - cy) / ry, (px - cx) / rx)
    span = math.atan2((-py - cy) / ry, (-px - cx) / rx) - first
    if sweep and span < 0:
        span += 2 * math.pi
    elif not sweep and span > 0:
        span -= 2 * math.pi
    angles = [first + span * i / _PIECES for i in range(1, _PIECES + 1)]
    return [
        (mx + rx * math.cos(a) * cos - ry * math.sin(a) * sin, my + rx * math.cos(a) * sin + ry * math.sin(a) * cos)
        for a in angles
    ]
