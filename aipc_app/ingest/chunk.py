"""Pages cut into passages: statutes at their articles, agreements at their clauses, other text at sentences.

A passage never crosses a page and is exactly the page's text from `start` to `end`. Every character that is no
space is in at least one passage, but for what running_heads.py finds to be no part of the page's body.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from aipc_app.ingest.chunk_blocks import Block, BlockReader
from aipc_app.ingest.chunk_units import Limits, Unit, packed, under_heads, units_of
from aipc_app.ingest.running_heads import edges_of
from aipc_app.ingest.table_heads import TableHeads
from aipc_app.text.sentences import Span

__all__ = ["Cut", "Limits", "PageText", "cut"]


class PageText(msgspec.Struct, frozen=True):
    """A page as it was read: its number from 1 and its text, with line ends as "\\n"."""

    number: int
    text: str


class Cut(msgspec.Struct, frozen=True):
    """A passage to be: `text` is the page's text from start to end; `continued` if its article began before."""

    page: int
    start: int
    end: int
    text: str
    heading: str | None = None
    article: str | None = None
    continued: bool = False
    line_numbers: tuple[Span, ...] = ()  # in `text`, of numbers that only count its lines

    @property
    def searched(self) -> str:
        """The text by which it is found: numbers that count lines are blank."""
        text = self.text
        for span in self.line_numbers:
            text = text[: span.start] + " " * (span.end - span.start) + text[span.end :]
        return text


def cut(pages: Sequence[PageText], *, limits: Limits | None = None) -> tuple[Cut, ...]:
    """The passages of a document, in order of place."""
    limits = limits or Limits()
    texts = [page.text for page in pages]
    reader, heads = BlockReader.of(texts), TableHeads()
    cuts: list[Cut] = []
    for page, edges in zip(pages, edges_of(texts), strict=True):
        blocks = reader.blocks(page.text, edges.body)
        units = [under_heads(page.text, units_of(page.text, block, limits), heads) for block in blocks]
        if reader.statute:
            gathered = [one for group in units for one in packed(group, _without_overlap(limits))]
        else:
            gathered = packed([unit for group in units for unit in group], limits)
        cuts += (_numbered(one, edges.line_numbers) for one in _cuts(page, gathered))
    return tuple(cuts)


def _numbered(one: Cut, numbers: Sequence[Span]) -> Cut:
    inside = [span for span in numbers if one.start <= span.start and span.end <= one.end]
    placed = tuple(Span(span.start - one.start, span.end - one.start) for span in inside)
    return msgspec.structs.replace(one, line_numbers=placed) if placed else one


def _cuts(page: PageText, gathered: Sequence[list[Unit]]) -> Iterator[Cut]:
    previous: Block | None = None
    for units in gathered:
        block = units[0].block
        start, end = units[0].start, units[-1].end
        again = block.article is not None and block is previous
        heading = " / ".join(part for part in (block.heading, units[0].table) if part) or None
        yield Cut(page.number, start, end, page.text[start:end], heading, block.article, block.continued or again)
        previous = block


def _without_overlap(limits: Limits) -> Limits:
    return msgspec.structs.replace(limits, overlap=0)
