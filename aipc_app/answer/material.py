"""What an answer may rest on: the parts of stored pages that were put into the prompt."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from aipc_app.domain.documents import Document, Page, PageState, Passage
from aipc_app.text.names import find_names
from aipc_app.text.normalise import comparable

_PAST_CASES = re.compile(
    r"类案|判例|先例|类似案|判决书|以往|法规|past case|precedent|similar case|judgment", re.IGNORECASE
)
UNREADABLE = (PageState.EMPTY, PageState.GARBLED, PageState.FAILED)


class Source(Struct, frozen=True, kw_only=True):
    """A stretch of one stored page, `start` to `end`; `page_text` is the whole page.

    `aside`: of the library, and of another matter than the case that is asked; no proof of this case's facts.
    `along`: not found for the question; it belongs to an article that was.
    """

    document_id: int
    document: str
    page: int
    page_text: str
    start: int
    end: int
    library: bool = False
    aside: bool = False
    along: bool = False
    label: str = ""  # heading and article, for the prompt

    @property
    def text(self) -> str:
        return self.page_text[self.start : self.end]


def whole_sources(document: Document, pages: Iterable[Page]) -> tuple[Source, ...]:
    """Every page of a document that could be read."""
    return tuple(
        Source(
            document_id=document.id,
            document=document.name,
            page=page.number,
            page_text=page.text,
            start=0,
            end=len(page.text),
        )
        for page in pages
        if page.state not in UNREADABLE and page.text.strip()
    )


def passage_source(
    passage: Passage, page_text: str, *, library: bool, aside: bool = False, along: bool = False
) -> Source:
    """One found passage."""
    label = " ".join(part for part in (passage.heading, passage.article) if part)
    return Source(
        document_id=passage.document_id,
        document=passage.document,
        page=passage.page,
        page_text=page_text,
        start=passage.start,
        end=passage.end,
        library=library,
        aside=aside,
        along=along,
        label=label,
    )


def of_another_matter(passage: Passage, question: str) -> bool:
    """Statutes are about every case; a past judgment is about its own, unless it is just what is asked for."""
    if passage.article is not None or _PAST_CASES.search(question):
        return False
    document = comparable(passage.document)
    return not any(comparable(name) in document for name in find_names(question))


def in_document_order(sources: Iterable[Source], order: Sequence[int]) -> tuple[Source, ...]:
    """Sorted by the case's own document order, then by place; what is in no order comes last, by document."""
    rank = {document_id: position for position, document_id in enumerate(order)}
    return tuple(sorted(sources, key=lambda s: (rank.get(s.document_id, len(rank)), s.document_id, s.page, s.start)))
