"""Exact search: passages with the article numbers, case numbers, amounts and dates that a query names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from aipc_app.domain.documents import Passage
from aipc_app.search.laws import NamedLaws, bears
from aipc_app.store import Store
from aipc_app.text.fact_keys import fact_keys

_MOST_MATCHES = 1_000
_MOST_LOOKED_AT = 60
_OWN_ARTICLE, _NAMED_LAW = 2, 2  # worth as much as so many facts
_CASE_NUMBER = "case_number"


class ExactMatches(Struct, frozen=True):
    """Passage ids, best first. `certain`: the very article of the named law, or those with the case number."""

    passages: tuple[int, ...] = ()
    certain: tuple[int, ...] = ()


def find_exact(
    store: Store,
    query: str,
    *,
    cases: Sequence[int],
    documents: frozenset[int] | None,
    limit: int,
    near: Mapping[int, int],
) -> ExactMatches:
    """Passages with most of the query's facts first. Raises StorageError.

    `near` gives the places at which other stages found passages: they decide between equals.
    """
    facts = fact_keys(query)
    if not facts:
        return ExactMatches()
    search = _Search(store, query, facts, cases, documents)
    hits = search.hits()
    last = len(near)

    def order(points: Mapping[int, int]) -> list[int]:
        return sorted(points, key=lambda id_: (-points[id_], near.get(id_, last), id_))

    found = {passage.id: passage for passage in store.passages.get(order(hits)[:_MOST_LOOKED_AT])}
    names = search.laws.most(found.values()) if search.articles else frozenset()
    best = order({id_: hits[id_] + search.points(found[id_], names) for id_ in found})[:limit]
    return ExactMatches(tuple(best), tuple(id_ for id_ in best if search.is_certain(found[id_], names)))


class _Search:
    """What one query asks for, and where."""

    def __init__(
        self,
        store: Store,
        query: str,
        facts: Sequence[tuple[str, str]],
        cases: Sequence[int],
        documents: frozenset[int] | None,
    ) -> None:
        self._store, self._facts = store, facts
        self._cases, self._documents = cases, documents
        self.laws = NamedLaws(query)
        self.articles = frozenset(value.split(" ")[0] for kind, value in facts if kind == "article")
        self._has_case_number = any(kind == _CASE_NUMBER for kind, _ in facts)
        self._with_case_number = frozenset(self._of([fact for fact in facts if fact[0] == _CASE_NUMBER], documents))

    def hits(self) -> dict[int, int]:
        """How many facts each passage has; one more way in for documents named in the query, of which
        there may be many articles 1 before theirs."""
        hits = self._of(self._facts, self._documents)
        for id_, count in self._of(self._facts, self._named_documents()).items():
            hits[id_] = count + _NAMED_LAW
        return hits

    def points(self, passage: Passage, names: frozenset[str]) -> int:
        """On top of its facts: it is the article itself, its law was named."""
        return _OWN_ARTICLE * self._is_own_article(passage) + _NAMED_LAW * bears(passage, names)

    def is_certain(self, passage: Passage, names: frozenset[str]) -> bool:
        """Whether the query can't mean anything else."""
        if passage.id in self._with_case_number:
            return True
        said = frozenset(name for name in names if self.laws.stands_before_article(name))
        return self._is_own_article(passage) and bears(passage, said)

    def _is_own_article(self, passage: Passage) -> bool:
        if passage.article is None or not self.articles:
            return False
        return any(kind == "article" and value in self.articles for kind, value in fact_keys(passage.article))

    def _named_documents(self) -> frozenset[int]:
        if not self.articles:
            return frozenset()
        present = (document for case_id in self._cases for document in self._store.documents.of_case(case_id))
        named = self.laws.of_documents(present)
        return named if self._documents is None else named & self._documents

    def _of(self, facts: Sequence[tuple[str, str]], documents: frozenset[int] | None) -> dict[int, int]:
        if not facts or documents == frozenset():
            return {}
        return dict(
            self._store.passages.exact(facts, cases=self._cases, documents=documents, limit=_MOST_MATCHES)
        )
