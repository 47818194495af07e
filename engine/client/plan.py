"""Plans, probes and dry runs, each in a short-lived process: an assertion of llama.cpp ends that and nothing else."""

from __future__ import annotations

import queue
import threading
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from engine.errors import EngineDied, EngineError
from engine.types.machine import Inventory
from engine.types.model import LoadPlan
from engine.types.plan import PlacementPlan, PlanWishes
from engine.wire.child import ChildProcess
from engine.wire.messages import Failed, error_of
from engine.wire.plan_messages import (
    CompareFits,
    FitCompared,
    MakePlan,
    MeasurePlan,
    PlanFailed,
    PlanMade,
    PlanRan,
    PlanReply,
    Probed,
    ProbeMachine,
    RanDry,
    RunDry,
)

_MOST_DRY_RUNS = 2  # what the first one measured may lead to another context, once
_LOOK_S = 0.1
Cancel = threading.Event | None
_DIED = "The process that makes plans ended; try again."


class PlanTasks:
    """`facts` is the folder where what was measured is kept. Any thread; all methods block."""

    def __init__(self, command: Sequence[str], facts: Path, log_path: Path) -> None:
        self._command, self.facts, self._log_path = tuple(command), facts, log_path

    def plan(self, path: str, wishes: PlanWishes, cancel: Cancel = None) -> PlacementPlan:
        """From the header and what is known already; a fraction of a second. Raises ModelError, RequestInvalid."""
        return self.made(path, wishes, cancel).plan

    def plan_measured(self, path: str, wishes: PlanWishes, cancel: Cancel = None) -> PlacementPlan:
        """The same, after a dry run where none was kept for this model and context; seconds the first time."""
        return self.made_measured(path, wishes, cancel).plan

    def made_measured(self, path: str, wishes: PlanWishes, cancel: Cancel = None) -> PlanMade:
        """`plan_measured` with the machine it was made for."""
        made = self.made(path, wishes, cancel)
        for _ in range(_MOST_DRY_RUNS):
            if made.is_measured or not self._run_dry(path, wishes, cancel):
                break
            made = self.made(path, wishes, cancel)
        return made

    def made(self, path: str, wishes: PlanWishes, cancel: Cancel = None) -> PlanMade:
        """`plan` with the machine it was made for."""
        reply = self._ask(MakePlan(path, wishes, str(self.facts)), cancel)
        assert isinstance(reply, PlanMade)
        return reply

    def probe(self, path: str = "", cancel: Cancel = None) -> Inventory:
        """Measure this machine and the disk of `path`, and keep it; at most a few seconds. Raises EngineError."""
        reply = self._ask(ProbeMachine(path, str(self.facts)), cancel)
        assert isinstance(reply, Probed)
        return reply.inventory

    def is_probed(self) -> bool:
        """Whether some probe was kept."""
        return (self.facts / "speeds.json").is_file()

    def compare(self, path: str, wishes: PlanWishes) -> FitCompared:
        """llama.cpp's own fitting within the same limits. Raises EngineError."""
        reply = self._ask(CompareFits(path, wishes, str(self.facts)))
        assert isinstance(reply, FitCompared)
        return reply

    def measure(self, path: str, load: LoadPlan, *, prefill_tokens: int = 64, decode_tokens: int = 16) -> PlanRan:
        """Load the model as the plan says, for real, and run a few tokens.

        Raises ModelError, OutOfMemory or EngineDied.
        """
        reply = self._ask(MeasurePlan(path, load, prefill_tokens, decode_tokens))
        assert isinstance(reply, PlanRan)
        return reply

    def _run_dry(self, path: str, wishes: PlanWishes, cancel: Cancel) -> bool:
        """False when there is nothing to be measured here, or the dry run failed: the estimate stays, and says so."""
        try:
            reply = self._ask(RunDry(path, wishes, str(self.facts)), cancel)
        except EngineError:
            if cancel is not None and cancel.is_set():
                raise
            return False
        return isinstance(reply, RanDry) and reply.shapes > 0

    def _ask(self, task: Struct, cancel: Cancel = None) -> PlanReply:
        inbox: queue.Queue[PlanReply | None] = queue.Queue()
        child = ChildProcess[PlanReply](
            self._command,
            accepts=PlanReply,
            log_path=self._log_path,
            on_message=inbox.put,
            on_exit=lambda _code: inbox.put(None),
        )
        try:
            child.send(task)
            reply = _awaited(inbox, cancel)
            if reply is None:
                raise EngineDied(_DIED)
            child.wait_ready()  # it greeted before it answered: this only looks whether it is of this build
        except EngineError:
            child.kill()
            raise
        finally:
            child.close()
        if isinstance(reply, PlanFailed):
            raise error_of(Failed(0, reply.kind, reply.message))
        return reply


def _awaited(inbox: queue.Queue[PlanReply | None], cancel: Cancel) -> PlanReply | None:
    while True:
        try:
            return inbox.get(timeout=_LOOK_S)
        except queue.Empty:
            if cancel is not None and cancel.is_set():
                raise EngineError("Cancelled.") from None
