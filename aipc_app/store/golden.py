"""Golden questions and what they gave."""

from __future__ import annotations

import time

import msgspec

from aipc_app.domain.golden import GoldenQuestion, GoldenResult, GoldenRow, GoldenRun, GoldenTable
from aipc_app.errors import UserMistake
from aipc_app.store.database import Database

_KEPT_RUNS = 20  # a case's; older ones are dropped
_SELECT = "SELECT id, case_id, question, expected FROM golden_questions"


class Golden:
    """May be used from any thread. Raises UserMistake for ids unknown, StorageError for the disk."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def keep(self, case_id: int, question: str, expected: str) -> GoldenQuestion:
        """Keep a question; kept already, its expectation is replaced."""
        with self._database.write() as connection:
            connection.execute(
                "INSERT INTO golden_questions (case_id, question, expected, created) VALUES (?, ?, ?, ?)"
                " ON CONFLICT (case_id, question) DO UPDATE SET expected = excluded.expected",
                (case_id, question, expected, time.time()),
            )
            row = connection.execute(f"{_SELECT} WHERE case_id = ? AND question = ?", (case_id, question)).fetchone()
        return _question(row)

    def get(self, question_id: int) -> GoldenQuestion:
        with self._database.read() as connection:
            row = connection.execute(f"{_SELECT} WHERE id = ?", (question_id,)).fetchone()
        if row is None:
            raise UserMistake(f"There is no golden question {question_id}.")
        return _question(row)

    def remove(self, question_id: int) -> None:
        with self._database.write() as connection:
            connection.execute("DELETE FROM golden_questions WHERE id = ?", (question_id,))

    def of_case(self, case_id: int) -> tuple[GoldenQuestion, ...]:
        """In the order they were kept."""
        with self._database.read() as connection:
            rows = connection.execute(f"{_SELECT} WHERE case_id = ? ORDER BY id", (case_id,)).fetchall()
        return tuple(map(_question, rows))

    def start_run(self, case_id: int, model: str, settings: str) -> int:
        """A new run's id; of the case's runs the latest are kept."""
        with self._database.write() as connection:
            cursor = connection.execute(
                "INSERT INTO golden_runs (case_id, model, settings, started) VALUES (?, ?, ?, ?)",
                (case_id, model, settings, time.time()),
            )
            connection.execute(
                "DELETE FROM golden_runs WHERE case_id = ? AND id NOT IN"
                " (SELECT id FROM golden_runs WHERE case_id = ? ORDER BY id DESC LIMIT ?)",
                (case_id, case_id, _KEPT_RUNS),
            )
            assert cursor.lastrowid is not None
            return cursor.lastrowid

    def save_result(self, run_id: int, result: GoldenResult) -> None:
        """Nothing happens when the question was removed meanwhile."""
        with self._database.write() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO golden_results (run_id, question_id, result)"
                " SELECT ?, id, ? FROM golden_questions WHERE id = ?",
                (run_id, msgspec.json.encode(result), result.question_id),
            )

    def table(self, case_id: int) -> GoldenTable:
        """The questions with the case's last two runs."""
        with self._database.read() as connection:
            runs = connection.execute(
                "SELECT id, case_id, model, settings, started FROM golden_runs WHERE case_id = ?"
                " ORDER BY id DESC LIMIT 2",
                (case_id,),
            ).fetchall()
            found = [self._run(*row) for row in runs]
        now, before = [*found, None, None][:2]
        rows = [
            GoldenRow(question=one, now=_result(now, one.id), before=_result(before, one.id))
            for one in self.of_case(case_id)
        ]
        return GoldenTable(rows=tuple(rows), now=now, before=before)

    def _run(self, id_: int, case_id: int, model: str, settings: str, started: float) -> GoldenRun:
        with self._database.read() as connection:
            rows = connection.execute("SELECT result FROM golden_results WHERE run_id = ?", (id_,)).fetchall()
        results = tuple(msgspec.json.decode(row[0], type=GoldenResult) for row in rows)
        return GoldenRun(id=id_, case_id=case_id, model=model, settings=settings, started=started, results=results)


def _question(row: tuple[int, int, str, str]) -> GoldenQuestion:
    id_, case_id, question, expected = row
    return GoldenQuestion(id=id_, case_id=case_id, question=question, expected=expected)


def _result(run: GoldenRun | None, question_id: int) -> GoldenResult | None:
    return next((one for one in run.results if one.question_id == question_id), None) if run is not None else None
