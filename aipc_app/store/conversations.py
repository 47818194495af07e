"""Conversations: each turn as it was sent and as it was shown."""

from __future__ import annotations

import time
from collections.abc import Sequence

import msgspec

from aipc_app.domain.answers import Conversation, Turn
from aipc_app.domain.documents import LIBRARY_ID
from aipc_app.errors import UserMistake
from aipc_app.store.cases import tidy_name
from aipc_app.store.database import Database

_SELECT = (
    "SELECT c.id, c.title, c.library, c.created, (SELECT COUNT(*) FROM turns WHERE conversation_id = c.id),"
    " (SELECT json_group_array(case_id) FROM (SELECT case_id FROM conversation_cases"
    " WHERE conversation_id = c.id ORDER BY position)) FROM conversations c"
)
_NEWEST_FIRST = "ORDER BY c.changed DESC, c.id DESC"
_OF_CASE = "EXISTS (SELECT 1 FROM conversation_cases k WHERE k.conversation_id = c.id AND k.case_id = ?)"
_OF_LIBRARY_ALONE = "NOT EXISTS (SELECT 1 FROM conversation_cases k WHERE k.conversation_id = c.id)"


class Conversations:
    """May be used from any thread. Raises UserMistake for ids unknown, StorageError for the disk."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, cases: Sequence[int], library: bool, title: str) -> Conversation:
        """A new conversation about these cases and, if asked, the library; `cases` may be empty."""
        now = time.time()
        with self._database.write() as connection:
            cursor = connection.execute(
                "INSERT INTO conversations (title, library, created, changed) VALUES (?, ?, ?, ?)",
                (tidy_name(title), int(library), now, now),
            )
            assert cursor.lastrowid is not None
            connection.executemany(
                "INSERT INTO conversation_cases (conversation_id, position, case_id) VALUES (?, ?, ?)",
                [(cursor.lastrowid, position, case_id) for position, case_id in enumerate(cases)],
            )
            return self.get(cursor.lastrowid)

    def get(self, conversation_id: int) -> Conversation:
        """Raises UserMistake when there is none."""
        with self._database.read() as connection:
            row = connection.execute(f"{_SELECT} WHERE c.id = ?", (conversation_id,)).fetchone()
        if row is None:
            raise UserMistake(f"There is no conversation number {conversation_id}; start a new one.")
        return _conversation(row)

    def list(self, case_id: int | None) -> tuple[Conversation, ...]:
        """Newest first: those of a case; for LIBRARY_ID, those about the library alone; for None, all."""
        condition, values = "1", ()  # type: str, tuple[int, ...]
        if case_id == LIBRARY_ID:
            condition, values = f"{_OF_LIBRARY_ALONE} OR {_OF_CASE}", (case_id,)
        elif case_id is not None:
            condition, values = _OF_CASE, (case_id,)
        with self._database.read() as connection:
            rows = connection.execute(f"{_SELECT} WHERE {condition} {_NEWEST_FIRST}", values)
            return tuple(_conversation(row) for row in rows)

    def add_turn(self, conversation_id: int, turn: Turn) -> None:
        """Append one question and its answer."""
        with self._database.write() as connection:
            self.get(conversation_id)
            connection.execute(
                "INSERT INTO turns (conversation_id, number, question, answer, turn) VALUES (?1,"
                " (SELECT COUNT(*) + 1 FROM turns WHERE conversation_id = ?1), ?2, ?3, ?4)",
                (conversation_id, turn.question, turn.answer.text, msgspec.json.encode(turn)),
            )
            connection.execute("UPDATE conversations SET changed = ? WHERE id = ?", (time.time(), conversation_id))

    def turns(self, conversation_id: int) -> tuple[Turn, ...]:
        """Every turn, oldest first. Fields that a newer program wrote are passed over."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT turn FROM turns WHERE conversation_id = ? ORDER BY number", (conversation_id,)
            ).fetchall()
        return tuple(msgspec.json.decode(turn, type=Turn) for (turn,) in rows)

    def rename(self, conversation_id: int, title: str) -> Conversation:
        """Give it another title. Raises UserMistake when there is none."""
        with self._database.write() as connection:
            connection.execute("UPDATE conversations SET title = ? WHERE id = ?", (tidy_name(title), conversation_id))
            return self.get(conversation_id)

    def delete(self, conversation_id: int) -> None:
        """Remove it for good. Raises UserMistake when there is none."""
        with self._database.write() as connection:
            self.get(conversation_id)
            connection.execute("DELETE FROM conversations WHERE id = ?", (conversation_id,))

    def search(self, text: str) -> tuple[Conversation, ...]:
        """Those with `text` in their title, a question or an answer; newest first."""
        pattern = "%" + text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
        with self._database.read() as connection:
            rows = connection.execute(
                f"{_SELECT} WHERE c.title LIKE ?1 ESCAPE '\\' OR EXISTS (SELECT 1 FROM turns t WHERE"
                " t.conversation_id = c.id AND (t.question LIKE ?1 ESCAPE '\\'"
                f" OR t.answer LIKE ?1 ESCAPE '\\')) {_NEWEST_FIRST}",
                (pattern,),
            )
            return tuple(_conversation(row) for row in rows)


def _conversation(row: tuple[int, str, int, float, int, str]) -> Conversation:
    id_, title, library, created, turns, cases = row
    return Conversation(
        id=id_,
        cases=msgspec.json.decode(cases, type=tuple[int, ...]),
        library=bool(library),
        title=title,
        created=created,
        turns=turns,
    )
