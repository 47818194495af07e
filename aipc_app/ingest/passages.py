"""Pages as passages that can be found: cut, with their words and facts; and the labels printed on the pages."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from aipc_app.domain.documents import Page, PageState, PassageDraft
from aipc_app.ingest.chunk import PageText, cut
from aipc_app.ingest.clauses import clauses_in
from aipc_app.ingest.running_heads import edges_of
from aipc_app.store import IndexedPassage
from aipc_app.text.fact_keys import fact_keys
from aipc_app.text.tokens import search_tokens

READABLE = (PageState.TEXT, PageState.OCR)


class Drafted(msgspec.Struct, frozen=True):
    """A passage to be, and the text it is found by: numbers that only count its lines are blank there."""

    draft: PassageDraft
    searched: str


def drafts_of(pages: Sequence[Page]) -> list[Drafted]:
    """The passages of a document, of its readable pages alone, in order of place."""
    readable = [PageText(page.number, page.text) for page in pages if page.state in READABLE]
    return [
        Drafted(
            PassageDraft(
                page=one.page, start=one.start, end=one.end, text=one.text, heading=one.heading, article=one.article
            ),
            one.searched,
        )
        for one in cut(readable)
    ]


def index_passage(draft: PassageDraft, searched: str | None = None) -> IndexedPassage:
    """A passage with the words it is found by, its heading's among them, and its facts."""
    text = draft.text if searched is None else searched
    words = f"{draft.heading}\n{text}" if draft.heading else text
    stated = "\n".join((*clauses_in(text, draft.article), draft.article or "", text))
    return IndexedPassage(draft=draft, tokens=" ".join(search_tokens(words)), facts=fact_keys(stated))


def labelled(pages: Sequence[Page]) -> tuple[Page, ...]:
    """The pages with the number, and the volume, that is printed on them."""
    labels = [edges.label.text for edges in edges_of([page.text for page in pages])]
    return tuple(
        msgspec.structs.replace(page, label=label) if label else page for page, label in zip(pages, labels, strict=True)
    )
