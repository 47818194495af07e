"""The numbers that Word writes before paragraphs: 第一条, （二）, 1.1, a) and so on."""

from __future__ import annotations

import re
from dataclasses import dataclass

from aipc_app.reader.convert.docx_package import Element, attribute, child, local
from aipc_app.reader.convert.numerals import number_text

_LEVELS = 9
_UNNUMBERED = ("bullet", "none")
_PLACEHOLDER = re.compile(r"%([1-9])")


@dataclass(frozen=True)
class Level:
    """`text` has %1 for the number of level 0, and so on."""

    start: int
    format: str
    text: str
    legal: bool  # shows the numbers of higher levels in Arabic digits
    restart: int | None  # restarts after this level (from 1) or a higher one; 0: never


class Numbering:
    """Counts as it goes: ask for labels in the order of the paragraphs."""

    def __init__(self, root: Element | None) -> None:
        self._abstract_of: dict[str, str] = {}
        self._levels: dict[str, dict[int, Level]] = {}
        self._starts: dict[tuple[str, int], int] = {}
        self._counters: dict[str, list[int | None]] = {}
        self._seen: set[str] = set()
        if root is not None:
            self._load(root)

    def define(self, number_id: str, abstract_id: str, levels: dict[int, Level], starts: dict[int, int]) -> None:
        """A list of a format that isn't DOCX: its levels, and those that start anew where it is first used."""
        self._abstract_of[number_id] = abstract_id
        self._levels[number_id] = levels
        self._starts |= {(number_id, level): start for level, start in starts.items()}

    def label(self, number_id: str, level: int) -> str:
        """The next label of a list's level, "" for bullets and unknown lists."""
        abstract = self._abstract_of.get(number_id)
        levels = self._levels.get(number_id, {})
        if abstract is None or level not in levels:
            return ""
        counters = self._counters.setdefault(abstract, [None] * _LEVELS)
        self._apply_overrides(number_id, counters)
        self._count(counters, levels, level)
        return self._shown(levels, counters, level)

    def _apply_overrides(self, number_id: str, counters: list[int | None]) -> None:
        """A list that restarts an abstract one does so when first used."""
        if number_id in self._seen:
            return
        self._seen.add(number_id)
        for (owner, level), _start in self._starts.items():
            if owner == number_id:
                counters[level] = None

    def _count(self, counters: list[int | None], levels: dict[int, Level], level: int) -> None:
        for higher in range(level):  # a level that was skipped counts as used
            if counters[higher] is None and higher in levels:
                counters[higher] = levels[higher].start
        current = counters[level]
        counters[level] = levels[level].start if current is None else current + 1
        for deeper in range(level + 1, _LEVELS):
            restart = levels[deeper].restart if deeper in levels else None
            if restart is None or level < restart:
                counters[deeper] = None

    def _shown(self, levels: dict[int, Level], counters: list[int | None], level: int) -> str:
        own = levels[level]
        if own.format == "bullet":
            return ""

        def number(match: re.Match[str]) -> str:
            index = int(match.group(1)) - 1
            of, value = levels.get(index), counters[index]
            if of is None or value is None or of.format in _UNNUMBERED:
                return ""
            return number_text(value, "decimal" if own.legal else of.format)

        return _PLACEHOLDER.sub(number, own.text)

    def _load(self, root: Element) -> None:
        abstracts = {attribute(e, "abstractNumId"): e for e in root if local(e) == "abstractNum"}
        for num in (e for e in root if local(e) == "num"):
            number_id, abstract_id = attribute(num, "numId"), attribute(child(num, "abstractNumId"), "val")
            abstract = abstracts.get(abstract_id)
            if number_id is None or abstract_id is None or abstract is None:
                continue
            self._abstract_of[number_id] = abstract_id
            levels = {int(attribute(e, "ilvl") or 0): _level(e) for e in abstract if local(e) == "lvl"}
            self._override(number_id, num, levels)
            self._levels[number_id] = levels

    def _override(self, number_id: str, num: Element, levels: dict[int, Level]) -> None:
        for override in (e for e in num if local(e) == "lvlOverride"):
            level = int(attribute(override, "ilvl") or 0)
            own = child(override, "lvl")
            if own is not None:
                levels[level] = _level(own)
            start = attribute(child(override, "startOverride"), "val")
            if start is not None and level in levels:
                old = levels[level]
                levels[level] = Level(int(start), old.format, old.text, old.legal, old.restart)
                self._starts[number_id, level] = int(start)


def _level(element: Element) -> Level:
    restart = attribute(child(element, "lvlRestart"), "val")
    legal = child(element, "isLgl")
    return Level(
        start=int(attribute(child(element, "start"), "val") or 0),
        format=attribute(child(element, "numFmt"), "val") or "decimal",
        text=attribute(child(element, "lvlText"), "val") or "",
        legal=legal is not None and attribute(legal, "val") not in ("0", "false"),
        restart=int(restart) if restart is not None else None,
    )
