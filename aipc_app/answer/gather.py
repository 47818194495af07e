"""Decides how the material is read and gathers it: whole documents, or passages found for this question."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from aipc_app.answer.material import Source, in_document_order, of_another_matter, passage_source, whole_sources
from aipc_app.answer.prompt import build, document_texts
from aipc_app.domain.answers import Mode, Question, Turn
from aipc_app.domain.documents import LIBRARY_ID, Document, Evidence, Passage, SearchResult
from aipc_app.errors import UserMistake
from aipc_app.search.service import SearchService
from aipc_app.store import Store
from engine.client.base import EngineClient
from engine.types.prompt import SegmentKind

LIBRARY_PASSAGES = 4  # for a case's question that the case itself doesn't answer
MOST_ALONG = 2  # articles that belong to found ones: each is read by the model before it answers
_NOTHING = SearchResult(evidence=(), seconds=0.0)
_MOST_COUNTED = 500
OVERHEAD_TOKENS = 1600  # system text, found passages in whole mode, question, template


class Gathered(Struct, frozen=True, kw_only=True):
    """`documents` are read whole; `passages` were found for this question; `evidence` is what search showed.

    `law`: library passages that a case's question may turn to when the case itself doesn't tell.
    """

    mode: Mode
    documents: tuple[Source, ...]
    passages: tuple[Source, ...]
    law: tuple[Source, ...]
    evidence: tuple[Evidence, ...]
    seconds: float

    @property
    def sources(self) -> tuple[Source, ...]:
        return (*self.documents, *self.passages)

    def with_law(self) -> Gathered:
        """The same with the library's passages put in."""
        return replace(self, passages=(*self.passages, *self.law), law=())


class Found(Struct, frozen=True, kw_only=True):
    """What search found in the case and in the library. `about_law`: an article came before all of the case's."""

    case: SearchResult
    library: SearchResult
    about_law: bool = False


class Gatherer:
    """Reads the store and the search; counts tokens once a document."""

    def __init__(self, store: Store, search: SearchService, engine: EngineClient) -> None:
        self._store, self._search, self._engine = store, search, engine
        self._tokens: dict[str, int] = {}

    def search(self, question: Question, history: Sequence[Turn], limit: int) -> Found:
        """What the case and the library have on it. A follow-up is searched together with what it follows."""
        query = f"{history[-1].question}\n{question.text}" if history else question.text
        if not question.cases:
            return Found(case=_NOTHING, library=self._search.search(query, cases=(LIBRARY_ID,), limit=limit))
        case = self._search.search(query, cases=question.cases, documents=question.documents, limit=limit)
        if not question.library:
            return Found(case=case, library=_NOTHING)
        library = self._search.search(query, cases=(LIBRARY_ID,), limit=LIBRARY_PASSAGES)
        return Found(case=case, library=library, about_law=self._about_law(query, question, library))

    def gather(self, question: Question, found: Found, *, room_tokens: int, cold_tokens: int) -> Gathered:
        """`room_tokens`: what the context can take; `cold_tokens`: what may be read cold within the user's patience."""
        library = (*found.library.evidence, *_coming_along(found.library))
        law = self._law(question, library)
        at_once = tuple(s for s in law if not question.cases or (found.about_law and s.label and not s.aside))
        order = [document.id for document in self._documents(question)]
        documents = self.whole(question, room_tokens=room_tokens, cold_tokens=cold_tokens)
        own = () if documents else in_document_order(self._passages(found.case.evidence), order)
        return Gathered(
            mode=Mode.WHOLE if documents else Mode.RETRIEVAL,
            documents=documents,
            passages=(*own, *at_once),
            law=tuple(source for source in law if source not in at_once),
            evidence=(*found.case.evidence, *library),
            seconds=found.case.seconds + found.library.seconds,
        )

    def _about_law(self, query: str, question: Question, library: SearchResult) -> bool:
        """Does an article answer to this question better than anything in the case?"""
        first = self._search.search(query, cases=(*question.cases, LIBRARY_ID), limit=1).evidence
        in_library = {item.passage.id for item in library.evidence}
        return any(item.passage.article is not None and item.passage.id in in_library for item in first)

    def whole(self, question: Question, *, room_tokens: int, cold_tokens: int) -> tuple[Source, ...]:
        """The chosen documents' pages if they are to be read whole; empty for retrieval."""
        if question.mode is Mode.RETRIEVAL or not question.cases:
            return ()
        sources = read_whole(self._store, self._documents(question))
        total = sum(self._count(text) for text in document_texts(sources)) + OVERHEAD_TOKENS
        if total > room_tokens and question.mode is Mode.WHOLE:
            raise UserMistake(
                f"These documents are {total} tokens and the model takes {room_tokens}; "
                "ask in retrieval mode or leave some documents out."
            )
        if total > room_tokens:
            return ()
        patient = question.mode is Mode.WHOLE or total <= cold_tokens or self._unread(sources) <= cold_tokens
        return sources if patient else ()

    def _unread(self, sources: Sequence[Source]) -> int:
        """Tokens of these documents that are not remembered."""
        known = self._engine.known(build(documents=sources, history=(), passages="", question=""))
        return sum(s.tokens - s.known_tokens for s in known.segments if s.kind is SegmentKind.DOCUMENTS)

    def _documents(self, question: Question) -> tuple[Document, ...]:
        return readable_documents(self._store, question.cases, question.documents)

    def _passages(self, evidence: Sequence[Evidence]) -> tuple[Source, ...]:
        return tuple(passage_source(e.passage, self._page_text(e.passage), library=False) for e in evidence)

    def _law(self, question: Question, evidence: Sequence[Evidence]) -> tuple[Source, ...]:
        return tuple(
            passage_source(
                e.passage,
                self._page_text(e.passage),
                library=True,
                aside=bool(question.cases) and of_another_matter(e.passage, question.text),
                along=e.along is not None,
            )
            for e in evidence
        )

    def _page_text(self, passage: Passage) -> str:
        return self._store.documents.page(passage.document_id, passage.page, boxes=False).text

    def _count(self, text: str) -> int:
        """Tokens of a text as a segment; remembered while the model stays."""
        if text not in self._tokens:
            if len(self._tokens) >= _MOST_COUNTED:
                self._tokens.clear()
            (self._tokens[text],) = self._engine.count_tokens((text,))
        return self._tokens[text]

    def forget_counts(self) -> None:
        """Another model counts otherwise."""
        self._tokens.clear()


def _coming_along(found: SearchResult) -> tuple[Evidence, ...]:
    """The first of what belongs to the articles that were found."""
    return tuple(
        Evidence(passage=one.passage, score=0.0, along=one.why) for one in found.related[:MOST_ALONG]
    )


def readable_documents(
    store: Store, cases: Sequence[int], only: frozenset[int] | None = None
) -> tuple[Document, ...]:
    """The cases' documents that can be asked, each once, in the order in which a prompt has them."""
    chosen = {
        document.id: document
        for case in cases
        for document in store.documents.of_case(case)
        if document.status.readable and (only is None or document.id in only)
    }
    return tuple(chosen.values())


def read_whole(store: Store, documents: Sequence[Document]) -> tuple[Source, ...]:
    """Every readable page of these documents, in order."""
    return tuple(
        source
        for document in documents
        for source in whole_sources(document, store.documents.pages(document.id))
    )
