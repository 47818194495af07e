"""Passages, found by their words and by the facts in them."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Iterable, Sequence

from aipc_app.domain.documents import Passage
from aipc_app.store.database import Database

MOST_SCORED_ROWS = 20_000  # about 40 ms of a slow machine
MOST_QUERY_TOKENS = 128  # FTS5 walks a list for each; a pasted page as a question must stay quick
_COLUMNS = "p.id, p.document_id, d.name, p.page, p.start, p.end, t.text, t.heading, t.article"
_FROM = "passages p JOIN passage_texts t ON t.id = p.id JOIN documents d ON d.id = p.document_id"
_SELECT = (
    f"SELECT {_COLUMNS}, g.label FROM {_FROM} JOIN pages g ON g.document_id = p.document_id AND g.number = p.page"
)
_SELECT_WITHOUT_LABEL = f"SELECT {_COLUMNS}, '' FROM {_FROM}"
_Row = tuple[int, int, str, int, int, int, str, str | None, str | None, str]


class Passages:
    """May be used from any thread. Raises StorageError for the disk."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, passage_ids: Sequence[int], *, labels: bool = True) -> tuple[Passage, ...]:
        """The passages in the order asked; ids that are gone are left out.

        Without `labels`, page labels are empty: each lies behind its page's whole text, which a ranking of
        hundreds of passages need not read.
        """
        select = _SELECT if labels else _SELECT_WITHOUT_LABEL
        with self._database.read() as connection:
            rows = connection.execute(f"{select} WHERE p.id IN ({_marks(passage_ids)})", tuple(passage_ids))
            found = {row[0]: _passage(row) for row in rows}
        return tuple(found[id_] for id_ in passage_ids if id_ in found)

    def of_document(self, document_id: int) -> tuple[Passage, ...]:
        """A document's passages in reading order."""
        with self._database.read() as connection:
            rows = connection.execute(
                f"{_SELECT} WHERE p.document_id = ? ORDER BY p.page, p.start, p.id", (document_id,)
            )
            return tuple(_passage(row) for row in rows)

    def of_articles(self, document_id: int, articles: Sequence[str]) -> tuple[Passage, ...]:
        """A document's passages of these articles, as written (第六百八十条), in reading order."""
        with self._database.read() as connection:
            rows = connection.execute(
                f"{_SELECT} WHERE p.document_id = ? AND t.article IN ({_marks(articles)}) ORDER BY p.page, p.start",
                (document_id, *articles),
            )
            return tuple(_passage(row) for row in rows)

    def keyword(
        self, tokens: Sequence[str], *, cases: Sequence[int], documents: frozenset[int] | None, limit: int
    ) -> tuple[tuple[int, float], ...]:
        """(passage id, BM25 score), best first: passages of these cases with any of the tokens.

        `documents` narrows further; None means all. The score is positive, larger is better. Of a very long
        question the first MOST_QUERY_TOKENS distinct tokens count, and in a case where they are in more than
        MOST_SCORED_ROWS passages together, the rarest of them. BM25 as in https://sqlite.org/fts5.html.
        """
        wanted = list(dict.fromkeys(tokens))[:MOST_QUERY_TOKENS]
        found: dict[int, float] = {}
        with self._database.read() as connection:
            for case_id in dict.fromkeys(cases):
                found.update(_best_of_case(connection, wanted, _scope(connection, [case_id], documents), limit))
        ranked = sorted(found.items(), key=lambda hit: (-hit[1], hit[0]))
        return tuple(ranked[:limit])

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


def _best_of_case(
    connection: sqlite3.Connection, tokens: Sequence[str], scope: tuple[int, ...], limit: int
) -> list[tuple[int, float]]:
    """The best passages of one case. FTS5 skips what is outside the range of ids without looking at it."""
    low, high = _id_range(connection, scope)
    kept = _affordable(connection, tokens, high - low + 1)
    if not kept or low > high:
        return []
    return connection.execute(
        "SELECT i.rowid, -bm25(passage_index) AS score FROM passage_index i"
        " CROSS JOIN passages p ON p.id = i.rowid WHERE passage_index MATCH ?"
        f" AND i.rowid BETWEEN ? AND ? AND p.document_id IN ({_marks(scope)})"
        " ORDER BY score DESC, i.rowid LIMIT ?",
        (" OR ".join(map(_quoted, kept)), low, high, *scope, limit),
    ).fetchall()


def _affordable(connection: sqlite3.Connection, tokens: Sequence[str], width: int) -> list[str]:
    """The tokens, without the most common ones if scoring every passage that has one would take too long.

    BM25 gives the words that are everywhere next to nothing, but pays for each passage they are in.
    """
    if width * len(tokens) <= MOST_SCORED_ROWS:
        return list(tokens)
    spread = dict(
        connection.execute(f"SELECT term, doc FROM passage_words WHERE term IN ({_marks(tokens)})", tuple(tokens))
    )
    by_rarity = sorted(tokens, key=lambda token: spread.get(token, 0))
    total = itertools.accumulate(min(spread.get(token, 0), width) for token in by_rarity)
    return [
        token
        for place, (token, rows) in enumerate(zip(by_rarity, total, strict=True))
        if rows <= MOST_SCORED_ROWS or place == 0
    ]


def _id_range(connection: sqlite3.Connection, scope: tuple[int, ...]) -> tuple[int, int]:
    """The smallest and largest passage id of these documents; an empty range when they have none."""
    low, high = connection.execute(
        "SELECT MIN(low), MAX(high) FROM (SELECT MIN(id) AS low, MAX(id) AS high FROM passages"
        f" WHERE document_id IN ({_marks(scope)}) GROUP BY document_id)",
        scope,
    ).fetchone()
    return (1, 0) if low is None else (low, high)


def _quoted(token: str) -> str:
    return '"' + token.replace('"', '""') + '"'


def _marks(values: Iterable[object]) -> str:
    return ", ".join("?" for _ in values)


def _passage(row: _Row) -> Passage:
    id_, document_id, document, page, start, end, text, heading, article, page_label = row
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
        page_label=page_label,
    )
