"""Where a model's parts go, why, and what is expected of it."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from engine.types.model import LoadPlan


class PartKind(StrEnum):
    """What is placed together. Norms and routers lie with the attention of their layer."""

    ATTENTION = "attention"
    SHARED_EXPERTS = "shared_experts"
    ROUTED_EXPERTS = "routed_experts"
    DENSE_FFN = "dense_ffn"
    RECURRENT = "recurrent"
    EMBEDDING = "embedding"
    OUTPUT = "output"
    KV_CACHE = "kv_cache"
    COMPUTE = "compute"


class Part(Struct, frozen=True, kw_only=True):
    """One line of a plan. `layers` like "0-60" or "0-2,5", "" outside the layers; `device` GPU0, CPU or disk."""

    tensors: PartKind
    layers: str
    device: str
    bytes: int
    reason: str


class Prediction(Struct, frozen=True, kw_only=True):
    """Bytes by place, and tokens per second; 0 tokens when the model doesn't fit."""

    vram_bytes: int
    ram_bytes: int
    disk_bytes: int
    decode_tokens_per_s: float
    prefill_tokens_per_s: float


class PlacementPlan(Struct, frozen=True, kw_only=True):
    """A model placed. Sizes in bytes.

    `ram_read_per_token` is what each token must read of the weights in RAM, `gpu_weight_bytes` what lies on the GPU.
    `load` is how llama.cpp is told; None when nothing fits, and `explanation` then says what would.
    """

    model: str
    architecture: str
    parameters: int
    active_parameters: int
    file_bytes: int
    fits: bool
    placement: tuple[Part, ...]
    predicted: Prediction
    context: int
    kv_bytes_per_token: int
    explanation: tuple[str, ...]
    gpu_weight_bytes: int = 0
    ram_read_per_token: int = 0
    load: LoadPlan | None = None


class PlanWishes(Struct, frozen=True, kw_only=True):
    """What the user sets; None means: chosen by the placement, or this machine's limit. Bytes and tokens."""

    vram_bytes: int | None = None
    ram_bytes: int | None = None
    context_tokens: int | None = None
    threads: int | None = None
    kv_type: str = "f16"
    ubatch_tokens: int | None = None


class ComputeShape(StrEnum):
    """How much of a model lies on the GPU, as far as the size of its compute buffers goes."""

    NOTHING = "nothing"
    SOME_LAYERS = "some_layers"
    WITHOUT_EXPERTS = "without_experts"
    EVERYTHING = "everything"


class ComputeBuffers(Struct, frozen=True):
    """Compute buffers of one shape, as llama.cpp's dry run measured them (or as they are estimated). Bytes.

    `fetched`: the GPU can fetch the weights that lie in RAM, and has a buffer for them; reordered ones it can't.
    `gpu_layers`: of a dry run with just so many layers on the GPU, as llama.cpp counts them; 0 stands for the shape.
    """

    shape: ComputeShape
    context_tokens: int
    ubatch_tokens: int
    kv_type: str
    gpu_bytes: int
    cpu_bytes: int
    measured: bool = True
    fetched: bool = True
    gpu_layers: int = 0


class Correction(Struct, frozen=True):
    """What loads of this model on this machine taught: measured over predicted, 1 where nothing is known."""

    decode: float = 1.0
    prefill: float = 1.0
    gpu_bytes: int = 0  # what the GPU held beyond the prediction
    runs: int = 0


class PlanFacts(Struct, frozen=True):
    """What was measured for this model before."""

    compute: tuple[ComputeBuffers, ...] = ()
    correction: Correction = Correction()
