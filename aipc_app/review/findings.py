"""Makes findings of what was found word for word, and of nothing."""

from __future__ import annotations

from collections.abc import Sequence

from aipc_app.answer.material import Source
from aipc_app.answer.proof import cite
from aipc_app.domain.answers import Citation, Sentence, SentenceState
from aipc_app.domain.review import Cell, Finding, FindingStatus, Item
from aipc_app.review.look.hits import Hit, Looked
from aipc_app.review.wording import said
from aipc_app.store import Store


class Citing:
    """The citations of one finding, numbered as they come; the same place once."""

    def __init__(self, store: Store, sources: Sequence[Source]) -> None:
        self._store, self._sources = store, sources
        self._markers: dict[tuple[int, int, int, int], int] = {}
        self.citations: list[Citation] = []

    def mark(self, source: int, start: int, end: int) -> int:
        """The marker of this stretch of a source's page."""
        page = self._sources[source]
        key = (page.document_id, page.page, start, end)
        if key not in self._markers:
            self._markers[key] = len(self.citations) + 1
            self.citations.append(cite(self._store, page, start, end, self._markers[key]))
        return self._markers[key]

    def hit(self, hit: Hit) -> int:
        return self.mark(hit.source, hit.start, hit.end)


def quoted(item: Item, looked: Looked, sources: Sequence[Source], store: Store) -> Finding:
    """What code found: each line or cell cites the place it stands at."""
    citing = Citing(store, sources)
    lines = tuple(
        Sentence(text=hit.text, state=SentenceState.SUPPORTED, citations=(citing.hit(hit),)) for hit in looked.hits
    )
    rows = tuple(
        tuple(Cell(text=hit.text, citations=(citing.hit(hit),) if hit.text else ()) for hit in row)
        for row in looked.rows
    )
    return found(item, lines, rows, tuple(citing.citations))


def found(
    item: Item,
    lines: tuple[Sentence, ...],
    rows: tuple[tuple[Cell, ...], ...],
    citations: tuple[Citation, ...],
) -> Finding:
    """The finding's state is that of its best line: what is in doubt is marked line by line."""
    states = {line.state for line in lines} | {cell.state for row in rows for cell in row}
    order = (
        (SentenceState.SUPPORTED, FindingStatus.SUPPORTED),
        (SentenceState.IN_DOUBT, FindingStatus.IN_DOUBT),
    )
    status = next((status for state, status in order if state in states), FindingStatus.UNSUPPORTED)
    reason = "" if status is FindingStatus.SUPPORTED else next((line.reason for line in lines if line.reason), "")
    return Finding(
        item=item.id, status=status, value=plain_value(lines, rows), sentences=lines, rows=rows, citations=citations,
        reason=reason,
    )  # fmt: skip


def plain_value(lines: Sequence[Sentence], rows: Sequence[Sequence[Cell]]) -> str:
    """All of it as plain text."""
    told = [line.text for line in lines]
    table = [" | ".join(cell.text for cell in row) for row in rows]
    return "\n".join((*told, *table))


def not_found(item: Item, language: str, key: str = "nothing") -> Finding:
    return Finding(item=item.id, status=FindingStatus.NOT_FOUND, reason=said(key, language))


def failed(item: Item, reason: str) -> Finding:
    return Finding(item=item.id, status=FindingStatus.FAILED, reason=reason)
