"""The articles of documents: which there are, and which passages hold them."""

from __future__ import annotations

from collections.abc import Collection

from msgspec import Struct

from aipc_app.store.database import Database

_MOST_AT_ONCE = 500  # places in one statement
_MOST_PIECES = 8  # of one article


class ArticlePlace(Struct, frozen=True):
    """A passage of an article; `article` as written, without spaces: 第六百八十条."""

    passage_id: int
    document_id: int
    article: str


class Articles:
    """May be used from any thread. Raises StorageError for the disk."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of_documents(self, document_ids: Collection[int]) -> tuple[ArticlePlace, ...]:
        """Every passage of these documents that belongs to an article, in reading order of each."""
        ids, found = sorted(document_ids), list[ArticlePlace]()
        with self._database.read() as connection:
            for at in range(0, len(ids), _MOST_AT_ONCE):
                part = ids[at : at + _MOST_AT_ONCE]
                rows = connection.execute(
                    "SELECT p.id, p.document_id, t.article FROM passages p JOIN passage_texts t ON t.id = p.id"
                    f" WHERE t.article IS NOT NULL AND p.document_id IN ({', '.join('?' * len(part))})"
                    " ORDER BY p.document_id, p.page, p.start, p.id",
                    part,
                )
                found += [ArticlePlace(*row) for row in rows]
        return tuple(found)

    def before(self, passage_id: int, count: int) -> tuple[int, ...]:
        """The passages of so many articles before a passage's own, in its document, in reading order."""
        found: dict[str, list[int]] = {}
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT p.id, t.article FROM passages own JOIN passage_texts o ON o.id = own.id"
                " JOIN passages p ON p.document_id = own.document_id AND p.id < own.id"
                " JOIN passage_texts t ON t.id = p.id WHERE own.id = ? AND t.article <> o.article"
                " ORDER BY p.id DESC LIMIT ?",
                (passage_id, _MOST_PIECES * count),
            )
            for id_, article in rows:
                found.setdefault(article, []).append(id_)
        return tuple(sorted(id_ for article in list(found)[:count] for id_ in found[article]))
