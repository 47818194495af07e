"""Footnotes of a PDF: each at the foot of the page where its mark stands, on the fly, page by page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from reportlab.platypus import Frame, Paragraph
from reportlab.platypus import Table as Grid

_PREFIX = "note-"
_RULE_ABOVE, _RULE_WIDTH = 6.0, 120.0  # points
_TRIES = 6
_SLACK = 0.01  # points: sums of heights are not exact


def note_target(number: int) -> str:
    """What a mark links to, and how it is recognised."""
    return f"{_PREFIX}{number}"


class NotedFrame(Frame):  # type: ignore[misc]
    """Gives text only the room that is left above its notes. `notes`: the paragraph of each, by its number."""

    def __init__(self, *place: float, notes: dict[int, Paragraph], **options: Any) -> None:
        super().__init__(*place, **options)
        self._notes = notes
        self._bottom: float = self._y1p
        self._heights: dict[int, float] = {}

    def _reset(self) -> None:
        super()._reset()
        self._here: list[int] = []
        if hasattr(self, "_bottom"):
            self._y1p = self._bottom

    def _add(self, flowable: Any, canv: Any, trySplit: int = 0) -> int:  # noqa: N803 - reportlab's name
        """As Frame's, above the notes that are on the page and those it brings."""
        before = self._y1p
        self._y1p = self._bottom + self._height_of([*self._here, *notes_of(flowable)], canv)
        added = int(super()._add(flowable, canv, trySplit))
        if added:
            self._here += [number for number in notes_of(flowable) if number not in self._here]
        else:
            self._y1p = before
        return added

    add = _add

    def split(self, flowable: Any, canv: Any) -> list[Any]:
        """A first part that fits above its own notes, as much as does, and the rest."""
        before = self._y1p
        try:
            if not isinstance(flowable, Grid):
                return self._split_by_trying(flowable, canv)
            height = self._fitting_rows(flowable, canv)
            if height:
                self._y1p = self._y - height - _SLACK
                return list(super().split(flowable, canv))
            return self._split_by_trying(flowable, canv) if self._atTop else []  # a row as high as a page
        finally:
            self._y1p = before

    def _fitting_rows(self, table: Any, canv: Any) -> float:
        """The height of as many of the table's first rows as fit together with their notes; 0 if no row does."""
        table.wrapOn(canv, self._aW, self._aH)
        fitting = used = 0.0
        numbers = [*self._here]
        for place, (row, height) in enumerate(zip(table._cellvalues, table._rowHeights, strict=True)):
            used += height
            numbers += _marked_in(row)
            if used > self._y - self._bottom - self._height_of(numbers, canv):
                break
            if place >= table.repeatRows:  # a head alone is no part
                fitting = used
        return fitting

    def _split_by_trying(self, flowable: Any, canv: Any) -> list[Any]:
        """Less and less room, until the notes of the first part fit too."""
        parts: list[Any] = []
        room = [*self._here]
        for _ in range(_TRIES):
            self._y1p = self._bottom + self._height_of(room, canv)
            parts = super().split(flowable, canv)
            needed = [*self._here, *(notes_of(parts[0]) if parts else ())]
            if not parts or self._height_of(needed, canv) <= self._height_of(room, canv):
                break
            room = needed
        return parts if len(parts) > 1 else []

    def draw_notes(self, canv: Any) -> None:
        """Once the page is full."""
        if not self._here:
            return
        y = self._bottom + self._height_of(self._here, canv) - _RULE_ABOVE
        canv.saveState()
        canv.setLineWidth(0.5)
        canv.line(self._x1, y, self._x1 + _RULE_WIDTH, y)
        canv.restoreState()
        y -= _RULE_ABOVE
        for number in self._here:
            note = self._notes[number]
            _, height = note.wrapOn(canv, self._aW, self._aH)
            y -= height
            note.drawOn(canv, self._x1, y)

    def _height_of(self, numbers: Sequence[int], canv: Any) -> float:
        known = dict.fromkeys(numbers)
        if not known:
            return 0.0
        return 2 * _RULE_ABOVE + sum(self._note_height(number, canv) for number in known)

    def _note_height(self, number: int, canv: Any) -> float:
        if number not in self._heights:
            self._heights[number] = self._notes[number].wrapOn(canv, self._aW, self._aH)[1]
        return self._heights[number]


def notes_of(flowable: Any) -> tuple[int, ...]:
    """The notes marked in a paragraph or a table, or in a part of one, in reading order."""
    return tuple(dict.fromkeys(_marked(flowable)))


def is_mark(fragment: Any) -> bool:
    """A piece of text that is a note's number."""
    return any(True for _ in _numbers(fragment))


def _numbers(fragment: Any) -> Iterator[int]:
    for link in getattr(fragment, "link", None) or ():
        target = str(link[1] if isinstance(link, tuple) else link).lstrip("#")
        if target.startswith(_PREFIX):
            yield int(target.removeprefix(_PREFIX))


def _marked(flowable: Any) -> Iterator[int]:
    if isinstance(flowable, Paragraph):
        for fragment in flowable.frags:
            yield from _numbers(fragment)
    elif isinstance(flowable, Grid):
        for row in flowable._cellvalues:
            yield from _marked_in(row)


def _marked_in(row: Any) -> Iterator[int]:
    for cell in row:
        for part in cell if isinstance(cell, list | tuple) else (cell,):
            yield from _marked(part)
