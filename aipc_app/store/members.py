"""Which documents came out of which: attachments of a mail, files of an archive."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aipc_app.domain.documents import Member
from aipc_app.store.database import Database

_MOST_LEVELS = 16  # of a chain looked along; one that is longer goes in a circle


class Members:
    """May be used from any thread. Raises StorageError for the disk."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, container_id: int, members: Sequence[Member]) -> None:
        """What is in a file, in place of what was noted before."""
        rows = [
            (container_id, position, one.name, one.document_id, int(one.was_known), one.problem)
            for position, one in enumerate(members)
        ]
        with self._database.write() as connection:
            connection.execute("DELETE FROM members WHERE container_id = ?", (container_id,))
            connection.executemany("INSERT INTO members VALUES (?, ?, ?, ?, ?, ?)", rows)

    def of(self, container_id: int) -> tuple[Member, ...]:
        """What is right in a file, in its order."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT name, document_id, was_known, problem FROM members WHERE container_id = ? ORDER BY position",
                (container_id,),
            )
            return tuple(
                Member(name=name, document_id=document_id, was_known=bool(was_known), problem=problem)
                for name, document_id, was_known, problem in rows
            )

    def below(self, container_id: int) -> Iterator[tuple[str, Member]]:
        """What is in a file and in the files in it, each with its whole path in there. A circle is walked once."""
        yield from self._below(container_id, "", {container_id})

    def depth(self, document_id: int) -> int:
        """In how many files it lies, by the shortest way; 0 for one that was never found in another."""
        level, reached, seen = 0, frozenset({document_id}), frozenset({document_id})
        while reached and level < _MOST_LEVELS:
            above = [self._containers_of(one) for one in reached]
            if not all(above):
                return level
            reached = frozenset().union(*above) - seen
            seen |= reached
            level += 1
        return level

    def containers(self) -> frozenset[int]:
        """Every document with files in it."""
        with self._database.read() as connection:
            return frozenset(id_ for (id_,) in connection.execute("SELECT DISTINCT container_id FROM members"))

    def _containers_of(self, document_id: int) -> frozenset[int]:
        with self._database.read() as connection:
            rows = connection.execute("SELECT container_id FROM members WHERE document_id = ?", (document_id,))
            return frozenset(container for (container,) in rows)

    def _below(self, container_id: int, path: str, seen: set[int]) -> Iterator[tuple[str, Member]]:
        for one in self.of(container_id):
            yield f"{path}/{one.name}", one
            if one.document_id is not None and one.document_id not in seen:
                seen.add(one.document_id)
                yield from self._below(one.document_id, f"{path}/{one.name}", seen)
