"""What belongs to articles that were found: those they name, the one before, their own rest, definitions.

依照本法第六百八十条 is read together with that article, 前条 with the one before; an article of an interpretation with
the law's that it applies. Of statutes alone: passages that are no articles bring nothing along.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from aipc_app.domain.documents import LIBRARY_ID, Along, Passage, Related
from aipc_app.search.titles import LibraryTitles
from aipc_app.store import Store
from aipc_app.text.numbers import parse_number
from aipc_app.text.tokens import search_tokens

_NUMBER = r"第[一二三四五六七八九十百千零〇两\d]{1,12}条(?:之[一二三四五六七八九十\d]{1,3})?"
_PART = r"(?:第[^第条、，。；]{1,6}[款项])*"
_LIST = re.compile(rf"{_NUMBER}{_PART}(?:(?:、|和|及|以及|或者|至|到){_NUMBER}{_PART})*")
_EACH = re.compile(_NUMBER)
_OWN = re.compile(r"本(?:法|法典|条例|解释|规定|办法|规则|细则)$")
_LONGEST_NAME = 40  # characters before 第…条 in which the name of its law is looked for
_PREVIOUS = re.compile(r"前(?P<count>[一两二三])?条")
_MEANS = r"(?:本(?:法|法典|条例|解释|规定|办法|规则|细则)(?:中)?所称的?)"
_DEFINED = re.compile(rf"{_MEANS}[“\"]?(?P<term>[^，,。；：:“”\"]{{2,16}}?)[”\"]?(?:[，,]|包括|是指|指|为)")
_MOST_DEFINITIONS_READ, _MOST_DEFINING = 30, 3  # passages looked at; found articles whose terms are explained
_MOST = 8

Belongs = tuple[Along, Passage]


class Belongings:
    """Finds them. May be used from any thread; keeps the names of the library's laws while the library stays."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._titles = LibraryTitles(store)

    def of(self, passages: Sequence[Passage], limit: int = _MOST) -> tuple[Related, ...]:
        """What belongs to these, first that of the first; none that is among them. Raises StorageError."""
        there = {passage.id for passage in passages}
        found: dict[int, Related] = {}
        for place, passage in enumerate(passages):
            for why, one in self._all(passage, defining=place < _MOST_DEFINING) if passage.article else ():
                if one.id not in there:
                    found.setdefault(one.id, Related(passage=one, why=why, of=passage.id))
            if len(found) >= limit:
                break
        return tuple(found.values())[:limit]

    def _all(self, passage: Passage, *, defining: bool) -> Iterator[Belongs]:
        bare = re.sub(r"\s", "", passage.text)
        own = self._store.passages.of_articles(passage.document_id, (passage.article or "",))
        yield from ((Along.REST, one) for one in own)
        yield from ((Along.PREVIOUS, one) for one in self._previous(passage, bare))
        yield from ((Along.CITED, one) for one in self._cited(passage, bare))
        if defining:
            yield from ((Along.DEFINITION, one) for one in self._definitions(passage, bare))

    def _previous(self, passage: Passage, bare: str) -> tuple[Passage, ...]:
        counts = [int(parse_number(match["count"] or "一") or 1) for match in _PREVIOUS.finditer(bare)]
        return self._store.passages.get(self._store.articles.before(passage.id, max(counts))) if counts else ()

    def _cited(self, passage: Passage, bare: str) -> Iterator[Passage]:
        for before, labels in citations(bare):
            if _OWN.search(before):
                documents: Iterable[int] = (passage.document_id,)
            else:
                documents = self._titles.documents_before(before)
            for document_id in documents:
                yield from self._store.passages.of_articles(document_id, labels)

    def _definitions(self, passage: Passage, bare: str) -> Iterator[Passage]:
        """Articles of the same law that say what one of this article's words means."""
        likely = self._store.passages.keyword(
            _definition_words(), cases=(LIBRARY_ID,), documents=frozenset({passage.document_id}),
            limit=_MOST_DEFINITIONS_READ,
        )  # fmt: skip
        for one in self._store.passages.get([id_ for id_, _ in likely]):
            if any(term in bare for term in defined_terms(one.text)):
                yield one


def citations(bare: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """In a text without spaces: what stands before each list of articles, and the articles as written, each once."""
    for match in _LIST.finditer(bare):
        before = bare[max(0, match.start() - _LONGEST_NAME) : match.start()]
        yield before, tuple(dict.fromkeys(_EACH.findall(match[0])))


def defined_terms(text: str) -> tuple[str, ...]:
    """The words whose meaning a text gives: 本法所称借款人，是指."""
    return tuple(dict.fromkeys(match["term"] for match in _DEFINED.finditer(re.sub(r"\s", "", text))))


@cache
def _definition_words() -> tuple[str, ...]:
    return tuple(search_tokens("本法所称是指"))
