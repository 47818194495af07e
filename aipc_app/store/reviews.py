"""Reviews and their findings, each stored the moment it is worked out."""

from __future__ import annotations

import time
from collections.abc import Mapping

import msgspec

from aipc_app.domain.review import (
    Finding,
    Review,
    ReviewedDocument,
    ReviewState,
    ReviewSummary,
    ReviewTiming,
    Template,
    Words,
)
from aipc_app.errors import UserMistake
from aipc_app.store.database import Database

_COLUMNS = "id, case_id, template, language, model, documents, state, timing, created, changed"
_SUMMARY = (
    "SELECT r.id, r.case_id, r.template_id, r.template, r.model, r.state, r.items, r.created,"
    " (SELECT COUNT(*) FROM findings WHERE review_id = r.id) FROM reviews r"
)


class _Titled(msgspec.Struct, frozen=True):
    """What a list needs of a stored template."""

    title: Words


class Reviews:
    """May be used from any thread. Raises UserMistake for ids unknown, StorageError for the disk."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(
        self, case_id: int, template: Template, *, language: str, model: str, documents: tuple[ReviewedDocument, ...]
    ) -> Review:
        """A new review without findings, running."""
        now = time.time()
        with self._database.write() as connection:
            cursor = connection.execute(
                "INSERT INTO reviews (case_id, template_id, template_hash, template, items, language, model, documents,"
                " state, timing, created, changed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    case_id, template.id, template.hash, msgspec.json.encode(template), len(template.items), language,
                    model, msgspec.json.encode(documents), ReviewState.RUNNING.value,
                    msgspec.json.encode(ReviewTiming()), now, now,
                ),
            )  # fmt: skip
            assert cursor.lastrowid is not None
            return self.get(cursor.lastrowid)

    def get(self, review_id: int) -> Review:
        """With its findings in the template's order. Raises UserMistake when there is none."""
        with self._database.read() as connection:
            row = connection.execute(f"SELECT {_COLUMNS} FROM reviews WHERE id = ?", (review_id,)).fetchone()
            if row is None:
                raise _unknown(review_id)
            found = dict(
                connection.execute("SELECT item, finding FROM findings WHERE review_id = ?", (review_id,)).fetchall()
            )
        return _review(row, {item: _finding(raw) for item, raw in found.items()})

    def list(self, case_id: int) -> tuple[ReviewSummary, ...]:
        """The case's reviews, the latest first."""
        with self._database.read() as connection:
            rows = connection.execute(f"{_SUMMARY} WHERE r.case_id = ? ORDER BY r.id DESC", (case_id,)).fetchall()
        return tuple(_summary(row) for row in rows)

    def latest(self, case_id: int, template_id: str, language: str) -> Review | None:
        """The last review of the case by this template, in this language."""
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT id FROM reviews WHERE case_id = ? AND template_id = ? AND language = ?"
                " ORDER BY id DESC LIMIT 1",
                (case_id, template_id, language),
            ).fetchone()
        return None if row is None else self.get(row[0])

    def save_finding(self, review_id: int, finding: Finding, basis: str | None = None) -> None:
        """Store it in place of an earlier one; `basis` None leaves that as it was."""
        now = time.time()
        with self._database.write() as connection:
            connection.execute(
                "INSERT INTO findings (review_id, item, basis, finding, changed) VALUES (?1, ?2, ?3, ?4, ?5)"
                " ON CONFLICT (review_id, item) DO UPDATE SET"
                " basis = CASE WHEN ?6 THEN basis ELSE ?3 END, finding = ?4, changed = ?5",
                (review_id, finding.item, basis or "", msgspec.json.encode(finding), now, basis is None),
            )
            connection.execute("UPDATE reviews SET changed = ? WHERE id = ?", (now, review_id))

    def bases(self, review_id: int) -> Mapping[str, str]:
        """What each finding was worked out from, by item."""
        with self._database.read() as connection:
            rows = connection.execute("SELECT item, basis FROM findings WHERE review_id = ?", (review_id,)).fetchall()
        return dict(rows)

    def set_state(
        self,
        review_id: int,
        state: ReviewState,
        *,
        timing: ReviewTiming | None = None,
        documents: tuple[ReviewedDocument, ...] | None = None,
    ) -> None:
        """Note where it stands; None leaves the rest as it was."""
        with self._database.write() as connection:
            connection.execute(
                "UPDATE reviews SET state = ?, timing = COALESCE(?, timing), documents = COALESCE(?, documents),"
                " changed = ? WHERE id = ?",
                (
                    state.value, timing and msgspec.json.encode(timing),
                    None if documents is None else msgspec.json.encode(documents), time.time(), review_id,
                ),
            )  # fmt: skip

    def set_template(self, review_id: int, template: Template) -> None:
        """The template as it is now: that of a free task gains an item with each step."""
        with self._database.write() as connection:
            connection.execute(
                "UPDATE reviews SET template = ?, items = ?, changed = ? WHERE id = ?",
                (msgspec.json.encode(template), len(template.items), time.time(), review_id),
            )

    def delete(self, review_id: int) -> None:
        """Remove it for good. Raises UserMistake when there is none."""
        with self._database.write() as connection:
            if not connection.execute("DELETE FROM reviews WHERE id = ?", (review_id,)).rowcount:
                raise _unknown(review_id)


def _unknown(review_id: int) -> UserMistake:
    return UserMistake(f"There is no review number {review_id}; start a new one.")


def _finding(raw: bytes) -> Finding:
    return msgspec.json.decode(raw, type=Finding)


def _review(
    row: tuple[int, int, bytes, str, str, bytes, str, bytes, float, float], found: dict[str, Finding]
) -> Review:
    id_, case_id, raw, language, model, documents, state, timing, created, changed = row
    template = msgspec.json.decode(raw, type=Template)
    return Review(
        id=id_,
        case_id=case_id,
        template=template,
        language=language,
        model=model,
        documents=msgspec.json.decode(documents, type=tuple[ReviewedDocument, ...]),
        state=ReviewState(state),
        findings=tuple(found[item.id] for item in template.items if item.id in found),
        created=created,
        changed=changed,
        timing=msgspec.json.decode(timing, type=ReviewTiming),
    )


def _summary(row: tuple[int, int, str, bytes, str, str, int, float, int]) -> ReviewSummary:
    id_, case_id, template_id, raw, model, state, total, created, done = row
    return ReviewSummary(
        id=id_,
        case_id=case_id,
        template=template_id,
        title=msgspec.json.decode(raw, type=_Titled).title,
        model=model,
        state=ReviewState(state),
        done=done,
        total=total,
        created=created,
    )
