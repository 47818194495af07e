"""Documents: what they are, and which cases they belong to; what was read of them is in contents.py."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Collection, Sequence

from aipc_app.domain.documents import Document, DocumentStatus
from aipc_app.errors import UserMistake
from aipc_app.store.contents import Contents
from aipc_app.store.database import Database
from aipc_app.store.originals import Originals
from aipc_app.store.updating import drop_copies

_COLUMNS = (
    "d.id, d.name, d.sha256, d.size, d.status, d.reason, d.retryable, d.pages, d.passages, d.has_layout, d.added,"
    " d.encoding"
)
_Row = tuple[int, str, str, int, str, str | None, int, int, int, int, float, str]


class Documents(Contents):
    """May be used from any thread. Raises UserMistake for ids unknown, StorageError for the disk."""

    def __init__(self, database: Database, originals: Originals) -> None:
        super().__init__(database)
        self._originals = originals

    def add(self, *, name: str, sha256: str, size: int) -> Document:
        """A new document, queued, in no case yet. Its original must be in place."""
        with self._database.write() as connection:
            cursor = connection.execute(
                "INSERT INTO documents (sha256, name, size, status, added) VALUES (?, ?, ?, ?, ?)",
                (sha256, name, size, DocumentStatus.QUEUED.value, time.time()),
            )
            assert cursor.lastrowid is not None
            return self.get(cursor.lastrowid)

    def get(self, document_id: int) -> Document:
        """Raises UserMistake when there is none."""
        found = self._one("d.id = ?", document_id)
        if found is None:
            raise UserMistake(f"There is no document number {document_id}; 'aipc documents' lists them.")
        return found

    def by_hash(self, sha256: str) -> Document | None:
        """The document with these bytes."""
        return self._one("d.sha256 = ?", sha256)

    def of_case(self, case_id: int) -> tuple[Document, ...]:
        """A case's documents in its own fixed order: as added, until somebody reorders them."""
        with self._database.read() as connection:
            rows = connection.execute(
                f"SELECT {_COLUMNS} FROM case_documents c JOIN documents d ON d.id = c.document_id"
                " WHERE c.case_id = ? ORDER BY c.position, d.id",
                (case_id,),
            )
            return tuple(_document(row) for row in rows)

    def ids_of_case(self, case_id: int) -> frozenset[int]:
        """Which documents a case has."""
        with self._database.read() as connection:
            rows = connection.execute("SELECT document_id FROM case_documents WHERE case_id = ?", (case_id,))
            return frozenset(id_ for (id_,) in rows)

    def cases_of(self, document_id: int) -> tuple[int, ...]:
        """The ids of the cases it belongs to, trashed ones too."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT case_id FROM case_documents WHERE document_id = ? ORDER BY case_id", (document_id,)
            )
            return tuple(case_id for (case_id,) in rows)

    def link(self, case_id: int, document_id: int) -> bool:
        """Put a document at the end of a case. False when it was there already."""
        with self._database.write() as connection:
            self.get(document_id)
            cursor = connection.execute(
                "INSERT OR IGNORE INTO case_documents (case_id, document_id, position) VALUES (?1, ?2,"
                " (SELECT COALESCE(MAX(position), 0) + 1 FROM case_documents WHERE case_id = ?1))",
                (case_id, document_id),
            )
            return cursor.rowcount == 1

    def unlink(self, case_id: int, document_id: int) -> bool:
        """Take a document out of a case. True: it was its last one, and everything of it is deleted.

        The original file goes after the deletion is durable. Raises UserMistake when it isn't in the case.
        """
        with self._database.write() as connection:
            document = self.get(document_id)
            cursor = connection.execute(
                "DELETE FROM case_documents WHERE case_id = ? AND document_id = ?", (case_id, document_id)
            )
            if cursor.rowcount == 0:
                raise UserMistake(f"'{document.name}' isn't in this case; 'aipc documents' lists what is.")
            if self.cases_of(document_id):
                return False
            connection.execute("DELETE FROM documents WHERE id = ?", (document_id,))
            self._database.after_commit(lambda: self._originals.remove(document.sha256))
            self._database.after_commit(lambda: drop_copies(self._database.folder))
            return True

    def reorder(self, case_id: int, document_ids: Sequence[int]) -> None:
        """Give a case's documents a new order. Raises UserMistake unless each of them is named once."""
        with self._database.write() as connection:
            present = {document.id for document in self.of_case(case_id)}
            if len(document_ids) != len(present) or set(document_ids) != present:
                raise UserMistake("The documents of this case have changed; look at it again, then reorder.")
            connection.executemany(
                "UPDATE case_documents SET position = ? WHERE case_id = ? AND document_id = ?",
                [(position, case_id, id_) for position, id_ in enumerate(document_ids, 1)],
            )

    def rename(self, document_id: int, name: str) -> None:
        """Call it otherwise. Nothing happens when it was deleted meanwhile."""
        with self._database.write() as connection:
            connection.execute("UPDATE documents SET name = ? WHERE id = ?", (name, document_id))

    def set_status(
        self, document_id: int, status: DocumentStatus, *, reason: str | None = None, retryable: bool = False
    ) -> None:
        """Say where a document stands. Nothing happens when it was deleted meanwhile."""
        with self._database.write() as connection:
            connection.execute(
                "UPDATE documents SET status = ?, reason = ?, retryable = ? WHERE id = ?",
                (status.value, reason, int(retryable), document_id),
            )

    def statuses(self, document_ids: Collection[int]) -> dict[int, DocumentStatus]:
        """Where these documents stand; those that are gone are left out."""
        wanted = frozenset(document_ids)
        with self._database.read() as connection:
            rows = connection.execute("SELECT id, status FROM documents")
            return {id_: DocumentStatus(status) for id_, status in rows if id_ in wanted}

    def requeue_reading(self) -> None:
        """At start: what a kill left in the middle of reading is queued."""
        with self._database.write() as connection:
            connection.execute("UPDATE documents SET status = 'queued' WHERE status = 'reading'")

    def all_ids(self) -> tuple[int, ...]:
        """Every document, oldest first."""
        with self._database.read() as connection:
            return tuple(id_ for (id_,) in connection.execute("SELECT id FROM documents ORDER BY id"))

    def _one(self, condition: str, value: int | str) -> Document | None:
        with self._database.read() as connection:
            row = _select(connection, condition, value)
        return None if row is None else _document(row)


def _select(connection: sqlite3.Connection, condition: str, value: int | str) -> _Row | None:
    row: _Row | None = connection.execute(f"SELECT {_COLUMNS} FROM documents d WHERE {condition}", (value,)).fetchone()
    return row


def _document(row: _Row) -> Document:
    id_, name, sha256, size, status, reason, retryable, pages, passages, has_layout, added, encoding = row
    return Document(
        id=id_,
        name=name,
        sha256=sha256,
        size=size,
        status=DocumentStatus(status),
        reason=reason,
        retryable=bool(retryable),
        pages=pages,
        passages=passages,
        has_layout=bool(has_layout),
        added=added,
        encoding=encoding,
    )
