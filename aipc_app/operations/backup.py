"""Back everything up into one file, and put such a file back."""

from __future__ import annotations

import threading
from pathlib import Path

from msgspec.structs import replace

from aipc_app.domain.jobs import Changes
from aipc_app.errors import UserMistake
from aipc_app.operations.op import Emit, Op, simply
from aipc_app.operations.services import Services
from aipc_app.paths import Home
from aipc_app.store.archive import Manifest, write_archive
from aipc_app.store.home_lock import locked
from aipc_app.store.restoring import Restored, commit, complete_restore, holds_work, is_pending, staged, take_back

SUFFIX = ".aipcbackup"


def back_up(services: Services, *, path: Path) -> Op[Manifest]:
    """Database, originals, settings and templates into one file; work goes on meanwhile. Emits float progress.

    The file is there whole and checksummed, or not at all. Raises StorageError, UserMistake; cancel leaves nothing.
    """
    return Op("back up", lambda emit, cancel: write_archive(services.home, services.store, path, emit, cancel))


def restore_home(home: Home, *, path: Path, force: bool = False) -> Op[Restored]:
    """Put a backup into a home that no program has open. Emits float progress.

    A home that holds work is refused unless `force`, which moves that work into a folder beside it. Everything is
    verified before anything is touched. Raises UserMistake, StorageError, SchemaTooNew, HomeInUse.
    """
    return Op("restore", lambda emit, cancel: _restore(home, path, force, emit, cancel))


def restore_at_next_start(services: Services, *, path: Path) -> Op[Restored]:
    """Verify a backup now; it takes the place of what is here when the program starts next. Emits float progress."""
    return Op("prepare restore", lambda emit, cancel: _prepare(services, path, emit, cancel))


def drop_restore(services: Services) -> Op[None]:
    """What waits for the next start does not happen."""
    def work() -> None:
        take_back(services.home)
        services.changes.publish(Changes(settings=True))

    return simply("drop restore", work)


def restore_waits(services: Services) -> Op[bool]:
    """Will a backup take the place of what is here at the next start?"""
    return simply("restore waits", lambda: is_pending(services.home))


def _restore(home: Home, path: Path, force: bool, emit: Emit, cancel: threading.Event) -> Restored:
    home.create()
    with locked(home):
        complete_restore(home)
        if holds_work(home) and not force:
            raise UserMistake(
                f"The data folder {home.root} holds work already; name another one with --home, or add --force to move "
                "that work aside."
            )
        with staged(home, path, emit, cancel) as (folder, restored):
            commit(home, folder)
        aside = complete_restore(home)
    return replace(restored, aside=str(aside) if aside else None)


def _prepare(services: Services, path: Path, emit: Emit, cancel: threading.Event) -> Restored:
    home = services.home
    take_back(home)  # the last one that was chosen counts
    with staged(home, path, emit, cancel) as (folder, restored):
        aside = commit(home, folder)
    services.changes.publish(Changes(settings=True))
    return replace(restored, aside=str(aside))
