"""How models did when their own check was put to the test, by the model's identity."""

from __future__ import annotations

import time
from collections.abc import Sequence

import msgspec

from aipc_app.store.database import Database

Scores = tuple[tuple[float, ...], tuple[float, ...]]


class Judges:
    """May be used from any thread. Raises StorageError for the disk."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, identity: str, version: int) -> Scores | None:
        """The probabilities it gave to answered and to unanswered questions; None if not measured in this version."""
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT answered, unanswered FROM judge_checks WHERE identity = ? AND version = ?", (identity, version)
            ).fetchone()
        if row is None:
            return None
        answered, unanswered = (msgspec.json.decode(part, type=tuple[float, ...]) for part in row)
        return answered, unanswered

    def save(self, identity: str, version: int, answered: Sequence[float], unanswered: Sequence[float]) -> None:
        with self._database.write() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO judge_checks (identity, version, answered, unanswered, measured)"
                " VALUES (?, ?, ?, ?, ?)",
                (identity, version, msgspec.json.encode(answered), msgspec.json.encode(unanswered), time.time()),
            )
