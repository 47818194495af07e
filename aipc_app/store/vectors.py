"""Vectors as blobs, each with the identity of its embedder: the truth behind the vector index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from aipc_app.store.database import Database

_FLOAT_BYTES = 4
BATCH = 1000


class VectorBatch(Struct, frozen=True):
    """Rows that belong together: passage, its document, its vector (little-endian float32, row after row)."""

    passage_ids: tuple[int, ...]
    document_ids: tuple[int, ...]
    vectors: bytes


class Vectors:
    """May be used from any thread. Raises StorageError for the disk."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, embedder: str, passage_ids: Sequence[int], vectors: bytes) -> None:
        """Store one float32 row a passage. Passages that were deleted meanwhile are passed over.

        Raises ValueError when the rows don't fit the passages or the embedder's earlier vectors.
        """
        if not passage_ids:
            return
        width, rest = divmod(len(vectors), len(passage_ids))
        if rest or width % _FLOAT_BYTES or not width:
            raise ValueError(f"{len(vectors)} bytes are no rows of float32 for {len(passage_ids)} passages")
        with self._database.write() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO embedders (name, dimensions) VALUES (?, ?)",
                (embedder, width // _FLOAT_BYTES),
            )
            embedder_id, dimensions = connection.execute(
                "SELECT id, dimensions FROM embedders WHERE name = ?", (embedder,)
            ).fetchone()
            if dimensions * _FLOAT_BYTES != width:
                raise ValueError(f"embedder {embedder} made {dimensions} dimensions before, now {width // 4}")
            connection.executemany(
                "INSERT OR REPLACE INTO vectors (passage_id, embedder_id, vector)"
                " SELECT ?1, ?2, ?3 WHERE EXISTS (SELECT 1 FROM passages WHERE id = ?1)",
                [(id_, embedder_id, vectors[i * width : (i + 1) * width]) for i, id_ in enumerate(passage_ids)],
            )

    def missing(self, embedder: str, document_id: int) -> tuple[int, ...]:
        """The document's passages that have no vector of this embedder, in reading order."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT p.id FROM passages p WHERE p.document_id = ? AND NOT EXISTS (SELECT 1 FROM vectors v"
                " JOIN embedders e ON e.id = v.embedder_id WHERE v.passage_id = p.id AND e.name = ?)"
                " ORDER BY p.id",
                (document_id, embedder),
            )
            return tuple(id_ for (id_,) in rows)

    def incomplete_documents(self, embedder: str) -> tuple[int, ...]:
        """Documents with a passage that has no vector of this embedder."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT DISTINCT p.document_id FROM passages p WHERE NOT EXISTS (SELECT 1 FROM vectors v"
                " JOIN embedders e ON e.id = v.embedder_id WHERE v.passage_id = p.id AND e.name = ?)"
                " ORDER BY 1",
                (embedder,),
            )
            return tuple(id_ for (id_,) in rows)

    def of_documents(self, embedder: str, document_ids: Sequence[int]) -> Iterator[VectorBatch]:
        """Every vector of these documents, in batches of at most BATCH rows."""
        for document_id in document_ids:
            after = 0
            while batch := self._batch(embedder, document_id, after):
                yield batch
                after = batch.passage_ids[-1]

    def embedders(self) -> dict[str, int]:
        """How many vectors each embedder has here."""
        with self._database.read() as connection:
            return dict(
                connection.execute(
                    "SELECT e.name, COUNT(v.passage_id) FROM embedders e"
                    " LEFT JOIN vectors v ON v.embedder_id = e.id GROUP BY e.id"
                )
            )

    def dimensions(self, embedder: str) -> int:
        """How long this embedder's vectors are; 0 for one that made none here."""
        with self._database.read() as connection:
            row = connection.execute("SELECT dimensions FROM embedders WHERE name = ?", (embedder,)).fetchone()
            return 0 if row is None else int(row[0])

    def count(self, embedder: str, case_id: int) -> int:
        """How many vectors of this embedder a case has."""
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT COUNT(*) FROM case_documents c JOIN passages p ON p.document_id = c.document_id"
                " JOIN vectors v ON v.passage_id = p.id JOIN embedders e ON e.id = v.embedder_id"
                " WHERE c.case_id = ? AND e.name = ?",
                (case_id, embedder),
            ).fetchone()
            return int(row[0])

    def count_unfinished(self, embedder: str, case_id: int) -> int:
        """How many of `count` belong to documents with an EMBED job that is queued or running."""
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT COUNT(*) FROM case_documents c JOIN passages p ON p.document_id = c.document_id"
                " JOIN vectors v ON v.passage_id = p.id JOIN embedders e ON e.id = v.embedder_id"
                " WHERE c.case_id = ? AND e.name = ? AND EXISTS (SELECT 1 FROM jobs j WHERE"
                " j.document_id = c.document_id AND j.kind = 'embed' AND j.state IN ('queued', 'running'))",
                (case_id, embedder),
            ).fetchone()
            return int(row[0])

    def drop_others(self, embedder: str, document_id: int) -> None:
        """Remove what other embedders made of a document."""
        with self._database.write() as connection:
            connection.execute(
                "DELETE FROM vectors WHERE passage_id IN (SELECT id FROM passages WHERE document_id = ?)"
                " AND embedder_id NOT IN (SELECT id FROM embedders WHERE name = ?)",
                (document_id, embedder),
            )
            connection.execute(
                "DELETE FROM embedders WHERE name <> ? AND NOT EXISTS"
                " (SELECT 1 FROM vectors WHERE embedder_id = embedders.id)",
                (embedder,),
            )

    def drop_embedder(self, embedder: str) -> None:
        """Remove an embedder and all its vectors."""
        with self._database.write() as connection:
            connection.execute("DELETE FROM embedders WHERE name = ?", (embedder,))

    def _batch(self, embedder: str, document_id: int, after: int) -> VectorBatch | None:
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT p.id, v.vector FROM passages p JOIN vectors v ON v.passage_id = p.id JOIN embedders e"
                " ON e.id = v.embedder_id WHERE p.document_id = ? AND p.id > ? AND e.name = ?"
                " ORDER BY p.id LIMIT ?",
                (document_id, after, embedder, BATCH),
            ).fetchall()
        if not rows:
            return None
        ids = tuple(id_ for id_, _ in rows)
        return VectorBatch(ids, (document_id,) * len(ids), b"".join(vector for _, vector in rows))
