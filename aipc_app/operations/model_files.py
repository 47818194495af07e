"""Model files of the data folder: bring one in, take one out."""

from __future__ import annotations

import os
import shutil
import threading
from contextlib import suppress
from pathlib import Path

from aipc_app.domain.jobs import Changes
from aipc_app.domain.models import ModelInfo
from aipc_app.errors import Cancelled, StorageError, UserMistake
from aipc_app.operations.models import gguf_files, is_later_part, list_models, model_at
from aipc_app.operations.op import Emit, Op, simply
from aipc_app.operations.services import Services
from aipc_app.paths import model_folders

_BLOCK_BYTES = 16 << 20
_GGUF_MAGIC = b"GGUF"


def import_model(services: Services, *, path: Path) -> Op[ModelInfo]:
    """Copy a GGUF file into the data folder. Emits float progress; cancelled or failed, nothing is left."""
    return Op("import model", lambda emit, cancel: _import(services, path, emit, cancel))


def remove_model(services: Services, *, name: str) -> Op[ModelInfo]:
    """Delete a model from the data folder; files elsewhere are the user's own and are left alone."""
    return simply("remove model", lambda: _remove(services, name))


def _import(services: Services, path: Path, emit: Emit, cancel: threading.Event) -> ModelInfo:
    _check_source(services, path)
    target = services.home.models / path.name
    _check_place(services, target)
    _copy(path, target, emit, cancel)
    services.changes.publish(Changes(models=True))
    return model_at(services, target)


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


def _copy(path: Path, target: Path, emit: Emit, cancel: threading.Event) -> None:
    partial = target.with_suffix(".partial")
    try:
        size = path.stat().st_size
        target.parent.mkdir(exist_ok=True)
        if shutil.disk_usage(target.parent).free < size:
            raise StorageError(f"{path.name} needs {size / 1e9:.1f} GB and the disk of {target.parent} has less.")
        with path.open("rb") as source, partial.open("wb") as sink:
            while block := source.read(_BLOCK_BYTES):
                if cancel.is_set():
                    raise Cancelled
                sink.write(block)
                emit(sink.tell() / size)
            sink.flush()
            os.fsync(sink.fileno())
        partial.replace(target)
    except OSError as error:
        raise StorageError(f"{path.name} can't be copied ({error.strerror}); check both disks.") from error
    finally:
        with suppress(OSError):  # what went wrong before matters more
            partial.unlink(missing_ok=True)


def _remove(services: Services, name: str) -> ModelInfo:
    here = (model_at(services, path) for path in gguf_files(services.home.models))
    model = next((model for model in here if name in (model.name, model.file, model.path)), None)
    if model is None or model.path is None:
        raise UserMistake(_why_not(services, name))
    try:
        Path(model.path).unlink()
    except OSError as error:
        raise StorageError(f"{model.path} can't be deleted ({error.strerror}); delete it yourself.") from error
    services.changes.publish(Changes(models=True))
    return model


def _why_not(services: Services, name: str) -> str:
    for model in list_models(services).run():
        if name in (model.name, model.file, model.path) and model.path is not None:
            folder = Path(model.path).parent
            if folder != services.home.models:
                return f"{model.file} lies in {folder}, not in the data folder; delete it there."
            return f"{model.file} is a folder, which this command leaves alone; delete {model.path} yourself."
    return f"There is no model '{name}' on this machine; see 'aipc models list'."
