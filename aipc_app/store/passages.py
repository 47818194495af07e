"""Passages, found by their words and by the facts in them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from aipc_app.domain.documents import Passage
from aipc_app.store.database import Database

MOST_QUERY_TOKENS = 128  # FTS5 walks a list for each; a pasted page as a question must stay quick
_SELECT = (
    "SELECT p.id, p.document_id, d.name, p.page, p.start, p.end, t.text, t.heading, t.article"
    " FROM passages p JOIN passage_texts t ON t.id = p.id JOIN documents d ON d.id = p.document_id"
)
_Row = tuple[int, int, str, int, int, int, str, str | None, str | None]


class Passages:
    """May be used from any thread. Raises StorageError for the disk."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, passage_ids: Sequence[int]) -> tuple[Passage, ...]:
        """The passages in the order asked; ids that are gone are left out."""
        with self._database.read() as connection:
            rows = connection.execute(f"{_SELECT} WHERE p.id IN ({_marks(passage_ids)})", tuple(passage_ids))
            found = {row[0]: _passage(row) for row in rows}
        return tuple(found[id_] for id_ in passage_ids if id_ in found)

    def of_document(self, document_id: int) -> tuple[Passage, ...]:
        """A document's passages in reading order."""
        with self._database.read() as connection:
            rows = connection.execute(f"{_SELECT} WHERE p.document_id = ? ORDER BY p.id", (document_id,))
            return tuple(_passage(row) for row in rows)

    def keyword(
        self, tokens: Sequence[str], *, cases: Sequence[int], documents: frozenset[int] | None, limit: int
    ) -> tuple[tuple[int, float], ...]:
        """(passage id, BM25 score), best first: passages of these cases with any of the tokens.

        `documents` narrows further; None means all. The score is positive, larger is better. Of a very long
        question the first MOST_QUERY_TOKENS distinct tokens count. BM25 as in https://sqlite.org/fts5.html.
        """
        query = " OR ".join(_quoted(token) for token in list(dict.fromkeys(tokens))[:MOST_QUERY_TOKENS])
        with self._database.read() as connection:
            scope = _scope(connection, cases, documents)
            bounds = _id_bounds(connection, scope)
            if not query or bounds is None:
                return ()
            rows = connection.execute(
                "SELECT i.rowid, -bm25(passage_index) AS score FROM passage_index i"
                " CROSS JOIN passages p ON p.id = i.rowid WHERE passage_index MATCH ?"
                f" AND i.rowid BETWEEN ? AND ? AND p.document_id IN ({_marks(scope)})"
                " ORDER BY score DESC, i.rowid LIMIT ?",
                (query, *bounds, *scope, limit),
            )
            return tuple(rows)

    def exact(
        self,
        facts: Sequence[tuple[str, str]],
        *,
        cases: Sequence[int],
        documents: frozenset[int] | None,
        limit: int,
    ) -> tuple[tuple[int, int], ...]:
        """(passage id, how many of the facts it has), most first, then in reading order."""
        distinct = list(dict.fromkeys(facts))
        if not distinct:
            return ()
        with self._database.read() as connection:
            scope = _scope(connection, cases, documents)
            rows = connection.execute(
                f"WITH wanted (kind, value) AS (VALUES {', '.join(['(?, ?)'] * len(distinct))})"
                " SELECT f.passage_id, COUNT(*) AS hits FROM wanted w CROSS JOIN facts f"
                " ON f.kind = w.kind AND f.value = w.value JOIN passages p ON p.id = f.passage_id"
                f" WHERE p.document_id IN ({_marks(scope)})"
                " GROUP BY f.passage_id ORDER BY hits DESC, f.passage_id LIMIT ?",
                (*(part for fact in distinct for part in fact), *scope, limit),
            )
            return tuple(rows)


def _scope(connection: sqlite3.Connection, cases: Sequence[int], documents: frozenset[int] | None) -> tuple[int, ...]:
    """The documents that may be searched."""
    rows = connection.execute(
        f"SELECT DISTINCT document_id FROM case_documents WHERE case_id IN ({_marks(cases)})", tuple(cases)
    )
    return tuple(id_ for (id_,) in rows if documents is None or id_ in documents)


def _id_bounds(connection: sqlite3.Connection, scope: tuple[int, ...]) -> tuple[int, int] | None:
    """The smallest and largest passage id in scope: FTS5 skips what lies outside without looking at it."""
    bounds = [
        connection.execute("SELECT MIN(id), MAX(id) FROM passages WHERE document_id = ?", (document_id,)).fetchone()
        for document_id in scope
    ]
    present = [(low, high) for low, high in bounds if low is not None]
    return (min(low for low, _ in present), max(high for _, high in present)) if present else None


def _quoted(token: str) -> str:
    return '"' + token.replace('"', '""') + '"'


def _marks(values: Iterable[object]) -> str:
    return ", ".join("?" for _ in values)


def _passage(row: _Row) -> Passage:
    id_, document_id, document, page, start, end, text, heading, article = row
    return Passage(
        id=id_,
        document_id=document_id,
        document=document,
        page=page,
        start=start,
        end=end,
        text=text,
        heading=heading,
        article=article,
    )
