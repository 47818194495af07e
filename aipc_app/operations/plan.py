"""Where a model would go, before it is loaded."""

from __future__ import annotations

from pathlib import Path

from aipc_app.errors import UserMistake
from aipc_app.operations.op import Op, simply
from aipc_app.paths import Home
from aipc_app.workers.spawn import child_command
from engine.client.plan import PlanTasks
from engine.types.machine import Inventory
from engine.types.plan import PlacementPlan, PlanWishes


def plan_tasks(home: Home) -> PlanTasks:
    """Plans over the figures that this home keeps. Touches nothing until it is asked."""
    return PlanTasks(child_command("plan"), home.measured, home.logs / "plan.log")


def make_plan(
    tasks: PlanTasks, *, path: Path, wishes: PlanWishes | None = None, measure: bool = True
) -> Op[PlacementPlan]:
    """Plan a model from its header. With `measure`, a dry run the first time; without, a fraction of a second.

    Where a limit is this machine's, its speeds are measured the first time too.
    """
    return simply("plan", lambda: _make(tasks, path, wishes or PlanWishes(), measure))


def probe_machine(tasks: PlanTasks, *, path: Path | None = None) -> Op[Inventory]:
    """Measure memory, disk and GPU again. Takes up to three seconds."""
    return simply("probe", lambda: tasks.probe(str(path) if path else ""))


def _make(tasks: PlanTasks, path: Path, wishes: PlanWishes, measure: bool) -> PlacementPlan:
    if not path.is_file():
        raise UserMistake(f"There is no file {path}.")
    if not measure:
        return tasks.plan(str(path), wishes)
    if (wishes.vram_bytes is None or wishes.ram_bytes is None) and not tasks.is_probed():
        tasks.probe(str(path))
    return tasks.plan_measured(str(path), wishes)
