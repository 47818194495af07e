"""Why a file can't be read: the reader's one exception, sent over the wire as `ReadFailed`."""

from __future__ import annotations

from enum import StrEnum


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


def over_memory() -> ReadingError:
    return ReadingError(
        FailureKind.LIMIT,
        "Reading this file takes more memory than one file may use; split it or raise the limit.",
    )
