"""What was measured on this machine, kept between starts: speeds, dry runs, how far predictions were off.

Files of a folder that may be deleted at any time; one that can't be read counts as not there.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

from engine.types.machine import Inventory, Speeds
from engine.types.model import Device
from engine.types.plan import ComputeBuffers, Correction, PlanFacts

_SPEEDS, _MOST_BUFFERS = "speeds.json", 64
_LEAST, _MOST = 0.1, 10.0  # a correction beyond these is a disturbed measurement
_WEIGHT = 0.5  # of a new run against those before
Kept = TypeVar("Kept", bound=Struct)


class _MachineSpeeds(Struct, frozen=True):
    machine: str
    speeds: Speeds
    devices: tuple[Device, ...] = ()
    cpu_features: tuple[str, ...] = ()


class _ModelFacts(Struct, frozen=True):
    """`build` names llama.cpp's: another one has other buffers."""

    build: str
    compute: tuple[ComputeBuffers, ...] = ()
    corrections: dict[str, Correction] = {}


class FactsStore:
    """One folder of facts. `build` is llama.cpp's version."""

    def __init__(self, folder: Path, build: str) -> None:
        self._folder, self._build = folder, build

    def speeds(self, machine: str) -> Speeds | None:
        """What was measured on this machine, if it is still the same."""
        kept = self._read(_SPEEDS, _MachineSpeeds)
        return kept.speeds if kept is not None and kept.machine == machine else None

    def devices(self) -> tuple[tuple[Device, ...], tuple[str, ...]]:
        """Devices and CPU features as the last probe saw them; none before it."""
        kept = self._read(_SPEEDS, _MachineSpeeds)
        return (kept.devices, kept.cpu_features) if kept is not None else ((), ())

    def keep_speeds(
        self, machine: str, speeds: Speeds, devices: tuple[Device, ...] = (), cpu_features: tuple[str, ...] = ()
    ) -> None:
        self._write(_SPEEDS, _MachineSpeeds(machine, speeds, devices, cpu_features))

    def of_model(self, digest: str, device: str) -> PlanFacts:
        """Dry runs of this model, and what loads on this GPU ("" for none) taught."""
        kept = self._model(digest)
        return PlanFacts(kept.compute, kept.corrections.get(device, Correction()))

    def keep_compute(self, digest: str, found: tuple[ComputeBuffers, ...]) -> None:
        """Newer dry runs take the place of older ones."""
        kept = self._model(digest)
        keys = {_key(buffers) for buffers in found}
        others = tuple(buffers for buffers in kept.compute if _key(buffers) not in keys)
        self._write(_name(digest), msgspec.structs.replace(kept, compute=(*others, *found)[-_MOST_BUFFERS:]))

    def keep_run(self, digest: str, device: str, *, decode: float, prefill: float, gpu_bytes: int) -> Correction:
        """A run that reached `decode` and `prefill` times what the model of bandwidths alone had predicted."""
        kept = self._model(digest)
        before = kept.corrections.get(device, Correction())
        share = _WEIGHT if before.runs else 1.0
        learned = Correction(
            decode=_mixed(before.decode, decode, share), prefill=_mixed(before.prefill, prefill, share),
            gpu_bytes=max(0, gpu_bytes), runs=before.runs + 1,
        )  # fmt: skip
        self._write(_name(digest), msgspec.structs.replace(kept, corrections={**kept.corrections, device: learned}))
        return learned

    def _model(self, digest: str) -> _ModelFacts:
        kept = self._read(_name(digest), _ModelFacts)
        return kept if kept is not None and kept.build == self._build else _ModelFacts(self._build)

    def _read(self, name: str, kind: type[Kept]) -> Kept | None:
        try:
            return msgspec.json.decode((self._folder / name).read_bytes(), type=kind)
        except (OSError, msgspec.MsgspecError):
            return None

    def _write(self, name: str, value: Struct) -> None:
        """Whole or not at all; a disk that is full costs nothing but the fact."""
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            draft = self._folder / f"{name}.{os.getpid()}.new"
            draft.write_bytes(msgspec.json.encode(value))
            draft.replace(self._folder / name)


def machine_name(inventory: Inventory) -> str:
    """Changes when a measured speed may have: other memory, cores or GPUs."""
    gpus = ",".join(sorted(device.description for device in inventory.devices))
    return f"{inventory.memory_total >> 28}/{inventory.usable_cores}/{gpus}"


def _key(buffers: ComputeBuffers) -> tuple[object, ...]:
    """Of runs with a number of layers of their own the last one is kept: as many as a limit is moved would pile up."""
    return (
        buffers.shape, buffers.context_tokens, buffers.ubatch_tokens, buffers.kv_type, buffers.fetched,
        bool(buffers.gpu_layers),
    )  # fmt: skip


def _name(digest: str) -> str:
    return f"model-{digest[:32]}.json"


def _mixed(before: float, new: float, share: float) -> float:
    if new <= 0:
        return before
    return before * (1 - share) + min(_MOST, max(_LEAST, new)) * share
