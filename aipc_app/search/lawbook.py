"""The laws of the library by their names: is there such an article, what does it say, is it in force?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date
from functools import lru_cache
from pathlib import PurePosixPath

from msgspec import Struct

from aipc_app.domain.documents import LIBRARY_ID, Document, Passage
from aipc_app.domain.fields import DocumentField, FieldName
from aipc_app.search.laws import HEADING_SEPARATOR, comparable, parts_of_name, title_in
from aipc_app.store import Store
from aipc_app.text.articles import article_number
from aipc_app.text.identifiers import find_titles
from aipc_app.text.normalise import fold
from aipc_app.text.tokens import query_tokens

_NUMERAL = re.compile(r"第(?P<number>[^条]{1,14})条(?:之(?P<sub>.{1,3}))?")
_REPEALS = re.compile(r"(?:同时|相应|自行)?(?:废止|失效)")
_COMPLETE = 0.95  # of the numbers from 1 to the last: laws leave out hardly any, excerpts most
_SHORTEST_NAME = 2
_MOST_REPEALS_LOOKED_AT = 40


class Law(Struct, frozen=True, kw_only=True):
    """A law that the library has, all its files and versions together.

    `articles`: number in Arabic digits (120-1 for 之一) → ids of its passages. `complete`: no excerpt, so that an
    article it lacks does not exist. `repealed_by`: the law that says so, "" if none; `from_date` the day it comes
    into force where that is still to come, "".
    """

    name: str
    articles: dict[str, tuple[int, ...]]
    complete: bool
    repealed_by: str = ""
    from_date: str = ""


class LawBook:
    """Looks laws up in the library; one book for one answer, since it keeps what it has read. One thread."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._documents: dict[str, frozenset[int]] | None = None
        self._laws: dict[str, Law | None] = {}

    def law(self, name: str) -> Law | None:
        """The law of this name, 中华人民共和国 in front or not, with 《》 or without; None if the library lacks it."""
        wanted = comparable(name.strip("《》〈〉 "))
        if wanted not in self._laws:
            documents = self._names().get(wanted, frozenset()) if len(wanted) >= _SHORTEST_NAME else frozenset()
            self._laws[wanted] = self._read(name, wanted, documents) if documents else None
        return self._laws[wanted]

    def name_before(self, text: str) -> str:
        """The longest name of a law of the library that the text ends with; "" if there is none."""
        bare = comparable(text)
        return max((name for name in self._names() if bare.endswith(name)), key=len, default="")

    def passages(self, law: Law, article: str) -> tuple[Passage, ...]:
        return self._store.passages.get(law.articles.get(article, ()))

    def _names(self) -> dict[str, frozenset[int]]:
        """Name → library documents that bear it: in their titles, file names and folders."""
        if self._documents is None:
            found: dict[str, set[int]] = {}
            fields = self._store.fields.of_case(LIBRARY_ID)
            for document in self._store.documents.of_case(LIBRARY_ID):
                for name in _names_of(document, fields.get(document.id, ())):
                    found.setdefault(name, set()).add(document.id)
            self._documents = {name: frozenset(ids) for name, ids in found.items()}
        return self._documents

    def _read(self, name: str, wanted: str, documents: frozenset[int]) -> Law | None:
        articles: dict[str, list[int]] = {}
        for place in self._store.articles.of_documents(documents):
            if number := _number(place.article):
                articles.setdefault(number, []).append(place.passage_id)
        if not articles:
            return None  # a judgment or a form that bears a law's name is no law
        return Law(
            name=name,
            articles={number: tuple(ids) for number, ids in articles.items()},
            complete=_is_complete(articles),
            repealed_by=self._repealed_by(wanted, documents),
            from_date=self._to_come(documents),
        )

    def _repealed_by(self, wanted: str, documents: frozenset[int]) -> str:
        """The law of the library whose last articles say that this one is repealed; a version's own repeal of the
        version before is none of the name."""
        found = self._store.passages.keyword(
            query_tokens(f"{wanted} 废止"), cases=(LIBRARY_ID,), documents=None, limit=_MOST_REPEALS_LOOKED_AT
        )
        for passage in self._store.passages.get([id_ for id_, _ in found]):
            if passage.document_id not in documents and wanted in _repealed_in(passage.text):
                return _title_of(passage)
        return ""

    def _to_come(self, documents: Iterable[int]) -> str:
        """The day, if all of its versions come into force later than today."""
        fields = [field for id_ in documents for field in self._store.fields.of_document(id_)]
        days = [field.value for field in fields if field.name is FieldName.EFFECTIVE_DATE]
        return min(days) if days and min(days) > date.today().isoformat() else ""


def _names_of(document: Document, fields: Iterable[DocumentField]) -> Iterator[str]:
    path = PurePosixPath(document.name)
    titles = [field.value for field in fields if field.name is FieldName.TITLE]
    for text in (*path.parent.parts, *parts_of_name(path.stem), *titles):
        name = title_in(text)
        if len(name) >= _SHORTEST_NAME:
            yield name


@lru_cache(maxsize=20_000)
def _number(article: str) -> str | None:
    found = _NUMERAL.match(article)
    return article_number(found["number"], found["sub"]) if found else article.split(" ")[-1]


def _is_complete(articles: Iterable[str]) -> bool:
    numbers = {int(number) for number in articles if number.isdecimal()}
    return bool(numbers) and len(numbers) >= _COMPLETE * max(numbers)


def _repealed_in(text: str) -> frozenset[str]:
    """Titles in sentences that repeal something."""
    said = (sentence for sentence in re.split(r"[。;；\n]", fold(text).text) if _REPEALS.search(sentence))
    return frozenset(str(title.value) for sentence in said for title in find_titles(sentence))


def _title_of(passage: Passage) -> str:
    heading = passage.heading.split(HEADING_SEPARATOR)[0] if passage.heading else ""
    return heading or PurePosixPath(passage.document).stem
