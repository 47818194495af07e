"""Model files of the data folder: bring one in, take one out."""

from __future__ import annotations

import os
import shutil
import threading
from pathlib import Path

from aipc_app.domain.jobs import Changes
from aipc_app.domain.models import ModelInfo
from aipc_app.errors import Cancelled, StorageError, UserMistake
from aipc_app.operations.models import list_models
from aipc_app.operations.op import Emit, Op, simply
from aipc_app.operations.services import Services

_BLOCK_BYTES = 16 << 20
_GGUF_MAGIC = b"GGUF"


def import_model(services: Services, *, path: Path) -> Op[ModelInfo]:
    """Copy a GGUF file into the data folder. Emits float progress; cancelled or failed, nothing is left."""
    return Op("import model", lambda emit, cancel: _import(services, path, emit, cancel))


def remove_model(services: Services, *, name: str) -> Op[ModelInfo]:
    """Delete a model from the data folder; files elsewhere are the user's own and are left alone."""
    return simply("remove model", lambda: _remove(services, name))


def _import(services: Services, path: Path, emit: Emit, cancel: threading.Event) -> ModelInfo:
    if not path.is_file():
        raise UserMistake(f"There is no file {path}; check its name.")
    with path.open("rb") as source:
        if source.read(4) != _GGUF_MAGIC:
            raise UserMistake(f"{path.name} is not a GGUF model file; choose a file that ends in .gguf.")
    target = services.home.models / path.name
    if target.exists():
        raise UserMistake(f"There is a model named {path.name} already; remove it first.")
    _copy(path, target, emit, cancel)
    services.changes.publish(Changes(models=True))
    return next(model for model in list_models(services).run() if model.file == path.name)


def _copy(path: Path, target: Path, emit: Emit, cancel: threading.Event) -> None:
    size, partial = path.stat().st_size, target.with_suffix(".partial")
    try:
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
        partial.unlink(missing_ok=True)


def _remove(services: Services, name: str) -> ModelInfo:
    for model in list_models(services).run():
        if name in (model.name, model.file) and model.path is not None:
            path = Path(model.path)
            if path.parent != services.home.models:
                raise UserMistake(f"{model.file} lies in {path.parent}, not in the data folder; delete it there.")
            path.unlink()
            services.changes.publish(Changes(models=True))
            return model
    raise UserMistake(f"There is no model '{name}' on this machine; see 'aipc models list'.")
