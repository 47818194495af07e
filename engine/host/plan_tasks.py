"""The short-lived process that plans. It takes one task and ends; llama.cpp is opened only where a task needs it.

A dry run or a probe may be ended by an assertion of llama.cpp, which is why each has a process of its own.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from engine.errors import EngineError
from engine.hardware.facts import FactsStore, machine_name
from engine.hardware.inventory import take_inventory
from engine.models.gguf_parts import read_model_header
from engine.models.layout import Layout, layout_of
from engine.placement.compute import was_run_dry
from engine.placement.planner import best_gpu, place, some_layers
from engine.types.machine import Inventory, Speeds
from engine.types.plan import PlacementPlan, PlanWishes
from engine.wire.child import Hello
from engine.wire.framing import PROTOCOL_VERSION, Channel, EndOfStream, claim_pipes
from engine.wire.messages import failed
from engine.wire.plan_messages import (
    CompareFits,
    FitCompared,
    MakePlan,
    MeasurePlan,
    PlanFailed,
    PlanMade,
    PlanRan,
    PlanRequest,
    Probed,
    ProbeMachine,
    RanDry,
    RunDry,
)

if TYPE_CHECKING:
    from engine.native.library import Library

Reply = Probed | PlanMade | RanDry | FitCompared | PlanRan


def main() -> None:
    """Greet, take one task, answer it, end."""
    source, sink = claim_pipes()
    channel: Channel[PlanRequest] = Channel(source, sink, PlanRequest)
    channel.send(Hello(PROTOCOL_VERSION, "plan"))
    try:
        task = channel.receive()
        channel.send(_do(task))
    except EndOfStream:
        return
    except EngineError as error:
        told = failed(0, error)
        channel.send(PlanFailed(told.kind, told.message))
    except OSError as error:
        channel.send(PlanFailed("ModelError", f"The model file can't be used ({error.strerror}); check the disk."))
    except Exception as error:
        print(f"plan: {error!r}", file=sys.stderr, flush=True)
        channel.send(PlanFailed("EngineError", "The plan could not be made; the log in logs/plan.log says more."))


def _do(task: PlanRequest) -> Reply:
    match task:
        case ProbeMachine():
            return _probe(task)
        case MakePlan():
            return _plan(task)
        case RunDry():
            return _run_dry(task)
        case CompareFits():
            return _compare(task)
        case MeasurePlan():
            from engine.host.plan_measure import measure

            return measure(_open(), task)


def _open() -> Library:
    """llama.cpp; a task that can do without doesn't wait for it."""
    from engine.native.library import open_library

    return open_library()


def _build() -> str:
    """llama.cpp's version without loading it: its binding's is pinned to it."""
    from importlib.metadata import version

    return version("llama-cpp-python")


def _probe(task: ProbeMachine) -> Probed:
    from engine.hardware.bandwidth import disk_speed, ram_speed
    from engine.native.bandwidth import link_speed
    from engine.native.devices import inspection

    started = time.monotonic()
    library = _open()
    seen = inspection(library)
    inventory = msgspec.structs.replace(take_inventory(seen.devices), cpu_features=seen.cpu_features)
    gpu = best_gpu(inventory)
    found = {
        "ram": ram_speed(inventory.usable_cores),
        "disk": disk_speed(Path(task.path)) if task.path else 0.0,
        "link": link_speed(library, gpu.name) if gpu else 0.0,
    }
    known = {name: value for name, value in found.items() if value > 0}
    speeds = Speeds(**known, measured=tuple(known))
    _store(task.facts).keep_speeds(machine_name(inventory), speeds, seen.devices, seen.cpu_features)
    return Probed(msgspec.structs.replace(inventory, speeds=speeds), time.monotonic() - started)


def _plan(task: MakePlan) -> PlanMade:
    layout = layout_of(read_model_header(task.path))
    inventory = _inventory(task.facts, live=task.wishes.vram_bytes is None)
    plan = _placed(layout, inventory, task.wishes, task.facts)
    facts = _store(task.facts).of_model(layout.digest, "")
    known = was_run_dry(facts, plan.context, task.wishes.kv_type, some_layers(layout, plan))
    return PlanMade(plan, inventory, known)


def _placed(layout: Layout, inventory: Inventory, wishes: PlanWishes, folder: str) -> PlacementPlan:
    """With what is known of this model on the GPU it will use."""
    store = _store(folder)
    first = place(layout, inventory, wishes, store.of_model(layout.digest, ""))
    device = first.load.device if first.load else ""
    return place(layout, inventory, wishes, store.of_model(layout.digest, device)) if device else first


def _run_dry(task: RunDry) -> RanDry:
    from engine.host.plan_dry import keep_dry_runs

    started = time.monotonic()
    layout = layout_of(read_model_header(task.path))
    inventory = _inventory(task.facts, live=task.wishes.vram_bytes is None)
    plan = _placed(layout, inventory, task.wishes, task.facts)
    count = keep_dry_runs(_open(), task.path, layout, plan, task.wishes, _store(task.facts))
    return RanDry(count, time.monotonic() - started)


def _compare(task: CompareFits) -> FitCompared:
    from engine.host.plan_compare import compare

    layout = layout_of(read_model_header(task.path))
    inventory = _inventory(task.facts, live=False)
    plan = _placed(layout, inventory, task.wishes, task.facts)
    return compare(_open(), task.path, layout, plan, task.wishes, inventory)


def _inventory(folder: str, *, live: bool) -> Inventory:
    """This machine now; the GPU's free memory is asked for only where it matters."""
    store = _store(folder)
    if live:
        from engine.native.devices import inspection

        seen = inspection(_open())
        taken = msgspec.structs.replace(take_inventory(seen.devices), cpu_features=seen.cpu_features)
    else:
        devices, features = store.devices()
        taken = msgspec.structs.replace(take_inventory(devices), cpu_features=features)
    speeds = store.speeds(machine_name(taken))
    return msgspec.structs.replace(taken, speeds=speeds) if speeds else taken


def _store(folder: str) -> FactsStore:
    return FactsStore(Path(folder), _build())

