"""What was read of a document: pages, and the passages made of them, saved together or not at all."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Collection, Sequence

from msgspec import Struct

from aipc_app.domain.documents import DocumentStatus, Page, PageState, PassageDraft
from aipc_app.errors import UserMistake
from aipc_app.store.database import Database

_ZLIB_LEVEL = 6
_Row = tuple[int, str, str, float, float, str, float | None, str, int, bytes | None]
_PassageRow = tuple[int, int, int, int, str, str | None, str | None, str]
_PAGE = (
    "p.number, p.text, p.state, p.width, p.height, p.problem, p.confidence, p.label,"
    " EXISTS (SELECT 1 FROM page_corrections c WHERE c.document_id = p.document_id AND c.number = p.number)"
)


class IndexedPassage(Struct, frozen=True, kw_only=True):
    """A passage with its search tokens (of heading and text, space-joined) and facts (kind, value)."""

    draft: PassageDraft
    tokens: str
    facts: tuple[tuple[str, str], ...] = ()


class Contents:
    """May be used from any thread. Raises StorageError for the disk."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save_read(
        self,
        document_id: int,
        *,
        pages: Sequence[Page],
        passages: Sequence[IndexedPassage],
        status: DocumentStatus,
        reason: str | None,
        has_layout: bool,
        encoding: str = "",
    ) -> None:
        """Replace what was read of a document, in one transaction; passages get new ids, in the order given.

        Raises ValueError for a passage that is not exactly its page's text, UserMistake for an unknown id.
        """
        _check_verbatim(pages, passages)
        boxes = [(document_id, p.number, zlib.compress(p.boxes, _ZLIB_LEVEL)) for p in pages if p.boxes]
        with self._database.write() as connection:
            updated = connection.execute(
                "UPDATE documents SET status = ?, reason = ?, retryable = 0, pages = ?, passages = ?,"
                " has_layout = ?, encoding = ? WHERE id = ?",
                (status.value, reason, len(pages), len(passages), int(has_layout), encoding, document_id),
            )
            if updated.rowcount == 0:
                raise UserMistake(f"There is no document number {document_id}; it was removed meanwhile.")
            _clear(connection, document_id)
            _insert_pages(connection, document_id, pages)
            connection.executemany("INSERT INTO page_boxes VALUES (?, ?, ?)", boxes)
            _insert_passages(connection, document_id, passages)

    def save_page(
        self,
        document_id: int,
        page: Page,
        *,
        gone: Collection[int],
        passages: Sequence[IndexedPassage],
        status: DocumentStatus,
        reason: str | None,
    ) -> None:
        """Replace one page, and of the document's passages those that are gone by these; the others keep their ids.

        Raises ValueError for a passage that is not exactly its page's text, UserMistake for an unknown id.
        """
        with self._database.write() as connection:
            connection.execute(
                "DELETE FROM pages WHERE document_id = ? AND number = ?", (document_id, page.number)
            )
            _insert_pages(connection, document_id, [page])
            if page.boxes:
                boxes = zlib.compress(page.boxes, _ZLIB_LEVEL)
                connection.execute("INSERT INTO page_boxes VALUES (?, ?, ?)", (document_id, page.number, boxes))
            _check_verbatim(self.pages(document_id), passages)
            connection.executemany("DELETE FROM passages WHERE id = ?", [(id_,) for id_ in gone])
            _insert_passages(connection, document_id, passages)
            updated = connection.execute(
                "UPDATE documents SET status = ?, reason = ?, passages = (SELECT COUNT(*) FROM passages"
                " WHERE document_id = ?3) WHERE id = ?3",
                (status.value, reason, document_id),
            )
            if updated.rowcount == 0:
                raise UserMistake(f"There is no document number {document_id}; it was removed meanwhile.")

    def pages(self, document_id: int, *, boxes: bool = False) -> tuple[Page, ...]:
        """Every page in order; `boxes` brings the character boxes too."""
        with self._database.read() as connection:
            rows = connection.execute(
                f"{_select_pages(boxes)} WHERE p.document_id = ? ORDER BY p.number", (document_id,)
            )
            return tuple(_page(row) for row in rows)

    def page(self, document_id: int, number: int, *, boxes: bool = True) -> Page:
        """One page, counted from 1. Raises UserMistake when there is none."""
        with self._database.read() as connection:
            row = connection.execute(
                f"{_select_pages(boxes)} WHERE p.document_id = ? AND p.number = ?", (document_id, number)
            ).fetchone()
        if row is None:
            raise UserMistake(f"Document {document_id} has no page {number}; 'aipc pages' lists them.")
        return _page(row)

    def indexed_passages(self, document_id: int) -> tuple[IndexedPassage, ...]:
        """A document's passages with their words and facts, in the order of their ids."""
        with self._database.read() as connection:
            facts: dict[int, list[tuple[str, str]]] = {}
            for id_, kind, value in connection.execute(
                "SELECT f.passage_id, f.kind, f.value FROM passages p JOIN facts f ON f.passage_id = p.id"
                " WHERE p.document_id = ? ORDER BY f.passage_id, f.kind, f.value",
                (document_id,),
            ):
                facts.setdefault(id_, []).append((kind, value))
            rows = connection.execute(
                "SELECT p.id, p.page, p.start, p.end, t.text, t.heading, t.article, t.tokens FROM passages p"
                " JOIN passage_texts t ON t.id = p.id WHERE p.document_id = ? ORDER BY p.id",
                (document_id,),
            )
            return tuple(_indexed(row, tuple(facts.get(row[0], ()))) for row in rows)

    def attention(self, document_id: int) -> dict[PageState, tuple[int, ...]]:
        """Page numbers by state, for the states that need a look: all but `text`."""
        found: dict[PageState, list[int]] = {state: [] for state in PageState if state is not PageState.TEXT}
        with self._database.read() as connection:
            for state, number in connection.execute(
                "SELECT state, number FROM pages WHERE document_id = ? AND state <> 'text' ORDER BY number",
                (document_id,),
            ):
                found[PageState(state)].append(number)
        return {state: tuple(numbers) for state, numbers in found.items()}


