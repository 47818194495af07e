"""Work on model files, each piece in a short-lived process: what reads or fetches gigabytes can't stall a window."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import DecodeError, Struct, ValidationError, toml

from engine.errors import EngineDied, EngineError, ModelError
from engine.types.catalogue import CatalogueEntry
from engine.wire.child import ChildProcess
from engine.wire.model_messages import (
    FetchModel,
    ModelReply,
    ModelTaskDone,
    ModelTaskFailed,
    ModelTaskProgress,
    VerifyModel,
)


class _Listed(Struct, frozen=True):
    name: str
    role: str
    file: str
    size: int
    sha256: str
    licence: str
    good_for: str = ""


class _Catalogue(Struct, frozen=True):
    model: tuple[_Listed, ...]


class ModelTasks:
    """What the program knows of models, and checks and downloads by a child. Any thread; tasks block."""

    def __init__(self, command: Sequence[str], catalogue: Path, log_path: Path) -> None:
        self._command, self._catalogue, self._log_path = tuple(command), catalogue, log_path

    def catalogue(self) -> tuple[CatalogueEntry, ...]:
        """The models named in assets/models.toml. Raises ModelError when it can't be read."""
        try:
            listed = toml.decode(self._catalogue.read_bytes(), type=_Catalogue).model
        except (OSError, DecodeError, ValidationError) as error:
            raise ModelError(f"The list of models can't be read; install the program again ({error}).") from error
        return tuple(
            CatalogueEntry(
                name=m.name,
                role=m.role,
                file=m.file,
                size=m.size,
                sha256=m.sha256,
                licence=m.licence,
                about=m.good_for,
            )
            for m in listed
        )

    def verify(
        self, file: str, path: str, on_progress: Callable[[ModelTaskProgress], None], cancel: threading.Event
    ) -> bool:
        """Does the file at `path` have the bytes the catalogue names for `file`?"""
        return self._run(VerifyModel(str(self._catalogue), file, path), on_progress, cancel).same

    def fetch(
        self,
        role: str,
        folder: str,
        on_progress: Callable[[ModelTaskProgress], None],
        cancel: threading.Event,
    ) -> str:
        """Download, join and verify the model of this role or name; returns its path."""
        return self._run(FetchModel(str(self._catalogue), role, folder), on_progress, cancel).path

    def _run(
        self, task: Struct, on_progress: Callable[[ModelTaskProgress], None], cancel: threading.Event
    ) -> ModelTaskDone:
        inbox: queue.Queue[ModelReply | None] = queue.Queue()
        child = ChildProcess[ModelReply](
            self._command,
            accepts=ModelReply,
            log_path=self._log_path,
            on_message=inbox.put,
            on_exit=lambda _code: inbox.put(None),
        )
        try:
            child.wait_ready()
            child.send(task)
            return _outcome(inbox, on_progress, cancel)
        finally:
            child.close()


def _outcome(
    inbox: queue.Queue[ModelReply | None],
    on_progress: Callable[[ModelTaskProgress], None],
    cancel: threading.Event,
) -> ModelTaskDone:
    while True:
        try:
            reply = inbox.get(timeout=0.2)
        except queue.Empty:
            if cancel.is_set():
                raise EngineError("Cancelled.") from None
            continue
        if isinstance(reply, ModelTaskDone):
            return reply
        if isinstance(reply, ModelTaskFailed):
            raise ModelError(reply.message)
        if reply is None:
            raise EngineDied("The process working on the model ended; try again.")
        if isinstance(reply, ModelTaskProgress):
            on_progress(reply)
