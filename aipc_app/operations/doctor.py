"""Is everything there and sound?"""

from __future__ import annotations

import threading

import msgspec
import psutil

from aipc_app import __version__
from aipc_app.domain.models import DoctorReport, ModelInfo, Offline
from aipc_app.errors import AipcError
from aipc_app.operations.models import chosen_model, list_models
from aipc_app.operations.op import Emit, Op
from aipc_app.operations.services import Services
from engine.errors import EngineError
from engine.types.model import Inspection
from engine.wire.offline import attempts


def examine(services: Services) -> Op[DoctorReport]:
    """Start each child, list devices and versions, verify the models that are here. Takes seconds."""
    return Op("doctor", lambda emit, cancel: _examine(services, emit, cancel))


def _examine(services: Services, emit: Emit, cancel: threading.Event) -> DoctorReport:
    problems: list[str] = []
    inspection = _inspect(services, problems)
    models = tuple(_verified(services, model, problems, emit, cancel) for model in list_models(services).run())
    _check_model(services, problems)
    embedder = _check_encoder(services, problems)
    memory = psutil.virtual_memory()
    server = services.settings().server
    tried = attempts(services.home.network_log)
    if tried:
        problems.append(
            f"{tried} connections to a network were attempted and refused; see {services.home.network_log}."
        )
    return DoctorReport(
        ok=not problems,
        devices=inspection.devices if inspection else (),
        memory={"total": memory.total, "available": memory.available},
        versions={"aipc": __version__, "embedder": embedder, **_engine_versions(inspection)},
        models=tuple(model for model in models if model.path),
        offline=Offline(attempts=tried),
        problems=tuple(problems),
        server=server.address if server.enabled else None,
    )


def _engine_versions(inspection: Inspection | None) -> dict[str, str]:
    """With the variant of llama.cpp that was chosen for this CPU."""
    return {"cpu_backend": inspection.cpu_backend, **inspection.versions} if inspection else {}


def _inspect(services: Services, problems: list[str]) -> Inspection | None:
    try:
        return services.engine.inspect()
    except EngineError as error:
        problems.append(error.message)
        return None


def _verified(
    services: Services, model: ModelInfo, problems: list[str], emit: Emit, cancel: threading.Event
) -> ModelInfo:
    if model.path is None or model.sha256 is None:
        return msgspec.structs.replace(model, verified=False)
    same = services.model_tasks.verify(model.file, model.path, emit, cancel)
    if not same:
        problems.append(f"{model.file} has wrong bytes; delete it and fetch or copy it again.")
    return msgspec.structs.replace(model, verified=same)


def _check_model(services: Services, problems: list[str]) -> None:
    if services.settings().server.enabled:
        return
    try:
        chosen_model(services)
    except AipcError as error:
        problems.append(error.message)


def _check_encoder(services: Services, problems: list[str]) -> str:
    try:
        return services.encoder.wait_ready()
    except AipcError as error:
        problems.append(error.message)
        return "none"