def _indexed(row: _PassageRow, facts: tuple[tuple[str, str], ...]) -> IndexedPassage:
    _, page, start, end, text, heading, article, tokens = row
    draft = PassageDraft(page=page, start=start, end=end, text=text, heading=heading, article=article)
    return IndexedPassage(draft=draft, tokens=tokens, facts=facts)


def _check_verbatim(pages: Sequence[Page], passages: Sequence[IndexedPassage]) -> None:
    texts = {page.number: page.text for page in pages}
    for passage in passages:
        draft = passage.draft
        if texts[draft.page][draft.start : draft.end] != draft.text:
            raise ValueError(f"a passage of page {draft.page} is not that page's text")


def _clear(connection: sqlite3.Connection, document_id: int) -> None:
    connection.execute("DELETE FROM pages WHERE document_id = ?", (document_id,))
    connection.execute("DELETE FROM passages WHERE document_id = ?", (document_id,))


def _insert_pages(connection: sqlite3.Connection, document_id: int, pages: Sequence[Page]) -> None:
    connection.executemany(
        "INSERT INTO pages (document_id, number, state, width, height, text, problem, confidence, label)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (document_id, p.number, p.state.value, p.width, p.height, p.text, p.problem, p.confidence, p.label)
            for p in pages
        ],
    )


def _insert_passages(connection: sqlite3.Connection, document_id: int, passages: Sequence[IndexedPassage]) -> None:
    (last,) = connection.execute(
        "SELECT COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'passages'), 0)"
    ).fetchone()
    numbered = list(enumerate(passages, last + 1))
    connection.executemany(
        "INSERT INTO passages (id, document_id, page, start, end) VALUES (?, ?, ?, ?, ?)",
        [(id_, document_id, p.draft.page, p.draft.start, p.draft.end) for id_, p in numbered],
    )
    connection.executemany(
        "INSERT INTO passage_texts (id, text, heading, article, tokens) VALUES (?, ?, ?, ?, ?)",
        [(id_, p.draft.text, p.draft.heading, p.draft.article, p.tokens) for id_, p in numbered],
    )
    connection.executemany(
        "INSERT OR IGNORE INTO facts (kind, value, passage_id) VALUES (?, ?, ?)",
        [(kind, value, id_) for id_, p in numbered for kind, value in p.facts],
    )


def _select_pages(boxes: bool) -> str:
    if boxes:
        return (
            f"SELECT {_PAGE}, b.boxes FROM pages p LEFT JOIN page_boxes b"
            " ON b.document_id = p.document_id AND b.number = p.number"
        )
    return f"SELECT {_PAGE}, NULL FROM pages p"


def _page(row: _Row) -> Page:
    number, text, state, width, height, problem, confidence, label, corrected, boxes = row
    return Page(
        number=number,
        text=text,
        state=PageState(state),
        width=width,
        height=height,
        boxes=zlib.decompress(boxes) if boxes else b"",
        problem=problem,
        confidence=confidence,
        label=label,
        corrected=bool(corrected),
    )
