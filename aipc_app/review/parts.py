"""Long documents cut into parts that fit the model, page by page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from msgspec.structs import replace

from aipc_app.answer.gather import OVERHEAD_TOKENS
from aipc_app.answer.material import Source


class Counts(Protocol):
    """The part of an engine this needs."""

    def count_tokens(self, texts: Sequence[str]) -> tuple[int, ...]: ...


def parts_of(sources: Sequence[Source], engine: Counts, context_tokens: int) -> tuple[tuple[Source, ...], ...]:
    """The sources in order, in as few parts as leave room for questions and answers. Blocks briefly."""
    room = max(512, context_tokens - OVERHEAD_TOKENS)
    pieces = [piece for source in sources for piece in _pieces(source, room)]
    counts = engine.count_tokens([piece.text for piece in pieces])
    parts: list[list[Source]] = []
    used = room
    for piece, tokens in zip(pieces, counts, strict=True):
        if used + tokens > room:
            parts.append([])
            used = 0
        parts[-1].append(piece)
        used += tokens
    return tuple(tuple(part) for part in parts)


def _pieces(source: Source, room: int) -> list[Source]:
    """A page that is longer than the model takes, in stretches; a character is at most about a token."""
    if len(source.text) <= room:
        return [source]
    starts = range(source.start, source.end, room)
    return [replace(source, start=start, end=min(source.end, start + room)) for start in starts]
