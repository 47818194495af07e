"""One question, three ways of looking, one list of passages."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from aipc_app.domain.documents import LIBRARY_ID, Evidence, Passage, SearchResult, Stage
from aipc_app.domain.jobs import JobKind, JobState
from aipc_app.errors import AipcError, StorageError, UserMistake
from aipc_app.log import SEARCH
from aipc_app.search.authority import authority
from aipc_app.search.everyday import legal_words
from aipc_app.search.exact import ExactMatches, find_exact
from aipc_app.search.fuse import Fused, Hit, fuse
from aipc_app.search.in_force import LawsInForce
from aipc_app.search.keyword import find_by_words
from aipc_app.search.related import Belongings
from aipc_app.search.rerank import Reranker, reranked
from aipc_app.search.vector import MeaningIndex, VectorSearch
from aipc_app.store import Store
from aipc_app.text.language import language_of

_DEPTH = 50  # how far down each stage is asked
_LIBRARY_DEPTH = 300  # in the library: there a law that weighs more may come up from far below
_READ_FOR_REFERENCES = 10
_WORKERS = 2  # searches by words at once
_LONGEST_QUERY = 4_000  # characters; a pasted page is searched by its beginning


class SearchService:
    """May be used from any thread; blocks for about 0.1 s. `using`: fewer stages, to see what each brings."""

    def __init__(
        self,
        store: Store,
        encoder: MeaningIndex,
        *,
        using: frozenset[Stage] = frozenset(Stage),
        weighed: bool = True,
        everyday: bool = True,
        reranker: Reranker | None = None,
    ) -> None:
        """`weighed`: codes before laws before regulations (authority.py). `everyday`: questions to the library are
        searched by the words of statutes too (everyday.py). `reranker`: None where there is no model."""
        self._everyday, self._reranker = everyday, reranker
        self._store, self._encoder = store, encoder
        self._using, self._weighed = using, weighed
        self._vectors = VectorSearch(encoder)
        self._beside = ThreadPoolExecutor(_WORKERS, thread_name_prefix="search")
        self._belongings, self._in_force = Belongings(store), LawsInForce(store)

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
        depth = max(_LIBRARY_DEPTH if LIBRARY_ID in cases else _DEPTH, 2 * limit)
        asked = self._in_legal_words(query) if LIBRARY_ID in cases else query
        # The encoder is another process: both look at once.
        by_words = self._beside.submit(self._by_words, asked, cases, documents, depth)
        near, missing = self._by_meaning(query, cases, documents, depth)
        words = by_words.result()
        lists: dict[Stage, Sequence[Hit]] = {Stage.KEYWORD: words, Stage.VECTOR: near}
        known = self._store.passages.get(
            list(dict.fromkeys(id_ for hits in lists.values() for id_, _ in hits)), labels=False
        )
        foreign, weights = self._foreign(query, known, near), self._authority(known, cases)
        places = {
            found.passage_id: place for place, found in enumerate(fuse(lists, foreign=foreign, authority=weights))
        }
        exact = self._exact(query, cases, documents, depth, places)
        lists[Stage.EXACT] = [(id_, 1.0) for id_ in exact.passages]
        if new := [id_ for id_ in exact.passages if id_ not in {one.id for one in known}]:
            weights = self._authority((*known, *self._store.passages.get(new, labels=False)), cases)
        ranking = fuse(lists, certain=exact.certain, foreign=foreign, authority=weights)
        evidence = self._evidence(ranking, frozenset(cases), documents, limit)
        first = [item.passage for item in evidence[:_READ_FOR_REFERENCES]] if LIBRARY_ID in cases else []
        related = self._belongings.of(first)
        return SearchResult(evidence=evidence, seconds=time.monotonic() - started, missing=missing, related=related)

    @property
    def reranks(self) -> bool:
        """Whether there is a model that `rerank` can ask."""
        return self._reranker is not None

    def rerank(self, query: str, result: SearchResult, cancel: threading.Event | None = None) -> SearchResult:
        """The first of what `search` found, sorted anew by the reranking model; takes seconds. Raises AipcError."""
        if self._reranker is None:
            raise UserMistake("There is no reranking model; choose the folder of one in Settings, search by meaning.")
        return reranked(self._reranker, query[:_LONGEST_QUERY], result, cancel)

    def _in_legal_words(self, query: str) -> str:
        return " ".join((query, *legal_words(query))) if self._everyday else query

    def _by_meaning(
        self, query: str, cases: Sequence[int], documents: frozenset[int] | None, depth: int
    ) -> tuple[tuple[Hit, ...], tuple[Stage, ...]]:
        if Stage.VECTOR not in self._using:
            return (), ()
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

    def _by_words(
        self, query: str, cases: Sequence[int], documents: frozenset[int] | None, depth: int
    ) -> tuple[Hit, ...]:
        if Stage.KEYWORD not in self._using:
            return ()
        return find_by_words(self._store, query, cases=cases, documents=documents, limit=depth)

    def _exact(
        self, query: str, cases: Sequence[int], documents: frozenset[int] | None, depth: int, near: Mapping[int, int]
    ) -> ExactMatches:
        if Stage.EXACT not in self._using:
            return ExactMatches()
        return find_exact(self._store, query, cases=cases, documents=documents, limit=depth, near=near)

    def _are_vectors_to_come(self, cases: Sequence[int]) -> bool:
        jobs = self._store.jobs
        if any(jobs.waiting(JobKind.EMBED, case_id) for case_id in cases):
            return True
        running = (job for job in jobs.unfinished() if job.kind is JobKind.EMBED and job.state is JobState.RUNNING)
        return any(not set(cases).isdisjoint(self._store.documents.cases_of(job.document_id)) for job in running)

    def _foreign(self, query: str, passages: Sequence[Passage], near: Sequence[Hit]) -> frozenset[int]:
        """Those near in meaning that are in another language than the query."""
        language, nearby = language_of(query), {id_ for id_, _ in near}
        return frozenset(one.id for one in passages if one.id in nearby and language_of(one.text) != language)

    def _authority(self, passages: Sequence[Passage], cases: Sequence[int]) -> Mapping[int, float] | None:
        if LIBRARY_ID not in cases or not self._weighed:
            return None
        return authority(passages, self._store.documents.ids_of_case(LIBRARY_ID))

    def _evidence(
        self, ranking: Sequence[Fused], cases: frozenset[int], documents: frozenset[int] | None, limit: int
    ) -> tuple[Evidence, ...]:
        """The first `limit` that are still there and may be shown: the index may lag behind the store."""
        evidence: list[Evidence] = []
        allowed: dict[int, bool] = {}
        forces = self._in_force.known() if LIBRARY_ID in cases else {}
        for start in range(0, len(ranking), limit):
            part = {fused.passage_id: fused for fused in ranking[start : start + limit]}
            for passage in self._store.passages.get(tuple(part)):
                if self._is_allowed(passage, cases, documents, allowed):
                    fused = part[passage.id]
                    evidence.append(
                        Evidence(
                            passage=passage, score=fused.score, ranks=fused.ranks, shares=fused.shares,
                            force=forces.get(passage.document_id),
                        )
                    )  # fmt: skip
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
