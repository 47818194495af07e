"""An older database brought up to date without risk: copied before, put back when a step fails.

The copy stays beside the database (aipc-schema-0006.sqlite) for whoever must go back to the program before, until
something is deleted for good: a copy must not keep what the user had removed.
"""

from __future__ import annotations

import re
import shutil
from contextlib import suppress
from pathlib import Path

from aipc_app.errors import AipcError, StorageError
from aipc_app.log import STORE
from aipc_app.store.backup import copy_database
from aipc_app.store.database import Database
from aipc_app.store.migrate import Migration, migrate
from aipc_app.store.originals import sync_folder

_COPY = re.compile(r"aipc-schema-\d{4}\.sqlite")
_ROOM = 2  # times the database: the copy, and what the steps may write


def bring_up_to_date(path: Path, migrations: tuple[Migration, ...]) -> Database:
    """Open the database at `path`, made or migrated as needed.

    Raises SchemaTooNew; StorageError for a disk without room, or for a step that failed, when the file is as before.
    """
    database = Database(path)
    try:
        version = _version(database)
        if 0 < version < len(migrations):
            return _update(database, path, version, migrations)
        migrate(database, migrations)
    except BaseException:
        database.close()
        raise
    return database


def drop_copies(folder: Path) -> None:
    """Delete the copies made before updates."""
    for copy in folder.iterdir():
        if _COPY.fullmatch(copy.name):
            with suppress(OSError):
                copy.unlink()


def _update(database: Database, path: Path, version: int, migrations: tuple[Migration, ...]) -> Database:
    migrate(database, migrations[:version])  # applies nothing; refuses data of another build before anything is done
    _check_room(path)
    copy = path.with_name(f"aipc-schema-{version:04}.sqlite")
    drop_copies(path.parent)
    copy_database(path, copy)
    try:
        migrate(database, migrations)
    except Exception as error:
        database.close()
        STORE.error("migrating from schema %d failed: %s", version, type(error).__name__)
        raise StorageError(_put_back(copy, path, error)) from error
    return database


def _check_room(path: Path) -> None:
    needed = path.stat().st_size * _ROOM
    free = shutil.disk_usage(path.parent).free
    if free < needed:
        raise StorageError(
            f"Updating the data folder to this version needs {needed / 1e6:.0f} MB on its disk and {free / 1e6:.0f} MB "
            "are free; free some space and start again. Nothing was changed."
        )


def _put_back(copy: Path, path: Path, error: Exception) -> str:
    """The sentence for the user. The log of the failed steps must not be applied to the file from before."""
    reason = error.message if isinstance(error, AipcError) else type(error).__name__
    try:
        for suffix in ("-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        copy.replace(path)
        sync_folder(path.parent)
    except OSError:
        return (
            f"Updating the data folder failed ({reason}) and could not be undone; the data from before is whole "
            f"in {copy.name}: put it in the place of aipc.sqlite."
        )
    return (
        f"Updating the data folder to this version failed ({reason}); everything is as it was before. "
        "Go on with the version you had, or start this one again."
    )


def _version(database: Database) -> int:
    with database.read() as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])

