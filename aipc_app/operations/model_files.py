"""Model files of the data folder: bring one in, take one out."""

from __future__ import annotations

import glob
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
_PIECE = re.compile(r"^(?P<name>.+\.gguf)\.(?P<number>\d{3})$")  # of a model pack, cut to fit a FAT32 stick


def import_model(services: Services, *, path: Path) -> Op[ModelInfo]:
    """Copy a GGUF file, all parts of a split model, or the joined pieces of a model pack, into the data folder.

    Emits float progress; cancelled or failed, nothing is left. A model this program knows is compared with its
    checksum on the way: the result's `verified` says whether it is the right one. A pack brings its checksum in a
    file beside it, and is refused when the bytes are others.
    """
    return Op("import model", lambda emit, cancel: _import(services, path, emit, cancel))


def remove_model(services: Services, *, name: str) -> Op[ModelInfo]:
    """Delete a model from the data folder; files elsewhere are the user's own and are left alone."""
    return simply("remove model", lambda: _remove(services, name))


def _import(services: Services, path: Path, emit: Emit, cancel: threading.Event) -> ModelInfo:
    piece = _PIECE.match(path.name)
    parts = _pieces(path, piece["name"]) if piece else _parts(services, path)
    names = [piece["name"]] if piece else [part.name for part in parts]
    targets = [services.home.models / name for name in names]
    for target in targets:
        _check_place(services, target)
    digest = _copy_all([parts] if piece else [[part] for part in parts], targets, emit, cancel)
    _check_sum(path.with_name(f"{names[0]}.sha256"), digest, targets)
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


def _pieces(path: Path, name: str) -> list[Path]:
    """All pieces of a model pack, whichever was named. Raises UserMistake when one is missing."""
    numbered = {int(found["number"]): other for other in path.parent.glob(f"{glob.escape(name)}.*")
                if (found := _PIECE.match(other.name))}  # fmt: skip
    missing = next((n for n in range(1, max(numbered, default=1) + 1) if n not in numbered), None)
    if missing is not None:
        raise UserMistake(f"Piece {name}.{missing:03} of the model is missing; copy all pieces into one folder.")
    with numbered[1].open("rb") as source:
        if source.read(len(_GGUF_MAGIC)) != _GGUF_MAGIC:
            raise UserMistake(f"{numbered[1].name} is not the beginning of a GGUF model file; copy the pack again.")
    return [numbered[number] for number in sorted(numbered)]


def _check_sum(sums: Path, digest: str, targets: Sequence[Path]) -> None:
    """A pack's own checksum, where it lies beside it; with wrong bytes nothing stays. Raises UserMistake."""
    try:
        wanted = sums.read_text(encoding="ascii").split()[:1]
    except (OSError, ValueError):
        return
    if wanted and wanted != [digest]:
        for target in targets:
            target.unlink(missing_ok=True)
        raise UserMistake(f"The bytes of {targets[0].name} are not those that {sums.name} names; copy the pack again.")


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


def _copy_all(
    sources: Sequence[Sequence[Path]], targets: Sequence[Path], emit: Emit, cancel: threading.Event
) -> str:
    """All targets, each from its sources one after another, or none; returns the sha256 of what was copied."""
    digest, done = hashlib.sha256(), 0
    copied: list[Path] = []
    try:
        total = max(1, sum(source.stat().st_size for some in sources for source in some))
        _check_room(targets[0], targets[0].parent, total)
        for some, target in zip(sources, targets, strict=True):
            copied.append(target)
            for block in _copied(some, target, cancel):
                digest.update(block)
                done += len(block)
                emit(done / total)
    except BaseException as error:
        for target in copied:
            with suppress(OSError):  # what went wrong before matters more
                target.unlink(missing_ok=True)
        if isinstance(error, OSError):
            reason = error.strerror
            raise StorageError(f"{targets[0].name} can't be copied ({reason}); check both disks.") from error
        raise
    return digest.hexdigest()


def _check_room(path: Path, folder: Path, size: int) -> None:
    folder.mkdir(exist_ok=True)
    if shutil.disk_usage(folder).free < size:
        raise StorageError(f"{path.name} needs {size / 1e9:.1f} GB and the disk of {folder} has less.")


def _copied(sources: Sequence[Path], target: Path, cancel: threading.Event) -> Iterator[bytes]:
    """Copy files into one and give each block; the target appears only when it is whole."""
    partial = target.with_suffix(".partial")
    try:
        with partial.open("wb") as sink:
            for path in sources:
                with path.open("rb") as source:
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
