"""A model to load, how it was loaded, and the states an engine can be in."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class DeviceKind(StrEnum):
    CPU = "cpu"
    GPU = "gpu"
    INTEGRATED = "integrated"
    ACCELERATOR = "accelerator"


class Device(Struct, frozen=True):
    """A ggml device. Memory in bytes; 0 total when the backend doesn't tell."""

    name: str
    description: str
    kind: DeviceKind
    memory_total: int
    memory_free: int


class LoadRequest(Struct, frozen=True):
    """Open this GGUF file. None means: chosen by the placement.

    `context_tokens` is for the whole context, shared by all sequences. `facts` is the folder of what was measured
    on this machine before; without one, usual values and estimates are taken and nothing is kept.
    """

    path: str
    context_tokens: int | None = None
    threads: int | None = None
    kv_type: str = "f16"
    vram_limit_bytes: int | None = None
    ram_limit_bytes: int | None = None
    facts: str | None = None


class HostBuffer(StrEnum):
    """Where weights that the CPU computes lie; one excludes the others.

    MAPPED is the file itself in the page cache, PINNED memory that a GPU can fetch from at full speed, REPACKED a
    copy in the order the CPU's kernels like best, from which no GPU can be fed.
    """

    MAPPED = "mapped"
    PINNED = "pinned"
    REPACKED = "repacked"


class LoadPlan(Struct, frozen=True):
    """What the placement decided, with a reason for each line."""

    gpu_layers: int
    context_tokens: int
    threads: int
    batch_tokens: int
    ubatch_tokens: int
    kv_type: str
    reasons: tuple[str, ...]
    device: str = ""  # the GPU that is used, "" for none
    host_buffer: HostBuffer = HostBuffer.REPACKED
    cpu_tensors: tuple[str, ...] = ()  # regular expressions over tensor names: these stay in RAM
    kv_on_gpu: bool = True


class Abilities(Struct, frozen=True):
    """What can be asked of a model beside an answer.

    `scores`: the probability of given words; `remembers`: reading ahead, and knowing what was read; `grammars`: an
    answer in the form of a grammar; `counts`: exact numbers of tokens, else estimates that err upwards.
    """

    scores: bool = True
    remembers: bool = True
    grammars: bool = True
    counts: bool = True


class LoadedModel(Struct, frozen=True):
    """A model that is ready. Sizes in bytes; `identity` changes when the file's bytes do.

    `host`: the computer that text is sent to, "" for this one; `encrypted`: on its way nobody can read it.
    """

    name: str
    path: str
    identity: str
    architecture: str
    description: str
    parameters: int
    file_bytes: int
    vram_bytes: int
    ram_bytes: int
    train_context_tokens: int
    plan: LoadPlan
    load_s: float
    planned_vram_bytes: int = 0
    planned_ram_bytes: int = 0
    predicted_decode_tokens_per_s: float = 0.0
    decode_tokens_per_s: float = 0.0  # of a short run after the load; 0 when there was none
    abilities: Abilities = Abilities()
    host: str = ""
    encrypted: bool = True


class Inspection(Struct, frozen=True):
    """What an engine process sees of this machine without a model."""

    devices: tuple[Device, ...]
    cpu_backend: str
    cpu_features: tuple[str, ...]
    versions: dict[str, str]


class EngineStopped(Struct, frozen=True, tag=True):
    """No process, or a process with no model."""


class EngineLoading(Struct, frozen=True, tag=True):
    path: str
    fraction: float


class EngineReady(Struct, frozen=True, tag=True):
    model: LoadedModel


class EngineFailed(Struct, frozen=True, tag=True):
    """The last load failed or the process died; `message` is for a person."""

    message: str
    retry_after_s: float = 0.0


EngineState = EngineStopped | EngineLoading | EngineReady | EngineFailed
