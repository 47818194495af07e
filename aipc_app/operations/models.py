"""Language models: list, choose, load, verify, fetch."""

from __future__ import annotations

import os
import re
import threading
from pathlib import Path

import msgspec

from aipc_app import paths
from aipc_app.domain.jobs import Changes
from aipc_app.domain.models import ModelInfo
from aipc_app.errors import Cancelled, ModelUnavailable, UserMistake
from aipc_app.operations.op import Emit, Op, simply
from aipc_app.operations.services import Services
from engine.errors import EngineError
from engine.types.catalogue import CatalogueEntry
from engine.types.model import EngineReady, LoadedModel, LoadRequest

DEFAULT_ROLE = "chat-default"
_CHAT_ROLES = "chat-"
_PART = re.compile(r"-(\d{5})-of-\d{5}$")


def list_models(services: Services) -> Op[tuple[ModelInfo, ...]]:
    """The catalogue's models and every GGUF file in the model folders."""
    return simply("list models", lambda: _list(services))


def use_model(services: Services, *, name: str) -> Op[ModelInfo]:
    """Choose the chat model for this home, by name, file name or path. It is loaded at the next question."""
    return simply("use model", lambda: _use(services, name))


def ensure_loaded(services: Services) -> Op[LoadedModel]:
    """Load the chosen model unless it is loaded. Emits float progress 0..1. Cancel gives up."""
    return Op("load model", lambda emit, cancel: _ensure_loaded(services, emit, cancel))


def verify_model(services: Services, *, name: str) -> Op[ModelInfo]:
    """Hash the file and compare with the catalogue. Emits float progress."""
    return Op("verify model", lambda emit, cancel: _verify(services, name, emit, cancel))


def fetch_models(services: Services, *, roles: tuple[str, ...]) -> Op[tuple[ModelInfo, ...]]:
    """Download the catalogue's models (the one thing that touches the network, only when asked)."""
    return Op("fetch models", lambda emit, cancel: _fetch(services, roles, emit, cancel))


def chosen_model(services: Services) -> Path:
    """The chat model's file: as chosen, else the default one if present. Raises ModelUnavailable."""
    chosen = services.settings().models.chat
    for model in _list(services):
        wanted = chosen in (model.name, model.file, model.path) if chosen else model.role == DEFAULT_ROLE
        if wanted and model.path is not None:
            return Path(model.path)
    if chosen and _usable(Path(chosen)):
        return Path(chosen)
    raise ModelUnavailable(_none_to_use(services, chosen))


def _none_to_use(services: Services, chosen: str | None) -> str:
    """An installed build never downloads, so it doesn't advise to."""
    if chosen:
        return f"The model '{chosen}' is not on this machine; choose another with 'aipc models use NAME'."
    if paths.installation() is not None:
        return (
            "There is no language model on this machine; import one with 'aipc models import FILE' or on the Models "
            "page."
        )
    return (
        "There is no language model on this machine; run 'aipc models fetch', or copy a GGUF file "
        f"into {services.home.models} and choose it with 'aipc models use NAME'."
    )


def model_at(services: Services, path: Path) -> ModelInfo:
    """What is known of this very file, whichever file of that name the listing shows."""
    catalogue = {entry.file: entry for entry in services.model_tasks.catalogue()}
    return _info(path.name, path, catalogue.get(path.name), services.settings().models.chat)


def gguf_files(folder: Path) -> tuple[Path, ...]:
    """What is named *.gguf in a folder, in order; nothing when it can't be listed."""
    try:
        return tuple(sorted(path for path in folder.iterdir() if path.suffix == ".gguf"))
    except OSError:
        return ()


def is_later_part(path: Path) -> bool:
    """Is this part 2 or later of a model split over files?"""
    part = _PART.search(path.stem)
    return part is not None and int(part[1]) > 1


def _list(services: Services) -> tuple[ModelInfo, ...]:
    catalogue = {entry.file: entry for entry in services.model_tasks.catalogue()}
    found = _files(services)
    for entry_file in catalogue:
        found.setdefault(entry_file, _folder(services, entry_file) if not entry_file.endswith(".gguf") else None)
    chosen = services.settings().models.chat
    listed = (_info(file, path, catalogue.get(file), chosen) for file, path in found.items())
    if services.settings().server.enabled:  # a server answers in the place of all of them
        return tuple(msgspec.structs.replace(model, in_use=False) for model in listed)
    return tuple(listed)


def _files(services: Services) -> dict[str, Path | None]:
    """GGUF files by name; a folder that comes first wins. Later parts of split files are left out."""
    found: dict[str, Path | None] = {}
    for folder in paths.model_folders(services.home):
        for path in gguf_files(folder):
            if not is_later_part(path) and _usable(path):
                found.setdefault(path.name, path)
    return found


