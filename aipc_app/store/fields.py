"""What is known of documents as a whole; what the user wrote is kept when they are read again."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from aipc_app.domain.fields import DocumentField, FieldName
from aipc_app.store.database import Database

_COLUMNS = "f.name, f.value, f.page, f.start, f.end, e.name IS NOT NULL"
_FROM = (
    "document_fields f LEFT JOIN edited_fields e ON e.document_id = f.document_id AND e.name = f.name"
)
_Row = tuple[str, str, int | None, int | None, int | None, int]


class Fields:
    """May be used from any thread. Raises StorageError for the disk."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of_document(self, document_id: int) -> tuple[DocumentField, ...]:
        """A document's fields: kind first, then in the order they were found."""
        with self._database.read() as connection:
            rows = connection.execute(
                f"SELECT {_COLUMNS} FROM {_FROM} WHERE f.document_id = ? ORDER BY f.position", (document_id,)
            )
            return tuple(_field(row) for row in rows)

    def of_case(self, case_id: int) -> dict[int, tuple[DocumentField, ...]]:
        """The fields of each of a case's documents that has any."""
        found: dict[int, list[DocumentField]] = {}
        with self._database.read() as connection:
            for document_id, *row in connection.execute(
                f"SELECT f.document_id, {_COLUMNS} FROM {_FROM} JOIN case_documents c ON c.document_id = f.document_id"
                " WHERE c.case_id = ? ORDER BY f.document_id, f.position",
                (case_id,),
            ):
                name, value, page, start, end, edited = row
                found.setdefault(document_id, []).append(_field((name, value, page, start, end, edited)))
        return {document_id: tuple(fields) for document_id, fields in found.items()}

    def save_found(self, document_id: int, fields: Sequence[DocumentField]) -> None:
        """What reading found, in place of what it found before; names that the user edited stay as they are."""
        with self._database.write() as connection:
            edited = _edited(connection, document_id)
            kept = [field for field in self.of_document(document_id) if field.name in edited]
            _write(connection, document_id, [*(f for f in fields if f.name not in edited), *kept])

    def edit(self, document_id: int, name: FieldName, fields: Sequence[DocumentField]) -> None:
        """What the user says of a document; no fields: it has none. Nothing happens when it was deleted meanwhile.

        A value that was known keeps its place.
        """
        with self._database.write() as connection:
            if connection.execute("SELECT 1 FROM documents WHERE id = ?", (document_id,)).fetchone() is None:
                return
            before = self.of_document(document_id)
            known = {field.value: field for field in before if field.name is name}
            written = [known.get(field.value, field) for field in fields]
            _write(connection, document_id, [*(f for f in before if f.name is not name), *written])
            connection.execute("INSERT OR IGNORE INTO edited_fields VALUES (?, ?)", (document_id, name.value))

    def edited(self, document_id: int) -> frozenset[FieldName]:
        """The names whose values the user wrote."""
        with self._database.read() as connection:
            return _edited(connection, document_id)


def _edited(connection: sqlite3.Connection, document_id: int) -> frozenset[FieldName]:
    rows = connection.execute("SELECT name FROM edited_fields WHERE document_id = ?", (document_id,))
    return frozenset(FieldName(name) for (name,) in rows)


def _write(connection: sqlite3.Connection, document_id: int, fields: Sequence[DocumentField]) -> None:
    order = list(FieldName)
    ordered = sorted(fields, key=lambda field: order.index(field.name))
    connection.execute("DELETE FROM document_fields WHERE document_id = ?", (document_id,))
    connection.executemany(
        "INSERT INTO document_fields (document_id, position, name, value, page, start, end)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        [(document_id, at, f.name.value, f.value, f.page, f.start, f.end) for at, f in enumerate(ordered, 1)],
    )


def _field(row: _Row) -> DocumentField:
    name, value, page, start, end, edited = row
    return DocumentField(name=FieldName(name), value=value, page=page, start=start, end=end, edited=bool(edited))
