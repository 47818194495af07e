"""Folders that a case is kept up with."""

from __future__ import annotations

from pathlib import Path

from aipc_app.domain.watching import WatchedFolder, WatchStatus
from aipc_app.operations.op import Op, simply
from aipc_app.operations.services import Services


def watch_folder(services: Services, *, case_id: int, path: Path, removes: bool = False) -> Op[WatchedFolder]:
    """Keep a case up with a folder: new and changed files are read, moved ones follow, deleted ones are marked.

    `removes`: what is deleted in the folder leaves the case too. Raises UserMistake when there is no such folder.
    """
    return simply("watch folder", lambda: services.watcher.watch(case_id, path, removes=removes))


def stop_watching(services: Services, *, folder_id: int) -> Op[None]:
    """Its documents stay in the case."""
    return simply("stop watching", lambda: services.watcher.unwatch(folder_id))


def watched_folders(services: Services, *, case_id: int) -> Op[tuple[WatchStatus, ...]]:
    """The folders of a case as they stand."""
    return simply("list watched folders", lambda: services.watcher.statuses(case_id))


def gone_documents(services: Services, *, case_id: int) -> Op[frozenset[int]]:
    """Documents of a case whose file was deleted in the watched folder."""
    return simply("list deleted files", lambda: services.store.watched.gone(case_id))
