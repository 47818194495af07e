"""The law library as one file: written here, taken in elsewhere."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from aipc_app.domain.documents import LIBRARY_ID
from aipc_app.domain.jobs import Changes, JobKind
from aipc_app.errors import AipcError, Cancelled
from aipc_app.ingest.library_transfer import Exported, Imported
from aipc_app.ingest.library_transfer import export_library as write_package
from aipc_app.ingest.library_transfer import import_library as take_package
from aipc_app.operations.op import Emit, Op
from aipc_app.operations.services import Services

SUFFIX = ".aipclib"
_LOOK_EVERY_S = 0.5


class LibraryProgress(Struct, frozen=True):
    """How much of a package is written or taken in, from 0 to 1."""

    share: float


def export_library(services: Services, *, target: Path) -> Op[Exported]:
    """Write all of the library that is indexed into a package. Emits LibraryProgress."""
    return Op(
        "export library", lambda emit, cancel: write_package(services.store, target, _checking(emit, cancel))
    )


def import_library(services: Services, *, path: Path, wait: bool = False) -> Op[Imported]:
    """Take a package into the library. Emits LibraryProgress.

    What was taken when it is stopped stays, whole document by whole document; doing it again does the rest.
    `wait`: also until vectors that have to be made here are made.
    """
    return Op("import library", lambda emit, cancel: _import(services, path, wait, emit, cancel))


def _import(services: Services, path: Path, wait: bool, emit: Emit, cancel: threading.Event) -> Imported:
    try:
        services.encoder.wait_ready()
    except AipcError:
        pass  # what is taken is put into the index when there is an encoder
    try:
        imported = take_package(services.store, services.encoder, path, _checking(emit, cancel))
    finally:
        services.ingest.check_index()
        services.changes.publish(Changes(cases=True, documents=frozenset({LIBRARY_ID}), jobs=True))
    while wait and services.encoder.ready and _is_embedding(services):
        if cancel.wait(_LOOK_EVERY_S):
            raise Cancelled
    return imported


def _is_embedding(services: Services) -> bool:
    return any(job.kind is JobKind.EMBED for job in services.store.jobs.unfinished())


def _checking(emit: Emit, cancel: threading.Event) -> Callable[[float], None]:
    """Tells each whole percent once, and ends the work when it is to be stopped."""
    told = -1

    def check(share: float) -> None:
        nonlocal told
        if cancel.is_set():
            raise Cancelled
        if int(100 * share) > told:
            told = int(100 * share)
            emit(LibraryProgress(share))

    return check
