"""What is printed on every page and belongs to none: running heads and feet, page numbers, numbers beside lines.

They stay in the page's text; passages leave them out, and the printed page number is kept as the page's label.
Told by their place at the edge of the page and by coming back on other pages, never by their words alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec import Struct

from aipc_app.ingest.page_labels import Label, label_of, roman_value
from aipc_app.text.layout import display_width, is_row
from aipc_app.text.sentences import Span

_EDGE_LINES = 3
_FEWEST_PAGES = 3  # on which a line comes back before it counts as running
_SMALLEST_SHARE = 0.3  # of the pages: left and right pages may have different heads
_LONGEST_HEAD = 120  # columns
_MOST_NUMBERS = 6
_FEWEST_NUMBERED = 10
_SAID = re.compile(r"。|\w(?:\W+\w+){6,24}[.!?]\s*$")
_DIGITS = re.compile(r"[0-9]{1,9}")
_SPACES = re.compile(r"[\s\u3000]+")
_BARE_NUMBER = re.compile(r"[-–—·\s]*(?P<number>\d{1,5}|[ivxlcIVXLC]{1,7})[-–—·\s]*$")
_MAY_BE_NUMBERED = re.compile(r"^[ \t]*\d{1,3}[ \t\n]", re.MULTILINE)
_LINE_NUMBER = re.compile(r"[ \t]*(?P<number>\d{1,3})(?=[ \t]+\S|[ \t]*$)")


class Edges(Struct, frozen=True):
    """What of a page's text is body, which numbers inside it only count lines, and the label printed on the page."""

    body: Span
    line_numbers: tuple[Span, ...] = ()
    label: Label = Label()


class _Line(Struct, frozen=True):
    start: int
    end: int
    text: str
    keys: tuple[str, ...]
    row: bool


class _Page(Struct, frozen=True):
    """The first and last lines that are not blank, from the outer edge inwards."""

    length: int
    top: tuple[_Line, ...]
    bottom: tuple[_Line, ...]


def edges_of(texts: Sequence[str]) -> tuple[Edges, ...]:
    """The edges of each page of a document, in order.

    A line that runs over the pages is left out from its second appearance on: once, it can be found.
    """
    pages = [_page(text, index) for index, text in enumerate(texts)]
    running = _running(pages)
    tops = _printed_numbers([page.top[:1] for page in pages])
    bottoms = _printed_numbers([page.bottom[:1] for page in pages])
    seen: set[str] = set()
    found = []
    for index, (text, page) in enumerate(zip(texts, pages, strict=True)):
        label, numbered = _label(page, running, tops.get(index), bottoms.get(index))
        start = _body_start(page, running & seen, numbered)
        end = _body_end(page, running & seen, numbered, start)
        if not text[start:end].strip():  # all of it comes back: a form, or the page is nothing but its edges
            start = _body_start(page, frozenset(), numbered)
            end = _body_end(page, frozenset(), numbered, start)
        seen.update(key for line in (*page.top, *page.bottom) for key in line.keys)
        found.append(Edges(Span(start, end), _line_numbers(text[start:end], start), label))
    return tuple(found)


def _page(text: str, index: int) -> _Page:
    lines = []
    for start, end in _edge_lines(text):
        line = text[start:end]
        lines.append(_Line(start, end, line, tuple(_keys(line, index)), is_row(line)))
    half = (len(lines) + 1) // 2  # a page of few lines: none is both at the top and at the bottom
    return _Page(len(text), tuple(lines[:half][:_EDGE_LINES]), tuple(reversed(lines[half:]))[:_EDGE_LINES])


def _edge_lines(text: str) -> list[tuple[int, int]]:
    """The places of the first and the last lines with something on them."""
    first: list[tuple[int, int]] = []
    last: list[tuple[int, int]] = []
    at = 0
    while len(first) < _EDGE_LINES and at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        if text[at:end].strip():
            first.append((at, end))
        at = end + 1
    end = len(text)
    while len(last) < _EDGE_LINES and end >= at > 0:
        begin = text.rfind("\n", 0, end) + 1
        if begin < at:
            break
        if text[begin:end].strip():
            last.append((begin, end))
        end = begin - 1
    return first + last[::-1]


def _keys(line: str, index: int) -> Iterator[str]:
    """How a line is compared: as it is, and with each number in turn told from the page's place, which it may count."""
    bare = _SPACES.sub("", line).casefold()
    yield bare
    for match in islice(_DIGITS.finditer(bare), _MOST_NUMBERS):
        yield f"{bare[: match.start()]}#{int(match[0]) - index}#{bare[match.end() :]}"


