"""Where a model would go, before it is loaded."""

from __future__ import annotations

import threading
from pathlib import Path

import msgspec
from msgspec import Struct

from aipc_app.domain.jobs import Changes
from aipc_app.errors import Cancelled, UserMistake
from aipc_app.operations.models import chosen_model, load_model
from aipc_app.operations.op import Emit, Op
from aipc_app.operations.services import Services
from aipc_app.paths import Home
from aipc_app.workers.spawn import child_command
from engine.client.plan import PlanTasks
from engine.errors import EngineError
from engine.types.machine import Inventory
from engine.types.model import DeviceKind, LoadedModel
from engine.types.plan import PlacementPlan, PlanWishes
from engine.wire.plan_messages import PlanMade

_MIB = 1 << 20


class Preview(Struct, frozen=True, kw_only=True):
    """The chosen model's plan, and how far its limits can be moved. Bytes; `vram_total` 0 without a GPU."""

    path: str
    plan: PlacementPlan
    vram_total: int
    ram_total: int
    vram_limit: int
    ram_limit: int


def plan_tasks(home: Home) -> PlanTasks:
    """Plans over the figures that this home keeps. Touches nothing until it is asked."""
    return PlanTasks(child_command("plan"), home.measured, home.logs / "plan.log")


def make_plan(tasks: PlanTasks, *, path: Path, wishes: PlanWishes | None = None) -> Op[PlacementPlan]:
    """Plan a model from its header; a dry run the first time.

    Where a limit is this machine's, its speeds are measured the first time too.
    """
    return Op("plan", lambda _emit, cancel: _make(tasks, path, wishes or PlanWishes(), cancel).plan)


def probe_machine(tasks: PlanTasks, *, path: Path | None = None) -> Op[Inventory]:
    """Measure memory, disk and GPU again. Takes up to three seconds."""
    return Op("probe", lambda _emit, cancel: tasks.probe(str(path) if path else "", cancel))


def preview_plan(services: Services, *, vram_mib: int | None, ram_mib: int | None) -> Op[Preview]:
    """The plan of the chosen model within these limits; None is what is free.

    Emits a Preview from what is known at once; the result has also been measured. Raises ModelUnavailable, EngineError.
    """
    return Op("preview plan", lambda emit, cancel: _preview(services, vram_mib, ram_mib, emit, cancel))


def load_within(services: Services, *, vram_mib: int | None, ram_mib: int | None) -> Op[LoadedModel]:
    """Keep these limits and load the chosen model by them. Emits float progress; cancel gives up."""

    def work(emit: object, cancel: threading.Event) -> LoadedModel:
        _keep_limits(services, vram_mib, ram_mib)
        return load_model(services, chosen_model(services), emit, cancel)  # type: ignore[arg-type]

    return Op("load within limits", work)


def _make(tasks: PlanTasks, path: Path, wishes: PlanWishes, cancel: threading.Event) -> PlanMade:
    if not path.is_file():
        raise UserMistake(f"There is no file {path}.")
    try:
        if (wishes.vram_bytes is None or wishes.ram_bytes is None) and not tasks.is_probed():
            tasks.probe(str(path), cancel)
        return tasks.made_measured(str(path), wishes, cancel)
    except EngineError as error:
        if cancel.is_set():
            raise Cancelled from error
        raise


def _preview(
    services: Services, vram_mib: int | None, ram_mib: int | None, emit: Emit, cancel: threading.Event
) -> Preview:
    path = chosen_model(services)
    settings, tasks = services.settings().models, plan_tasks(services.home)
    wishes = PlanWishes(
        vram_bytes=_bytes(vram_mib), ram_bytes=_bytes(ram_mib), context_tokens=settings.context_tokens,
        threads=settings.threads,
    )  # fmt: skip
    try:
        made = tasks.made(str(path), wishes, cancel)
        shown = _shown(path, wishes, made)
        if made.is_measured and tasks.is_probed():
            return shown
        emit(shown)
    except EngineError as error:
        if cancel.is_set():
            raise Cancelled from error
        raise
    return _shown(path, wishes, _make(tasks, path, wishes, cancel))


def _shown(path: Path, wishes: PlanWishes, made: PlanMade) -> Preview:
    gpus = [device for device in made.inventory.devices if device.kind is DeviceKind.GPU]
    gpu = max(gpus, key=lambda device: device.memory_free, default=None)
    return Preview(
        path=str(path), plan=made.plan, vram_total=gpu.memory_total if gpu else 0,
        ram_total=made.inventory.memory_total,
        vram_limit=wishes.vram_bytes if wishes.vram_bytes is not None else (gpu.memory_free if gpu else 0),
        ram_limit=wishes.ram_bytes if wishes.ram_bytes is not None else made.inventory.memory_available,
    )  # fmt: skip


def _keep_limits(services: Services, vram_mib: int | None, ram_mib: int | None) -> None:
    settings = services.settings()
    models = msgspec.structs.replace(settings.models, vram_mib=vram_mib, ram_mib=ram_mib)
    if models != settings.models:
        services.settings.replace(msgspec.structs.replace(settings, models=models))
        services.changes.publish(Changes(settings=True))


def _bytes(mib: int | None) -> int | None:
    return None if mib is None else mib * _MIB
