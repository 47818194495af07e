"""One question, three ways of looking, one list of passages."""

from __future__ import annotations

import time
from collections.abc import Sequence

from aipc_app.domain.documents import Evidence, Passage, SearchResult, Stage
from aipc_app.domain.jobs import JobKind, JobState
from aipc_app.errors import AipcError, StorageError
from aipc_app.log import SEARCH
from aipc_app.search.exact import find_exact
from aipc_app.search.fuse import Fused, fuse
from aipc_app.search.keyword import find_by_words
from aipc_app.search.vector import MeaningIndex, VectorSearch
from aipc_app.store import Store
from aipc_app.text.language import language_of

_DEPTH = 50  # how far down each stage is asked
_LONGEST_QUERY = 4_000  # characters; a pasted page is searched by its beginning


class SearchService:
    """May be used from any thread; blocks for about 0.1 s."""

    def __init__(self, store: Store, encoder: MeaningIndex) -> None:
        self._store, self._encoder = store, encoder
        self._vectors = VectorSearch(encoder)

    def search(
        self, query: str, *, cases: Sequence[int], documents: frozenset[int] | None = None, limit: int = 10
    ) -> SearchResult:
        """The best passages of these cases, of these documents alone if given. Raises StorageError.

        `missing` has Stage.VECTOR while the encoder can't take part, or some documents have no vectors yet.
        """
        started = time.monotonic()
        query = query[:_LONGEST_QUERY]
        if not any(character.isalnum() for character in query) or not cases or limit < 1:
            return SearchResult(evidence=(), seconds=time.monotonic() - started)
        depth = max(_DEPTH, 2 * limit)
        near, missing = self._by_meaning(query, cases, documents, depth)
        words = find_by_words(self._store, query, cases=cases, documents=documents, limit=depth)
        lists: dict[Stage, Sequence[int]] = {Stage.KEYWORD: words, Stage.VECTOR: near}
        foreign = self._foreign(query, near)
        places = {found.passage_id: place for place, found in enumerate(fuse(lists, foreign=foreign))}
        exact = find_exact(self._store, query, cases=cases, documents=documents, limit=depth, near=places)
        ranking = fuse({**lists, Stage.EXACT: exact.passages}, certain=exact.certain, foreign=foreign)
        evidence = self._evidence(ranking, frozenset(cases), documents, limit)
        return SearchResult(evidence=evidence, seconds=time.monotonic() - started, missing=missing)

    def _by_meaning(
        self, query: str, cases: Sequence[int], documents: frozenset[int] | None, depth: int
    ) -> tuple[tuple[int, ...], tuple[Stage, ...]]:
        if not self._encoder.ready:
            self._encoder.start()  # for the next question; does nothing if it is on its way
            return (), (Stage.VECTOR,)
        try:
            found = self._vectors.find(query, cases=cases, documents=documents, limit=depth)
        except StorageError:
            raise
        except AipcError as error:
            SEARCH.warning("search by meaning was left out: %s", type(error).__name__)
            return (), (Stage.VECTOR,)
        return found, (Stage.VECTOR,) if self._are_vectors_to_come(cases) else ()

    def _are_vectors_to_come(self, cases: Sequence[int]) -> bool:
        jobs = self._store.jobs
        if any(jobs.waiting(JobKind.EMBED, case_id) for case_id in cases):
            return True
        running = (job for job in jobs.unfinished() if job.kind is JobKind.EMBED and job.state is JobState.RUNNING)
        return any(not set(cases).isdisjoint(self._store.documents.cases_of(job.document_id)) for job in running)

    def _foreign(self, query: str, passage_ids: Sequence[int]) -> frozenset[int]:
        """Those in another language than the query."""
        language = language_of(query)
        passages = self._store.passages.get(passage_ids)
        return frozenset(passage.id for passage in passages if language_of(passage.text) != language)

    def _evidence(
        self, ranking: Sequence[Fused], cases: frozenset[int], documents: frozenset[int] | None, limit: int
    ) -> tuple[Evidence, ...]:
        """The first `limit` that are still there and may be shown: the index may lag behind the store."""
        evidence: list[Evidence] = []
        allowed: dict[int, bool] = {}
        for start in range(0, len(ranking), limit):
            part = {fused.passage_id: fused for fused in ranking[start : start + limit]}
            for passage in self._store.passages.get(tuple(part)):
                if self._is_allowed(passage, cases, documents, allowed):
                    fused = part[passage.id]
                    evidence.append(Evidence(passage=passage, score=fused.score, ranks=fused.ranks))
            if len(evidence) >= limit:
                break
        return tuple(evidence[:limit])

    def _is_allowed(
        self, passage: Passage, cases: frozenset[int], documents: frozenset[int] | None, known: dict[int, bool]
    ) -> bool:
        document_id = passage.document_id
        if document_id not in known:
            chosen = documents is None or document_id in documents
            known[document_id] = chosen and not cases.isdisjoint(self._store.documents.cases_of(document_id))
        return known[document_id]