def _running(pages: Sequence[_Page]) -> frozenset[str]:
    """The keys of lines that come back at the edges of enough pages."""
    counts: Counter[str] = Counter()
    for page in pages:
        counts.update({key for line in (*page.top, *page.bottom) if _may_run(line) for key in line.keys})
    least = max(_FEWEST_PAGES, _SMALLEST_SHARE * len(pages))
    return frozenset(key for key, count in counts.items() if count >= least)


def _may_run(line: _Line) -> bool:
    """A table's header comes back too, and belongs to the rows below it; a sentence is something that is said."""
    return not line.row and not _SAID.search(line.text) and any(character.isalpha() for character in line.text) and (
        display_width(line.text.strip()) <= _LONGEST_HEAD
    )


def _printed_numbers(edge: Sequence[tuple[_Line, ...]]) -> dict[int, str]:
    """By page index the bare number at one edge, where these numbers count the pages."""
    found: dict[int, tuple[str, int]] = {}
    for index, lines in enumerate(edge):
        match = _BARE_NUMBER.match(lines[0].text) if lines else None
        value = None if match is None else _value(match["number"])
        if match is not None and value is not None:
            found[index] = (match["number"], value)
    offsets = Counter(value - index for index, (_, value) in found.items())
    counting = {offset for offset, count in offsets.items() if count >= max(2, _SMALLEST_SHARE * len(found))}
    agreeing = {index: written for index, (written, value) in found.items() if value - index in counting}
    return agreeing if len(agreeing) >= max(2, _SMALLEST_SHARE * len(edge)) else {}


def _value(number: str) -> int | None:
    return int(number) if number.isdigit() else roman_value(number)


def _label(
    page: _Page, running: frozenset[str], top: str | None, bottom: str | None
) -> tuple[Label, frozenset[int]]:
    """The label printed on a page, and where the lines start that print nothing else."""
    number, volume, starts = "", "", set[int]()
    for line in (*page.bottom[:2], *page.top[:2]):
        told, alone = label_of(line.text)
        if alone or not running.isdisjoint(line.keys):
            number, volume = number or told.number, volume or told.volume
        if alone and told.number:
            starts.add(line.start)
    for lines, bare in ((page.bottom, bottom), (page.top, top)):
        if bare is not None:
            number = number or bare
            starts.add(lines[0].start)
    return Label(number, volume), frozenset(starts)


def _body_start(page: _Page, running: frozenset[str], numbered: frozenset[int]) -> int:
    start = 0
    for line in page.top:
        if line.start not in numbered and running.isdisjoint(line.keys):
            break
        start = min(line.end + 1, page.length)
    return start


def _body_end(page: _Page, running: frozenset[str], numbered: frozenset[int], start: int) -> int:
    end = page.length
    for line in page.bottom:
        if line.start not in numbered and running.isdisjoint(line.keys):
            break
        end = line.start
    return max(end, start)


def _line_numbers(text: str, offset: int) -> tuple[Span, ...]:
    """The numbers that count the lines (pleading paper, old judgments): a run of them in front of nearly all lines."""
    if sum(1 for _ in islice(_MAY_BE_NUMBERED.finditer(text), _FEWEST_NUMBERED)) < _FEWEST_NUMBERED:
        return ()
    numbered = list(_numbered(text))
    run: list[tuple[int, Span]] = []
    best: list[tuple[int, Span]] = []
    for value, span in numbered:
        if run and value - run[-1][0] not in (1, 5):
            best, run = max(best, run, key=len), []
        run.append((value, span))
    best = max(best, run, key=len)
    if len(best) < _FEWEST_NUMBERED:
        return ()
    lines = [line for line in text.split("\n") if line.strip()]
    step = max(1, best[1][0] - best[0][0])
    bare = sum(1 for _value, span in best if text[span.start : span.end].strip() == _line_at(text, span))
    counted = len(best) * step if not bare else len(best)
    if counted < 0.4 * len(lines) or (not bare and counted < 0.9 * len(lines)):
        return ()  # the numbers of a table's rows or of a list
    return tuple(Span(span.start + offset, span.end + offset) for _value, span in best)


def _numbered(text: str) -> Iterator[tuple[int, Span]]:
    at = 0
    for line in text.split("\n"):
        match = None if is_row(line) else _LINE_NUMBER.match(line)
        if match is not None:
            yield int(match["number"]), Span(at + match.start("number"), at + match.end("number"))
        at += len(line) + 1


def _line_at(text: str, span: Span) -> str:
    end = text.find("\n", span.start)
    return text[text.rfind("\n", 0, span.start) + 1 : len(text) if end < 0 else end].strip()
