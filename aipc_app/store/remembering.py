"""What the model remembers of each case's documents, as last seen, and what it has still to forget."""

from __future__ import annotations

from collections.abc import Iterable

from aipc_app.domain.remembering import RememberedShare
from aipc_app.store.database import Database


class Remembering:
    """May be used from any thread. Raises StorageError for the disk.

    A document taken out of a case takes its row along.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, case_id: int, shares: Iterable[RememberedShare]) -> None:
        """These are the case's documents and what is remembered of them; earlier figures are gone."""
        rows = [(case_id, one.document_id, one.model, one.tokens, one.known_tokens) for one in shares]
        with self._database.write() as connection:
            connection.execute("DELETE FROM remembered WHERE case_id = ?", (case_id,))
            connection.executemany(  # a document may have left the case meanwhile
                "INSERT INTO remembered SELECT ?1, ?2, ?3, ?4, ?5 WHERE EXISTS"
                " (SELECT 1 FROM case_documents WHERE case_id = ?1 AND document_id = ?2)",
                rows,
            )

    def of_case(self, case_id: int) -> tuple[RememberedShare, ...]:
        """As saved, in no order."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT document_id, tokens, known_tokens, model FROM remembered WHERE case_id = ?", (case_id,)
            )
            return tuple(
                RememberedShare(document_id=id_, tokens=tokens, known_tokens=known, model=model)
                for id_, tokens, known, model in rows
            )

    def clear(self, case_id: int | None = None) -> None:
        """Nothing is remembered of a case; None: of any."""
        with self._database.write() as connection:
            if case_id is None:
                connection.execute("DELETE FROM remembered")
            else:
                connection.execute("DELETE FROM remembered WHERE case_id = ?", (case_id,))

    def read_ahead(self, case_id: int, on: bool) -> None:
        """Whether a case is read ahead by itself. Nothing happens when it was deleted meanwhile."""
        with self._database.write() as connection:
            connection.execute("DELETE FROM not_read_ahead WHERE case_id = ?", (case_id,))
            if not on:
                connection.execute("INSERT INTO not_read_ahead SELECT id FROM cases WHERE id = ?", (case_id,))

    def left_out(self) -> frozenset[int]:
        """Cases that are not read ahead by themselves."""
        with self._database.read() as connection:
            return frozenset(id_ for (id_,) in connection.execute("SELECT case_id FROM not_read_ahead"))

    def owe(self, labels: Iterable[str]) -> None:
        """What the model read of these is to be deleted; durable when it returns."""
        with self._database.write() as connection:
            connection.executemany("INSERT OR IGNORE INTO to_forget VALUES (?)", [(label,) for label in labels])

    def owed(self) -> frozenset[str]:
        """What is still to be deleted."""
        with self._database.read() as connection:
            return frozenset(label for (label,) in connection.execute("SELECT label FROM to_forget"))

    def paid(self, labels: Iterable[str]) -> None:
        """It is deleted."""
        with self._database.write() as connection:
            connection.executemany("DELETE FROM to_forget WHERE label = ?", [(label,) for label in labels])
