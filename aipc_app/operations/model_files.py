"""Model files of the data folder: bring one in, take one out."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from aipc_app.domain.jobs import Changes
from aipc_app.domain.models import ModelInfo
from aipc_app.errors import Cancelled, StorageError, UserMistake
from aipc_app.operations.models import gguf_files, is_later_part, list_models, model_at
from aipc_app.operations.op import Emit, Op, simply
from aipc_app.operations.services import Services
from aipc_app.paths import model_folders

_BLOCK_BYTES = 16 << 20
_GGUF_MAGIC = b"GGUF"
_FIRST_PART = re.compile(r"^(?P<stem>.+)-00001-of-(?P<count>\d{5})\.gguf$")


def import_model(services: Services, *, path: Path) -> Op[ModelInfo]:
    """Copy a GGUF file, or all parts of a split model, into the data folder.

    Emits float progress; cancelled or failed, nothing is left. A model this program knows is compared with its
    checksum on the way: the result's `verified` says whether it is the right one.
    """
    return Op("import model", lambda emit, cancel: _import(services, path, emit, cancel))


def remove_model(services: Services, *, name: str) -> Op[ModelInfo]:
    """Delete a model from the data folder; files elsewhere are the user's own and are left alone."""
    return simply("remove model", lambda: _remove(services, name))


def _import(services: Services, path: Path, emit: Emit, cancel: threading.Event) -> ModelInfo:
    parts = _parts(services, path)
    targets = [services.home.models / part.name for part in parts]
    for target in targets:
        _check_place(services, target)
    digest = _copy_all(parts, targets, emit, cancel)
    services.changes.publish(Changes(models=True))
    model = model_at(services, targets[0])
    return model if model.sha256 is None else msgspec.structs.replace(model, verified=model.sha256 == digest)


def _parts(services: Services, path: Path) -> list[Path]:
    """The file, or all parts of the split model that begins with it. Raises UserMistake."""
    _check_source(services, path)
    split = _FIRST_PART.match(path.name)
    if split is None:
        return [path]
    count = int(split["count"])
    parts = [path.with_name(f"{split['stem']}-{i:05d}-of-{count:05d}.gguf") for i in range(1, count + 1)]
    for part in parts[1:]:
        if not part.is_file():
            raise UserMistake(f"Part {part.name} of the model is missing; copy all {count} parts into one folder.")
    return parts


def _check_source(services: Services, path: Path) -> None:
    try:
        if not path.is_file():
            raise UserMistake(f"There is no file {path}; check its name.")
        with path.open("rb") as source:
            magic = source.read(len(_GGUF_MAGIC))
    except OSError as error:
        raise UserMistake(
            f"{path.name} can't be read ({error.strerror}); check its name and who may read it."
        ) from error
    if magic != _GGUF_MAGIC or path.suffix != ".gguf":
        raise UserMistake(f"{path.name} is not a GGUF model file; choose a file that ends in .gguf.")
    if is_later_part(path):
        raise UserMistake(
            f"{path.name} is a later part of a split model; copy all its parts into {services.home.models} instead."
        )


def _check_place(services: Services, target: Path) -> None:
    """The same name twice would leave it to chance which file answers."""
    if os.path.lexists(target):
        raise UserMistake(f"There is a model named {target.name} already; remove it first.")
    for folder in model_folders(services.home):
        if os.path.lexists(folder / target.name):
            raise UserMistake(
                f"There is a model named {target.name} in {folder} already; use that one, or delete it there first."
            )


def _copy_all(parts: Sequence[Path], targets: Sequence[Path], emit: Emit, cancel: threading.Event) -> str:
    """All or none; returns the sha256 of what was copied."""
    digest, done = hashlib.sha256(), 0
    copied: list[Path] = []
    try:
        total = max(1, sum(part.stat().st_size for part in parts))
        _check_room(parts[0], targets[0].parent, total)
        for part, target in zip(parts, targets, strict=True):
            copied.append(target)
            for block in _copied(part, target, cancel):
                digest.update(block)
                done += len(block)
                emit(done / total)
    except BaseException as error:
        for target in copied:
            with suppress(OSError):  # what went wrong before matters more
                target.unlink(missing_ok=True)
        if isinstance(error, OSError):
            reason = error.strerror
            raise StorageError(f"{parts[0].name} can't be copied ({reason}); check both disks.") from error
        raise
    return digest.hexdigest()


def _check_room(path: Path, folder: Path, size: int) -> None:
    folder.mkdir(exist_ok=True)
    if shutil.disk_usage(folder).free < size:
        raise StorageError(f"{path.name} needs {size / 1e9:.1f} GB and the disk of {folder} has less.")


def _copied(path: Path, target: Path, cancel: threading.Event) -> Iterator[bytes]:
    """Copy one file and give each block; the target appears only when it is whole."""
    partial = target.with_suffix(".partial")
    try:
        with path.open("rb") as source, partial.open("wb") as sink:
            while block := source.read(_BLOCK_BYTES):
                if cancel.is_set():
                    raise Cancelled
                sink.write(block)
                yield block
            sink.flush()
            os.fsync(sink.fileno())
        partial.replace(target)
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


def _remove(services: Services, name: str) -> ModelInfo:
    here = (model_at(services, path) for path in gguf_files(services.home.models))
    model = next((model for model in here if name in (model.name, model.file, model.path)), None)
    if model is None or model.path is None:
        raise UserMistake(_why_not(services, name))
    try:
        for part in _present_parts(Path(model.path)):
            part.unlink()
    except OSError as error:
        raise StorageError(f"{model.path} can't be deleted ({error.strerror}); delete it yourself.") from error
    services.changes.publish(Changes(models=True))
    return model


def _present_parts(path: Path) -> list[Path]:
    """The file and the later parts of it that are there; the first one last, so that a failure leaves it listed."""
    split = _FIRST_PART.match(path.name)
    if split is None:
        return [path]
    later = [part for part in gguf_files(path.parent) if part.name.startswith(split["stem"] + "-")]
    ours = [part for part in later if part != path and part.name.endswith(f"-of-{split['count']}.gguf")]
    return [*ours, path]


def _why_not(services: Services, name: str) -> str:
    for model in list_models(services).run():
        if name in (model.name, model.file, model.path) and model.path is not None:
            folder = Path(model.path).parent
            if folder != services.home.models:
                return f"{model.file} lies in {folder}, not in the data folder; delete it there."
            return f"{model.file} is a folder, which this command leaves alone; delete {model.path} yourself."
    return f"There is no model '{name}' on this machine; see 'aipc models list'."
