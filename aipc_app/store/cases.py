"""Cases, and the law library among them (LIBRARY_ID)."""

from __future__ import annotations

import sqlite3
import time

from aipc_app.domain.documents import LIBRARY_ID, Case, CaseKind
from aipc_app.errors import UserMistake
from aipc_app.store.database import Database
from aipc_app.store.documents import Documents
from aipc_app.store.updating import drop_copies

_LONGEST_NAME = 200
_SELECT = (
    "SELECT id, name, kind, archived, trashed, created,"
    " (SELECT COUNT(*) FROM case_documents WHERE case_id = cases.id) AS documents FROM cases"
)


class Cases:
    """May be used from any thread. Raises UserMistake for a name taken or an unknown id."""

    def __init__(self, database: Database, documents: Documents) -> None:
        self._database, self._documents = database, documents

    def list(self, *, archived: bool = False, trashed: bool = False) -> tuple[Case, ...]:
        """Cases at work, or the archived ones, or the trash; last opened first. Never the library."""
        chosen = "trashed = 1" if trashed else f"trashed = 0 AND archived = {int(archived)}"
        with self._database.read() as connection:
            rows = connection.execute(f"{_SELECT} WHERE kind = 'case' AND {chosen} ORDER BY opened DESC, id DESC")
            return tuple(_case(row) for row in rows)

    def get(self, case_id: int) -> Case:
        """Any case, the library too. Raises UserMistake when there is none."""
        with self._database.read() as connection:
            row = connection.execute(f"{_SELECT} WHERE id = ?", (case_id,)).fetchone()
        if row is None:
            raise UserMistake(f"There is no case number {case_id}; 'aipc cases' lists them.")
        return _case(row)

    def by_name(self, name: str) -> Case | None:
        """The case of that name outside the trash."""
        with self._database.read() as connection:
            row = connection.execute(
                f"{_SELECT} WHERE kind = 'case' AND trashed = 0 AND name = ?", (tidy_name(name),)
            ).fetchone()
        return None if row is None else _case(row)

    def library(self) -> Case:
        """The law library."""
        return self.get(LIBRARY_ID)

    def create(self, name: str) -> Case:
        """A new, empty case. Raises UserMistake when the name is taken or empty."""
        now = time.time()
        with self._database.write() as connection:
            tidy = self._free_name(connection, name)
            cursor = connection.execute(
                "INSERT INTO cases (kind, name, created, opened) VALUES ('case', ?, ?, ?)", (tidy, now, now)
            )
            assert cursor.lastrowid is not None
            return self.get(cursor.lastrowid)

    def rename(self, case_id: int, name: str) -> Case:
        """Raises UserMistake when another case has the name."""
        with self._database.write() as connection:
            self._own(case_id)
            tidy = self._free_name(connection, name, but=case_id)
            connection.execute("UPDATE cases SET name = ? WHERE id = ?", (tidy, case_id))
            return self.get(case_id)

    def archive(self, case_id: int, on: bool) -> Case:
        """Put a case away, or take it back."""
        with self._database.write() as connection:
            self._own(case_id)
            connection.execute("UPDATE cases SET archived = ? WHERE id = ?", (int(on), case_id))
            return self.get(case_id)

    def trash(self, case_id: int, on: bool) -> Case:
        """Hide a case; or bring it back, as "name (2)" when its name was taken meanwhile."""
        with self._database.write() as connection:
            case = self._own(case_id)
            name = case.name if on else _numbered(connection, case.name, case_id)
            connection.execute("UPDATE cases SET trashed = ?, name = ? WHERE id = ?", (int(on), name, case_id))
            return self.get(case_id)

    def delete(self, case_id: int) -> tuple[int, ...]:
        """Remove a case for good, with its conversations and every document that belongs to no other case.

        Returns the ids of the documents that are gone.
        """
        with self._database.write() as connection:
            self._own(case_id)
            ids = [document.id for document in self._documents.of_case(case_id)]
            gone = tuple(id_ for id_ in ids if self._documents.unlink(case_id, id_))
            connection.execute(
                "DELETE FROM conversations WHERE id IN"
                " (SELECT conversation_id FROM conversation_cases WHERE case_id = ?)",
                (case_id,),
            )
            connection.execute("DELETE FROM cases WHERE id = ?", (case_id,))
            self._database.after_commit(lambda: drop_copies(self._database.folder))
            return gone

    def touch(self, case_id: int) -> None:
        """Remember that the case was opened now."""
        with self._database.write() as connection:
            connection.execute("UPDATE cases SET opened = ? WHERE id = ?", (time.time(), case_id))

    def _own(self, case_id: int) -> Case:
        if case_id == LIBRARY_ID:
            raise UserMistake("The law library can't be renamed, archived or removed.")
        return self.get(case_id)

    @staticmethod
    def _free_name(connection: sqlite3.Connection, name: str, but: int | None = None) -> str:
        tidy = tidy_name(name)
        if not tidy:
            raise UserMistake("A case needs a name; type one.")
        if len(tidy) > _LONGEST_NAME:
            raise UserMistake(f"A case's name can have at most {_LONGEST_NAME} characters; shorten it.")
        if _taken(connection, tidy, but):
            raise UserMistake(f"There is a case named '{tidy}' already; choose another name.")
        return tidy


def tidy_name(name: str) -> str:
    """A name without control characters, line breaks and doubled spaces."""
    return " ".join("".join(c if c.isprintable() else " " for c in name).split())


def _taken(connection: sqlite3.Connection, name: str, but: int | None) -> bool:
    row = connection.execute(
        "SELECT 1 FROM cases WHERE kind = 'case' AND trashed = 0 AND name = ? AND id IS NOT ?", (name, but)
    ).fetchone()
    return row is not None


def _numbered(connection: sqlite3.Connection, name: str, case_id: int) -> str:
    candidate, number = name, 2
    while _taken(connection, candidate, case_id):
        candidate, number = f"{name} ({number})", number + 1
    return candidate


def _case(row: tuple[int, str, str, int, int, float, int]) -> Case:
    id_, name, kind, archived, trashed, created, documents = row
    return Case(
        id=id_,
        name=name,
        kind=CaseKind(kind),
        documents=documents,
        archived=bool(archived),
        trashed=bool(trashed),
        created=created,
    )
