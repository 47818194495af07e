"""Which law or document a query names beside an article number: 民法典第六百八十条, Section 45 of the Companies Act."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

from aipc_app.domain.documents import Document, Passage
from aipc_app.text.identifiers import comparable_title
from aipc_app.text.normalise import fold

HEADING_SEPARATOR = " / "
_SHORTEST_NAME = 2  # 刑法
_VERSION = re.compile(r"[(]\d{4}[^()]*[)]$")
_PART = re.compile(r"[_＿\s]+")
_EXCERPT = re.compile(r"[(（]?(?:节选|节录|摘录|摘编|部分条文|excerpts?)[)）]?", re.IGNORECASE)
_BEFORE_ARTICLE = r"[》〉)\"'”’]?(?:的|之|中的?|规定的?)?第"


class NamedLaws:
    """The names in one query, compared without spaces, case, 中华人民共和国 and versions."""

    def __init__(self, query: str) -> None:
        self._query = comparable(query)

    def of_documents(self, documents: Iterable[Document]) -> frozenset[int]:
        """Ids of the documents whose file or folder name is in the query."""
        return frozenset(document.id for document in documents if self._longest(_file_names(document.name)))

    def most(self, passages: Iterable[Passage]) -> frozenset[str]:
        """The names in the query that some passage bears; of 专利法 and 专利法实施细则 only the longer one."""
        names = {name for passage in passages for name in _names(passage) if self._has(name)}
        return frozenset(name for name in names if not any(name != other and name in other for other in names))

    def stands_before_article(self, name: str) -> bool:
        """Whether the article is said to be this law's: 公司法第五条, not 公司法司法解释三第五条."""
        return "第" not in self._query or re.search(re.escape(name) + _BEFORE_ARTICLE, self._query) is not None

    def _has(self, name: str) -> bool:
        return len(name) >= _SHORTEST_NAME and name in self._query

    def _longest(self, names: Iterable[str]) -> str:
        return max((name for name in names if self._has(name)), key=len, default="")


def bears(passage: Passage, names: frozenset[str]) -> bool:
    """Whether the passage's document or heading path has one of the names."""
    return not names.isdisjoint(_names(passage))


def comparable(text: str) -> str:
    """A name as it is compared."""
    return comparable_title(_VERSION.sub("", fold(text).text.strip()))


def parts_of_name(stem: str) -> tuple[str, ...]:
    """What in a file's name may be a law's: the whole, and its parts, as in 民法典_合同编_节选."""
    return tuple(dict.fromkeys((stem, *_PART.split(stem))))


def title_in(text: str) -> str:
    """A law's name as it is compared, where a text says that it is an excerpt too."""
    return comparable(_EXCERPT.sub("", fold(text).text))


def _names(passage: Passage) -> set[str]:
    headings = passage.heading.split(HEADING_SEPARATOR) if passage.heading else ()
    return {*_file_names(passage.document), *(comparable(heading) for heading in headings)}


def _file_names(document: str) -> set[str]:
    path = PurePosixPath(document)
    return {comparable(part) for part in (*path.parent.parts, path.stem)}
