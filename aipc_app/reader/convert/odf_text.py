"""OpenDocument text: paragraphs, numbered lists, tables, notes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from aipc_app.reader.convert.grid import Merge, grid_lines
from aipc_app.reader.convert.numerals import number_text
from aipc_app.reader.convert.xml_tree import Element, attribute, child, children, descendants, local, number
from aipc_app.reader.failure import FailureKind, ReadingError

_LEFT_OUT = frozenset(
    (
        *("annotation", "annotation-end", "tracked-changes", "forms", "sequence-decls", "change", "change-start"),
        *(
            "change-end",
            "soft-page-break",
            "bookmark",
            "bookmark-start",
            "bookmark-end",
            "ruby-text",
            "event-listeners",
        ),
        *("object", "image", "binary-data", "page-thumbnail", "settings", "custom-shape-geometry"),
    )
)
_NUMERALS = {"1": "decimal", "i": "lowerRoman", "I": "upperRoman", "a": "lowerLetter", "A": "upperLetter"}
_CHINESE = {
    "一, 二, 三, ...": "chineseCounting", "壹, 贰, 叁, ...": "chineseLegalSimplified",
    "①, ②, ③, ...": "decimalEnclosedCircle",
}  # fmt: skip
_SPACE = re.compile(r"[ \t\r\n]+")
_DRAWINGS = (".svg", ".svm", ".wmf", ".emf")
_REPLACEMENTS = ("ObjectReplacements", "./ObjectReplacements")  # how charts and formulas look
_MAX_DEPTH = 100
_MAX_SPACES = 200


@dataclass(frozen=True)
class _Level:
    format: str  # "" for bullets
    before: str
    after: str
    start: int
    shown: int  # how many levels' numbers are written


class Lists:
    """What list styles write before items, and which style a paragraph style brings along."""

    def __init__(self, *roots: Element | None) -> None:
        self._levels: dict[str, dict[int, _Level]] = {}
        self._outline: dict[int, _Level] = {}
        for root in roots:
            for style in descendants(root, "list-style"):
                self._levels.setdefault(attribute(style, "name") or "", _levels(style))
            for style in descendants(root, "outline-style"):
                self._outline = self._outline or _levels(style)

    def level(self, style: str, depth: int) -> _Level | None:
        return self._levels.get(style, {}).get(depth)

    def outline(self, depth: int) -> _Level | None:
        return self._outline.get(depth)


def _levels(style: Element) -> dict[int, _Level]:
    found = {}
    for one in style:
        code = attribute(one, "num-format") or ""
        numbered = local(one) != "list-level-style-bullet" and bool(code)
        found[number(attribute(one, "level"), 1)] = _Level(
            format=_NUMERALS.get(code) or _CHINESE.get(code, "decimal") if numbered else "",
            before=attribute(one, "num-prefix") or "",
            after=attribute(one, "num-suffix") or "",
            start=number(attribute(one, "start-value"), 1),
            shown=number(attribute(one, "display-levels"), 1),
        )
    return found


class Flow:
    """Walks one text in order; notes are numbered through and come at its end."""

    def __init__(self, lists: Lists, picture_lines: Callable[[str], list[str]] = lambda _name: []) -> None:
        """`picture_lines`: what is recognised on a picture of the package, by its name."""
        self._lists, self._picture_lines = lists, picture_lines
        self._counters: dict[str, list[int]] = {}
        self._headings = [0] * 11
        self._notes: list[str] = []

    def lines(self, body: Element) -> list[str]:
        """The text under `body`; what is deleted, hidden or a comment is left out."""
        own = list(self._block(body, 0) if local(body) in ("p", "h", "list", "table") else self._blocks(body, 0))
        notes, self._notes = self._notes, []
        return [*own, *([""] if notes else []), *notes]

    def _blocks(self, parent: Element, depth: int) -> Iterator[str]:
        if depth > _MAX_DEPTH:
            raise ReadingError(FailureKind.DAMAGED, "This file is nested too deeply to be read; it may be damaged.")
        for block in parent:
            yield from self._block(block, depth)

    def _block(self, block: Element, depth: int) -> Iterator[str]:
        name = local(block)
        if name == "p":
            yield self._inline(block, depth)
        elif name == "h":
            yield from ("", self._heading(block, depth), "")
        elif name == "list":
            yield from self._list(block, attribute(block, "style-name") or "", 1, depth)
        elif name == "table":
            yield from ("", *self._table(block, depth), "")
        elif name == "image":
            yield from self._picture(block)
        elif name and name not in _LEFT_OUT and not _hidden(block):
            yield from self._blocks(block, depth + 1)

    def _picture(self, image: Element) -> list[str]:
        """A frame may hold the same picture in several forms: the first that is no drawing counts."""
        name = attribute(image, "href") or ""
        others = (attribute(one, "href") or "" for one in image.itersiblings("{*}image", preceding=True))
        known = any(not other.endswith(_DRAWINGS) for other in others)
        return [] if known or name.startswith(_REPLACEMENTS) else self._picture_lines(name)

    def _heading(self, heading: Element, depth: int) -> str:
        level = min(max(number(attribute(heading, "outline-level"), 1), 1), 10)
        text = self._inline(heading, depth)
        style = self._lists.outline(level)
        if style is None or not style.format or not text.strip():
            return text
        self._headings[level] = self._headings[level] + 1 if self._headings[level] else style.start
        self._headings[level + 1 :] = [0] * (10 - level)
        return f"{_label(style, self._headings[1 : level + 1])} {text}"

    def _list(self, one: Element, style: str, level: int, depth: int) -> Iterator[str]:
        if depth > _MAX_DEPTH:
            raise ReadingError(FailureKind.DAMAGED, "This file is nested too deeply to be read; it may be damaged.")
        counters = self._counters.setdefault(style, [0] * 11)
        if level <= 10 and attribute(one, "continue-numbering") != "true" and not attribute(one, "continue-list"):
            counters[level] = 0
        for item in one:
            if local(item) not in ("list-item", "list-header"):
                continue
            label = self._number(item, style, level, counters) if local(item) == "list-item" else ""
            for block in item:
                if local(block) == "list":
                    yield from self._list(block, attribute(block, "style-name") or style, level + 1, depth + 1)
                    continue
                for line in self._block(block, depth + 1):
                    yield label + line
                    label = "" if line.strip() else label

    def _number(self, item: Element, style: str, level: int, counters: list[int]) -> str:
        own = self._lists.level(style, level)
        if own is None or not own.format or level > 10 or not any(local(b) in ("p", "h") for b in item):
            return ""
        start = attribute(item, "start-value")
        counters[level] = number(start) if start else counters[level] + 1 if counters[level] else own.start
        counters[level + 1 :] = [0] * (10 - level)
        return f"{_label(own, counters[1 : level + 1])} "

    def _table(self, table: Element, depth: int) -> list[str]:
        rows: dict[int, dict[int, str]] = {}
        merges = []
        for at, row in enumerate(table.iter("{*}table-row")):
            if _table_of(row) is not table:
                continue
            rows[at], column = {}, 0
            for cell in row:
                if local(cell) not in ("table-cell", "covered-table-cell"):
                    continue
                rows[at][column] = " ".join(line for line in self._blocks(cell, depth + 1) if line)
                height = number(attribute(cell, "number-rows-spanned"), 1)
                width = number(attribute(cell, "number-columns-spanned"), 1)
                if height > 1 or width > 1:
                    merges.append(Merge(at, column, at + height - 1, column + width - 1))
                column += max(1, number(attribute(cell, "number-columns-repeated"), 1))
        return grid_lines(rows, merges)

    def _inline(self, paragraph: Element, depth: int) -> str:
        boxes: list[str] = []
        text = "".join(self._pieces(paragraph, depth, boxes)).strip(" ")
        return "\n".join([text, *boxes]) if boxes else text

    def _pieces(self, element: Element, depth: int, boxes: list[str]) -> Iterator[str]:
        if depth > _MAX_DEPTH:
            raise ReadingError(FailureKind.DAMAGED, "This file is nested too deeply to be read; it may be damaged.")
        yield _SPACE.sub(" ", element.text or "")
        for one in element:
            name = local(one)
            if name == "note":
                yield self._note(one, depth)
            elif name in ("s", "tab", "line-break"):
                yield " " * min(number(attribute(one, "c"), 1), _MAX_SPACES) if name == "s" else "\t\n"[name != "tab"]
            elif name in ("frame", "g", "custom-shape", "text-box"):
                boxes += [line for line in self._blocks(one, depth + 1) if line.strip()]
            elif name and name not in _LEFT_OUT and not _hidden(one):
                yield from self._pieces(one, depth + 1, boxes)
            yield _SPACE.sub(" ", one.tail or "")

    def _note(self, note: Element, depth: int) -> str:
        citation = child(note, "note-citation")
        mark = "".join(citation.itertext()) if citation is not None else ""
        body = child(note, "note-body")
        text = " ".join(line for line in self._blocks(body, depth + 1) if line) if body is not None else ""
        mark = mark.strip() or str(len(self._notes) + 1)
        self._notes.append(f"[{mark}] {text}")
        return f"[{mark}]"


def cell_text(cell: Element) -> str:
    """The paragraphs of a cell or a shape, without its comments."""
    return "\n".join(text for p in children(cell, "p") if (text := "".join(Flow(Lists())._pieces(p, 0, [])).strip()))


def _hidden(element: Element) -> bool:
    """Also what describes a picture to screen readers, which nobody sees."""
    if element.tag.startswith("{urn:oasis:names:tc:opendocument:xmlns:svg"):
        return True
    return local(element) in ("hidden-text", "hidden-paragraph") or attribute(element, "display") == "none"


def _table_of(row: Element) -> Element | None:
    return next(row.iterancestors("{*}table"), None)


def _label(level: _Level, numbers: list[int]) -> str:
    shown = [str(max(1, n)) for n in numbers[-max(1, level.shown) : -1]]
    return level.before + ".".join([*shown, number_text(numbers[-1], level.format)]) + level.after
