"""What the placement knows of the machine."""

from __future__ import annotations

from msgspec import Struct

from engine.types.model import Device

# Taken where nothing was measured: an office PC of today with two channels of DDR5, an NVMe disk and a mid-range GPU.
USUAL_RAM, USUAL_DISK, USUAL_LINK, USUAL_GPU = 45e9, 2e9, 12e9, 400e9


class Speeds(Struct, frozen=True, kw_only=True):
    """Bytes per second. `measured` names the fields that were measured here; the others are usual values."""

    ram: float = USUAL_RAM
    disk: float = USUAL_DISK
    link: float = USUAL_LINK  # from RAM to the GPU
    gpu: float = USUAL_GPU  # of the GPU's own memory
    measured: tuple[str, ...] = ()


class Inventory(Struct, frozen=True):
    """One reading of this machine. Bytes; `usable_cores` are physical cores this process may use."""

    devices: tuple[Device, ...]
    usable_cores: int
    memory_total: int
    memory_available: int
    cpu_features: tuple[str, ...] = ()
    speeds: Speeds = Speeds()
