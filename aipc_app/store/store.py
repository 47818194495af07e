"""The store: everything that must outlive the program, behind one door."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from aipc_app.errors import StorageError
from aipc_app.paths import Home
from aipc_app.store.articles import Articles
from aipc_app.store.cases import Cases
from aipc_app.store.conversations import Conversations
from aipc_app.store.corrections import Corrections
from aipc_app.store.database import Database
from aipc_app.store.documents import Documents
from aipc_app.store.fields import Fields
from aipc_app.store.golden import Golden
from aipc_app.store.jobs import Jobs
from aipc_app.store.judges import Judges
from aipc_app.store.members import Members
from aipc_app.store.migrate import is_new, known_migrations
from aipc_app.store.originals import Originals
from aipc_app.store.passages import Passages
from aipc_app.store.remembering import Remembering
from aipc_app.store.reviews import Reviews
from aipc_app.store.updating import bring_up_to_date
from aipc_app.store.vectors import Vectors
from aipc_app.store.watched import Watched


class Store:
    """One open home. Every member may be used from any thread; writes queue up behind each other."""

    def __init__(self, database: Database, originals: Originals) -> None:
        self._database = database
        self.originals = originals
        self.documents = Documents(database, originals)
        self.cases = Cases(database, self.documents)
        self.passages = Passages(database)
        self.articles = Articles(database)
        self.vectors = Vectors(database)
        self.conversations = Conversations(database)
        self.jobs = Jobs(database)
        self.remembered = Remembering(database)
        self.fields = Fields(database)
        self.corrections = Corrections(database)
        self.watched = Watched(database)
        self.members = Members(database)
        self.golden = Golden(database)
        self.judges = Judges(database)
        self.reviews = Reviews(database)

    @staticmethod
    def open(home: Home) -> Store:
        """Open a home's database, made or brought up to date as needed.

        Raises SchemaTooNew for one that a newer program wrote, StorageError for a read-only or damaged one, or
        one that is new or empty although files were kept: a lost database is never silently begun anew. A database
        of an older version is copied first; a step that fails leaves it as it was.
        """
        home.create()
        originals = Originals(home.originals)
        if originals.any() and not _holds_bytes(home.database):
            raise _lost(home)  # before SQLite is let near: it would drop a log that is left of the lost one
        if originals.any() and _is_new(home.database):
            raise _lost(home)
        return Store(bring_up_to_date(home.database, known_migrations()), originals)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Everything written in the block becomes durable together, or not at all. Keep it short."""
        with self._database.write():
            yield

    def check(self) -> None:
        """Read everything once. Raises StorageError when the database is damaged."""
        self._database.check()

    def close(self) -> None:
        """Close every connection. Using the store afterwards raises StorageError."""
        self._database.close()


def _holds_bytes(path: Path) -> bool:
    return path.is_file() and path.stat().st_size > 0


def _is_new(path: Path) -> bool:
    database = Database(path)
    try:
        return is_new(database)
    finally:
        database.close()


def _lost(home: Home) -> StorageError:
    return StorageError(
        f"The database {home.database} is missing or empty, though there are files of its documents; restore a backup "
        "of aipc.sqlite, or move the folder 'originals' away to start anew."
    )
