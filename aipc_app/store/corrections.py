"""Text of pages that the user wrote anew, with the text as it was read kept beside it."""

from __future__ import annotations

import time

from msgspec import Struct

from aipc_app.domain.documents import Page, PageState
from aipc_app.store.database import Database


class Correction(Struct, frozen=True, kw_only=True):
    """`text` is the user's; `read_text` and `read_state` are what the reader last made of the page."""

    number: int
    text: str
    read_text: str
    read_state: PageState


class Corrections:
    """May be used from any thread. Raises StorageError for the disk."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of_document(self, document_id: int) -> dict[int, Correction]:
        """By page number."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT number, text, read_text, read_state FROM page_corrections WHERE document_id = ?", (document_id,)
            )
            return {
                number: Correction(number=number, text=text, read_text=read, read_state=PageState(state))
                for number, text, read, state in rows
            }

    def save(self, document_id: int, read: Page, text: str) -> None:
        """The user's text for a page as it was read; in place of an earlier one."""
        with self._database.write() as connection:
            connection.execute(
                "INSERT INTO page_corrections (document_id, number, text, read_text, read_state, changed)"
                " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (document_id, number) DO UPDATE SET text = excluded.text,"
                " read_text = excluded.read_text, read_state = excluded.read_state, changed = excluded.changed",
                (document_id, read.number, text, read.text, read.state.value, time.time()),
            )

    def drop(self, document_id: int, number: int) -> None:
        """The page's own text again."""
        with self._database.write() as connection:
            connection.execute(
                "DELETE FROM page_corrections WHERE document_id = ? AND number = ?", (document_id, number)
            )
