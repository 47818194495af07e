"""What the placement knows of the machine."""

from __future__ import annotations

from msgspec import Struct

from engine.types.model import Device


class Inventory(Struct, frozen=True):
    """One reading of this machine. Bytes; `usable_cores` are physical cores this process may use."""

    devices: tuple[Device, ...]
    usable_cores: int
    memory_total: int
    memory_available: int
