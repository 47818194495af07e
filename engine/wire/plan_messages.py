"""Messages of the short-lived process that plans: probe, plan, dry run. One task, then it ends."""

from __future__ import annotations

from msgspec import Struct

from engine.types.machine import Inventory
from engine.types.model import LoadPlan
from engine.types.plan import PlacementPlan, PlanWishes
from engine.wire.child import Hello


class ProbeMachine(Struct, frozen=True, tag=True):
    """Measure this machine, and the disk that `path` lies on ("" for none), and keep it in the folder `facts`."""

    path: str
    facts: str


class MakePlan(Struct, frozen=True, tag=True):
    """Plan the model at `path` with what the folder `facts` holds. Reads its header only."""

    path: str
    wishes: PlanWishes
    facts: str


class RunDry(Struct, frozen=True, tag=True):
    """Let llama.cpp say how large its buffers would be for such a plan, and keep it in the folder `facts`.

    This may end the process; whoever asked then goes on with an estimate.
    """

    path: str
    wishes: PlanWishes
    facts: str


class CompareFits(Struct, frozen=True, tag=True):
    """Let llama.cpp's own fitting place the model beside the plan. May end the process."""

    path: str
    wishes: PlanWishes
    facts: str


class MeasurePlan(Struct, frozen=True, tag=True):
    """Load the model as `load` says, for real, and run a few tokens."""

    path: str
    load: LoadPlan
    prefill_tokens: int = 64
    decode_tokens: int = 16


PlanRequest = ProbeMachine | MakePlan | RunDry | CompareFits | MeasurePlan


class Probed(Struct, frozen=True, tag=True):
    inventory: Inventory
    seconds: float


class PlanMade(Struct, frozen=True, tag=True):
    """`inventory` as it was planned for; `is_measured`: its compute buffers need no dry run any more."""

    plan: PlacementPlan
    inventory: Inventory
    is_measured: bool


class RanDry(Struct, frozen=True, tag=True):
    """How many shapes were measured."""

    shapes: int
    seconds: float


class FitCompared(Struct, frozen=True, tag=True):
    """What llama.cpp's fitting did within the same VRAM. `why_not` says why there is nothing to compare.

    Bytes of weights on the GPU, what a token reads from RAM, what RAM must hold, speed by the same model as ours.
    """

    why_not: str = ""
    gpu_weight_bytes: int = 0
    vram_bytes: int = 0
    ram_read_per_token: int = 0
    ram_bytes: int = 0
    decode_tokens_per_s: float = 0.0
    prefill_tokens_per_s: float = 0.0
    gpu_layers: int = 0
    cpu_patterns: tuple[str, ...] = ()


class PlanRan(Struct, frozen=True, tag=True):
    """Buffers as llama.cpp reported them, by place; seconds of the load; tokens per second (median of the tokens)."""

    vram_bytes: int
    ram_bytes: int
    buffers: tuple[tuple[str, int], ...]
    load_s: float
    prefill_tokens_per_s: float
    decode_tokens_per_s: float
    first_token_s: float


class PlanFailed(Struct, frozen=True, tag=True):
    """`kind` names a class of engine.errors."""

    kind: str
    message: str


PlanReply = Hello | Probed | PlanMade | RanDry | FitCompared | PlanRan | PlanFailed