def _usable(path: Path) -> bool:
    """A file that this user may read; a dangling link, a folder or a name too long is none."""
    return os.path.isfile(path) and os.access(path, os.R_OK)  # noqa: PTH113 - Path.is_file raises where this says no


def _folder(services: Services, name: str) -> Path | None:
    """A model of several files is a folder of that name."""
    places = (folder / name for folder in paths.model_folders(services.home))
    return next((place for place in places if os.path.isdir(place)), None)  # noqa: PTH112 - as above


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0  # it went away meanwhile


def _info(file: str, path: Path | None, entry: CatalogueEntry | None, chosen: str | None) -> ModelInfo:
    name = entry.name if entry else Path(file).stem
    size = _size(path) if path else entry.size if entry else 0
    in_use = chosen in (name, file, str(path)) if chosen else bool(entry and entry.role == DEFAULT_ROLE)
    return ModelInfo(
        name=name,
        file=file,
        path=str(path) if path else None,
        role=entry.role if entry else None,
        size=size,
        sha256=entry.sha256 if entry else None,
        licence=entry.licence if entry else None,
        in_use=in_use and path is not None,
        about=entry.about if entry else "",
    )


def _named(services: Services, name: str) -> ModelInfo:
    models = _list(services)
    for model in models:
        if name in (model.name, model.file, model.path, model.role):
            return model
    raise UserMistake(f"There is no model '{name}'; there are: {', '.join(m.name for m in models)}.")


def _use(services: Services, name: str) -> ModelInfo:
    path = Path(name).expanduser()
    if path.suffix == ".gguf" and _usable(path):
        chosen = str(path.absolute())
        model = ModelInfo(
            name=path.stem,
            file=path.name,
            path=chosen,
            role=None,
            size=_size(path),
            sha256=None,
            licence=None,
            in_use=True,
        )
    else:
        model = _named(services, name)
        chosen = model.file
        if model.role is not None and not model.role.startswith(_CHAT_ROLES):
            raise UserMistake(f"{model.name} is not a chat model, so it can't answer; choose one that can.")
        if model.path is None:
            raise UserMistake(f"{model.name} is not on this machine yet; run 'aipc models fetch {model.role}'.")
    settings = services.settings()
    if settings.server.enabled:
        services.engine.unload()
    services.settings.replace(
        msgspec.structs.replace(
            settings,
            models=msgspec.structs.replace(settings.models, chat=chosen),
            server=msgspec.structs.replace(settings.server, enabled=False),
        )
    )
    services.changes.publish(Changes(models=True, settings=True))
    return msgspec.structs.replace(model, in_use=True)


def _ensure_loaded(services: Services, emit: Emit, cancel: threading.Event) -> LoadedModel:
    server = services.settings().server
    path = str(server.address) if server.enabled else str(chosen_model(services))
    state = services.engine.state
    if isinstance(state, EngineReady) and state.model.path == path:
        return state.model
    return load_model(services, path, emit, cancel)


def load_model(services: Services, path: Path | str, emit: Emit, cancel: threading.Event) -> LoadedModel:
    """Load this file by the settings (or the model of the server at this address), in place of what is loaded.

    Raises Cancelled or EngineError.
    """
    wanted = services.settings().models
    request = LoadRequest(
        str(path),
        context_tokens=wanted.context_tokens,
        threads=wanted.threads,
        vram_limit_bytes=_bytes(wanted.vram_mib),
        ram_limit_bytes=_bytes(wanted.ram_mib),
        facts=str(services.home.measured),
    )

    def progress(fraction: float) -> None:
        if cancel.is_set():
            services.engine.cancel_load()
        emit(fraction)

    try:
        return services.engine.load(request, progress)
    except EngineError as error:
        if cancel.is_set():
            raise Cancelled from error
        raise


def _bytes(mib: int | None) -> int | None:
    return None if mib is None else mib << 20


def _verify(services: Services, name: str, emit: Emit, cancel: threading.Event) -> ModelInfo:
    model = _named(services, name)
    if model.path is None:
        raise UserMistake(f"{model.name} is not on this machine; fetch or import it first.")
    if model.sha256 is None:
        raise UserMistake(
            f"{model.name} is not one of the models this program knows, so there is nothing to compare it with."
        )
    same = services.model_tasks.verify(model.file, model.path, emit, cancel)
    return msgspec.structs.replace(model, verified=same)


def _fetch(services: Services, roles: tuple[str, ...], emit: Emit, cancel: threading.Event) -> tuple[ModelInfo, ...]:
    root = paths.checkout()
    folder = root / ".models" if root else services.home.models
    for role in roles or (DEFAULT_ROLE,):
        try:
            services.model_tasks.fetch(role, str(folder), emit, cancel)
        except EngineError as error:
            raise ModelUnavailable(error.message) from error
    services.changes.publish(Changes(models=True))
    return tuple(model for model in _list(services) if not roles or model.role in roles or model.name in roles)
