"""Folders that cases keep up with, and what was last seen in them."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

from aipc_app.domain.watching import SeenFile, WatchedFolder
from aipc_app.errors import UserMistake
from aipc_app.store.database import Database

_FOLDER = "w.id, w.case_id, w.path, w.removes"
_Row = tuple[int, int, bytes, int]


class Watched:
    """May be used from any thread. Raises StorageError for the disk."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, case_id: int, path: Path, *, removes: bool) -> WatchedFolder:
        """Keep the case up with the folder; one that is watched already gets the new rule for deleted files."""
        with self._database.write() as connection:
            connection.execute(
                "INSERT INTO watched_folders (case_id, path, removes, added) VALUES (?, ?, ?, ?)"
                " ON CONFLICT (case_id, path) DO UPDATE SET removes = excluded.removes",
                (case_id, os.fsencode(path), int(removes), time.time()),
            )
            row = connection.execute(
                f"SELECT {_FOLDER} FROM watched_folders w WHERE case_id = ? AND path = ?",
                (case_id, os.fsencode(path)),
            ).fetchone()
            return _folder(row)

    def stop(self, folder_id: int) -> None:
        """Don't look any more; documents stay. Raises UserMistake when it isn't watched."""
        with self._database.write() as connection:
            cursor = connection.execute("DELETE FROM watched_folders WHERE id = ?", (folder_id,))
            if cursor.rowcount == 0:
                raise UserMistake("This folder isn't watched any more.")

    def folders(self, case_id: int | None = None) -> tuple[WatchedFolder, ...]:
        """Those of one case, or all of cases that are not in the trash; oldest first."""
        with self._database.read() as connection:
            rows = connection.execute(
                f"SELECT {_FOLDER} FROM watched_folders w JOIN cases c ON c.id = w.case_id"
                " WHERE (?1 IS NULL AND c.trashed = 0) OR w.case_id = ?1 ORDER BY w.id",
                (case_id,),
            )
            return tuple(_folder(row) for row in rows)

    def files(self, folder_id: int) -> tuple[SeenFile, ...]:
        """What was last seen in a folder."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT name, size, modified, inode, document_id, gone FROM watched_files WHERE folder_id = ?",
                (folder_id,),
            )
            return tuple(
                SeenFile(
                    name=os.fsdecode(name), size=size, modified=modified, inode=inode, document_id=document_id,
                    gone=bool(gone),
                )
                for name, size, modified, inode, document_id, gone in rows
            )  # fmt: skip

    def save_files(self, folder_id: int, files: Sequence[SeenFile], *, forget: Sequence[str] = ()) -> None:
        """Note what was seen now; names in `forget` are no files of the folder any more.

        Nothing happens when the folder isn't watched any more.
        """
        with self._database.write() as connection:
            if connection.execute("SELECT 1 FROM watched_folders WHERE id = ?", (folder_id,)).fetchone() is None:
                return
            connection.executemany(
                "DELETE FROM watched_files WHERE folder_id = ? AND name = ?",
                [(folder_id, os.fsencode(name)) for name in forget],
            )
            connection.executemany(
                "INSERT OR REPLACE INTO watched_files (folder_id, name, size, modified, inode, document_id, gone)"
                " VALUES (?, ?, ?, ?, ?, (SELECT id FROM documents WHERE id = ?), ?)",
                [
                    (folder_id, os.fsencode(f.name), f.size, f.modified, f.inode, f.document_id, int(f.gone))
                    for f in files
                ],
            )

    def gone(self, case_id: int) -> frozenset[int]:
        """Documents of the case whose file is deleted in every watched folder that had it."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT f.document_id FROM watched_files f JOIN watched_folders w ON w.id = f.folder_id"
                " WHERE w.case_id = ? AND f.document_id IS NOT NULL GROUP BY f.document_id HAVING MIN(f.gone) = 1",
                (case_id,),
            )
            return frozenset(document_id for (document_id,) in rows)


def _folder(row: _Row) -> WatchedFolder:
    id_, case_id, path, removes = row
    return WatchedFolder(id=id_, case_id=case_id, path=os.fsdecode(path), removes=bool(removes))
