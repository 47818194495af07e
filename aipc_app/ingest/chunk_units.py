"""What is not cut any further (articles, sentences, rows), and how such units are gathered into passages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from aipc_app.ingest.chunk_blocks import Block
from aipc_app.ingest.table_heads import TableHeads
from aipc_app.text.layout import is_row, soft_breaks
from aipc_app.text.sentences import Span, split_sentences

_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff]")
_SOFT_MARK = re.compile(r"[，,、；;：:\s]")
_CELL_MARK = re.compile(r"\t| \| ")
_LINE_END = re.compile(r"\n|\Z")


class Limits(msgspec.Struct, frozen=True):
    """Sizes of passages. The unit is a Chinese character; a Latin word counts two."""

    target: int = 400
    maximum: int = 600
    minimum: int = 80
    clause_minimum: int = 300  # short clauses stand together: one by one they lose what they are about
    overlap: int = 100
    longest_row: int = 1600


class Unit(msgspec.Struct, frozen=True):
    """What is not cut any further: a sentence, a row, a paragraph, or a piece of one that is too long."""

    start: int
    end: int
    weight: int
    block: Block
    opens: bool = False
    row: bool = False
    table: str | None = None  # the header that its row stands under, where it isn't the header itself


def units_of(text: str, block: Block, limits: Limits) -> list[Unit]:
    """What a block of the page `text` falls into: an article that fits is one unit, the first one opens the block."""
    start, end = block.start, block.end
    if block.article is not None and (whole := _weight(text[start:end])) <= limits.maximum:
        trimmed = _trimmed(text, start, end)
        return [Unit(*trimmed, whole, block, opens=True)] if trimmed else []
    spans = _paragraphs(text[start:end]) if block.article is not None else split_sentences(text[start:end])
    placed = [Span(start + span.start, start + span.end) for span in spans]
    units = [unit for span in placed for unit in _fitting(text, span, block, limits)]
    return [msgspec.structs.replace(units[0], opens=True), *units[1:]] if units else []


def _paragraphs(text: str) -> list[Span]:
    """Paragraphs (款, 项) of an article: lines, joined where the printed line was merely full."""
    soft = soft_breaks(text)
    spans, start = [], 0
    for match in _LINE_END.finditer(text):
        if match.start() not in soft:
            spans.append(Span(start, match.start()))
            start = match.end()
    trimmed = [_trimmed(text, span.start, span.end) for span in spans]
    return [Span(*one) for one in trimmed if one]


def _fitting(text: str, span: Span, block: Block, limits: Limits) -> Iterator[Unit]:
    """The span as one unit, or what it is cut into: a paragraph at its sentences, the rest by length."""
    written = text[span.start : span.end]
    weight, row = _weight(written), is_row(written)
    if weight <= (limits.longest_row if row else limits.maximum):
        yield Unit(span.start, span.end, weight, block, row=row)
        return
    sentences = split_sentences(written)
    if len(sentences) > 1:
        for one in sentences:
            yield from _fitting(text, Span(span.start + one.start, span.start + one.end), block, limits)
        return
    for start, end in _pieces(written, weight, limits.target, _CELL_MARK if row else _SOFT_MARK):
        piece = _trimmed(text, span.start + start, span.start + end)
        if piece:
            yield Unit(*piece, _weight(text[slice(*piece)]), block, row=row)


def _pieces(text: str, weight: int, target: int, mark: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Ranges of about the target weight, cut behind the last mark in the second half of each, or where it must be."""
    size = max(1, len(text) * target // weight)
    start = 0
    while len(text) - start > size:
        marks = list(mark.finditer(text, start + size // 2, start + size))
        end = marks[-1].end() if marks else start + size
        yield start, end
        start = end
    yield start, len(text)


def under_heads(text: str, units: list[Unit], heads: TableHeads) -> list[Unit]:
    """The units, rows among them with the header they stand under."""
    placed = []
    for unit in units:
        head = heads.over(text[unit.start : unit.end], row=unit.row)
        placed.append(msgspec.structs.replace(unit, table=head) if head else unit)
    return placed


def packed(units: Sequence[Unit], limits: Limits) -> list[list[Unit]]:
    """Units gathered into passages of the target weight; a short last unit is said again by the next passage.

    A heading starts a new passage unless the one before is tiny; so does not a tiny end of the document.
    """
    passages: list[list[Unit]] = []
    fresh: list[Unit] = []  # what no earlier passage has
    repeated: list[Unit] = []
    for unit in units:
        weight = _total(repeated) + _total(fresh)
        enough = limits.clause_minimum if unit.block.clause else limits.minimum
        if fresh and (weight + unit.weight > limits.target or (unit.opens and weight >= enough)):
            passages.append(repeated + fresh)
            repeated = [] if unit.opens else _again(fresh, unit, limits)
            fresh = []
        fresh.append(unit)
    return _with_tail(passages, repeated, fresh, limits)


def _again(fresh: list[Unit], unit: Unit, limits: Limits) -> list[Unit]:
    last = fresh[-1]
    short = last.weight <= limits.overlap and last.weight + unit.weight <= limits.target
    return [last] if short and len(fresh) > 1 and not last.row else []


def _with_tail(
    passages: list[list[Unit]], repeated: list[Unit], fresh: list[Unit], limits: Limits
) -> list[list[Unit]]:
    tiny = _total(fresh) < limits.minimum
    if passages and tiny and _total(passages[-1]) + _total(fresh) <= limits.maximum:
        return [*passages[:-1], passages[-1] + fresh]
    return [*passages, repeated + fresh] if fresh else passages


def _total(units: Sequence[Unit]) -> int:
    return sum(unit.weight for unit in units)


def _weight(text: str) -> int:
    """Chinese characters, Latin words twice; never less than a quarter of the characters (long codes)."""
    han = len(_HAN.findall(text))
    words = len(text.split()) if han * 2 < len(text) else 0
    return max(han + 2 * words, len(text) // 4, 1)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    bare = text[start:end]
    left, right = len(bare) - len(bare.lstrip()), len(bare.rstrip())
    return (start + left, start + right) if left < right else None
