"""Text of pages that the user wrote anew, with the text as it was read kept beside it."""

from __future__ import annotations

import time
import zlib
from collections.abc import Sequence

from msgspec import Struct

from aipc_app.domain.documents import Page, PageState
from aipc_app.store.database import Database


class Correction(Struct, frozen=True, kw_only=True):
    """`text` is the user's; the rest is what the reader last made of the page, boxes as in domain.boxes."""

    number: int
    text: str
    read_text: str
    read_state: PageState
    read_boxes: bytes = b""


class Corrections:
    """May be used from any thread. Raises StorageError for the disk."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of_document(self, document_id: int) -> dict[int, Correction]:
        """By page number."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT number, text, read_text, read_state, read_boxes FROM page_corrections WHERE document_id = ?",
                (document_id,),
            )
            return {
                number: Correction(
                    number=number, text=text, read_text=read, read_state=PageState(state),
                    read_boxes=zlib.decompress(boxes) if boxes else b"",
                )
                for number, text, read, state, boxes in rows
            }  # fmt: skip

    def save(self, document_id: int, read: Page, text: str) -> None:
        """The user's text for a page as it was read; in place of an earlier one."""
        with self._database.write() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO page_corrections"
                " (document_id, number, text, read_text, read_state, read_boxes, changed) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    document_id, read.number, text, read.text, read.state.value,
                    zlib.compress(read.boxes) if read.boxes else None, time.time(),
                ),
            )

    def note_read(self, document_id: int, pages: Sequence[Page]) -> None:
        """The document was read again: these pages, which the user corrected, as they were read now."""
        known = self.of_document(document_id)
        for page in pages:
            if page.number in known:
                self.save(document_id, page, known[page.number].text)

    def drop(self, document_id: int, number: int) -> None:
        """The page's own text again."""
        with self._database.write() as connection:
            connection.execute(
                "DELETE FROM page_corrections WHERE document_id = ? AND number = ?", (document_id, number)
            )
