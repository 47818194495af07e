"""Why a file can't be read: the reader's one exception, sent over the wire as `ReadFailed`."""

from __future__ import annotations

import logging
import traceback
from enum import StrEnum
from pathlib import Path

_LOG = logging.getLogger("aipc.reader")


class FailureKind(StrEnum):
    """The kinds of `domain.reader_wire.ReadFailed`."""

    UNSUPPORTED = "unsupported"
    PASSWORD = "password"
    LIMIT = "limit"
    DAMAGED = "damaged"
    CANCELLED = "cancelled"
    ERROR = "error"


class ReadingError(Exception):
    """`reason` is one sentence for a person: what happened and what to do."""

    def __init__(self, kind: FailureKind, reason: str) -> None:
        super().__init__(reason)
        self.kind, self.reason = kind, reason


def failure_of(error: Exception) -> ReadingError:
    """Every exception as a sentence. The log gets its kind and place; its message may quote the document."""
    if isinstance(error, ReadingError):
        return error
    if isinstance(error, MemoryError):
        return ReadingError(
            FailureKind.LIMIT,
            "Reading this file takes more memory than one file may use; split it or raise the limit.",
        )
    if isinstance(error, FileNotFoundError | PermissionError | IsADirectoryError):
        return ReadingError(
            FailureKind.ERROR, f"The file can't be opened ({error.strerror}); check that it is still there."
        )
    frames = reversed(traceback.extract_tb(error.__traceback__)[-6:])
    where = " < ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames)
    _LOG.error("%s at %s", type(error).__name__, where)
    if isinstance(error, RecursionError):
        return ReadingError(FailureKind.DAMAGED, "This file is nested too deeply to be read; it may be damaged.")
    return ReadingError(FailureKind.ERROR, "This file could not be read, although it opened; it may be damaged.")
