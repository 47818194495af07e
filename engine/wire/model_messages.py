"""Messages of the short-lived process that works on model files."""

from __future__ import annotations

from msgspec import Struct

from engine.wire.child import Hello


class VerifyModel(Struct, frozen=True, tag=True):
    """Compare the file at `path` with what the catalogue says of `file`."""

    catalogue: str
    file: str
    path: str


class FetchModel(Struct, frozen=True, tag=True):
    """Download the model of a role or name into `folder`."""

    catalogue: str
    role: str
    folder: str


ModelRequest = VerifyModel | FetchModel


class ModelTaskProgress(Struct, frozen=True, tag=True):
    """`done` and `total` in bytes; `what` is a line for a person."""

    what: str
    done: int
    total: int


class ModelTaskDone(Struct, frozen=True, tag=True):
    path: str = ""
    same: bool = True


class ModelTaskFailed(Struct, frozen=True, tag=True):
    message: str


ModelReply = Hello | ModelTaskProgress | ModelTaskDone | ModelTaskFailed
