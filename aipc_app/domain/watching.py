"""Folders that a case keeps up with."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class WatchState(StrEnum):
    WATCHING = "watching"
    LOOKING = "looking"  # being compared right now
    MISSING = "missing"  # the folder isn't there: a stick that was pulled, a share that is away


class WatchedFolder(Struct, frozen=True, kw_only=True):
    """`path` may hold bytes that are no text. `removes`: a file deleted there leaves the case too."""

    id: int
    case_id: int
    path: str
    removes: bool = False


class SeenFile(Struct, frozen=True, kw_only=True):
    """A file as it was last seen in a watched folder: `name` relative to it, `modified` in nanoseconds."""

    name: str
    size: int
    modified: int
    inode: int
    document_id: int | None = None
    gone: bool = False


class WatchStatus(Struct, frozen=True, kw_only=True):
    """A watched folder as it stands; `gone` counts its documents whose files are deleted."""

    folder: WatchedFolder
    state: WatchState
    files: int = 0
    gone: int = 0
