"""The short-lived process that fetches or verifies one model, then ends. It never loads llama.cpp."""

from __future__ import annotations

import threading
from pathlib import Path

from engine.errors import EngineError
from engine.models.assembly import FetchProgress, default_cache_dir, fetch
from engine.models.catalogue import CatalogueEntry, load_catalogue
from engine.models.errors import FetchCancelledError, UnknownModelError
from engine.models.verifying import hash_file
from engine.wire.child import Hello
from engine.wire.framing import PROTOCOL_VERSION, Channel, EndOfStream, claim_pipes
from engine.wire.model_messages import (
    FetchModel,
    ModelRequest,
    ModelTaskDone,
    ModelTaskFailed,
    ModelTaskProgress,
    VerifyModel,
)


def main() -> None:
    """Greet, take one task, do it, wait for the end of the wire."""
    source, sink = claim_pipes()
    channel: Channel[VerifyModel | FetchModel] = Channel(source, sink, ModelRequest)
    channel.send(Hello(PROTOCOL_VERSION, "models"))
    try:
        task = channel.receive()
    except EndOfStream:
        return
    unwanted = threading.Event()
    threading.Thread(target=_watch, args=(channel, unwanted), daemon=True).start()
    try:
        channel.send(_do(task, channel, unwanted))
    except EngineError as error:
        channel.send(ModelTaskFailed(error.message))
    except OSError as error:
        channel.send(ModelTaskFailed(f"The model file can't be used ({error.strerror}); check the disk."))


def _watch(channel: Channel[VerifyModel | FetchModel], unwanted: threading.Event) -> None:
    """The parent's end closes: nobody waits for this task any more. A download is stopped, not left behind."""
    try:
        channel.receive()
    except EndOfStream:
        unwanted.set()


def _do(
    task: VerifyModel | FetchModel, channel: Channel[VerifyModel | FetchModel], unwanted: threading.Event
) -> ModelTaskDone:
    if isinstance(task, VerifyModel):
        return _verify(task, channel, unwanted)

    def report(progress: FetchProgress) -> None:
        what = f"{progress.model}: {progress.stage}"
        if progress.parts > 1 and progress.stage == "downloading":
            what += f" part {progress.part} of {progress.parts}"
        channel.send(ModelTaskProgress(what, progress.done_bytes, progress.total_bytes))

    entry = load_catalogue(Path(task.catalogue)).find(task.role)
    path = fetch(entry, Path(task.folder), default_cache_dir(), report, unwanted.is_set)
    return ModelTaskDone(path=str(path))


def _verify(task: VerifyModel, channel: Channel[VerifyModel | FetchModel], unwanted: threading.Event) -> ModelTaskDone:
    entry, path = _by_file(task), Path(task.path)

    def between() -> None:
        if unwanted.is_set():
            raise FetchCancelledError("Cancelled.")

    for file in entry.files:
        place = path if not entry.is_folder else path.parent / file.path
        channel.send(ModelTaskProgress(f"{entry.name}: checking", 0, file.size))
        if not place.is_file() or place.stat().st_size != file.size or hash_file(place, between) != file.sha256:
            return ModelTaskDone(path=task.path, same=False)
    return ModelTaskDone(path=task.path, same=True)


def _by_file(task: VerifyModel) -> CatalogueEntry:
    for entry in load_catalogue(Path(task.catalogue)).entries:
        if entry.file == task.file:
            return entry
    raise UnknownModelError(f"No known model has the file name {task.file}.")
