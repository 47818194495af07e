"""Language models on this machine."""

from __future__ import annotations

from msgspec import Struct

from engine.types.model import Device


class ModelInfo(Struct, frozen=True, kw_only=True):
    """A model known by the catalogue, found in a folder, or both. `path` is None when it is not here."""

    name: str
    file: str
    path: str | None
    role: str | None  # catalogue role, None for a user's own file
    size: int
    sha256: str | None
    licence: str | None
    in_use: bool
    verified: bool | None = None  # None: not checked in this listing
    about: str = ""


class Offline(Struct, frozen=True, kw_only=True):
    """Connections to a network that were attempted (and refused) since this home was made."""

    attempts: int


class DoctorReport(Struct, frozen=True, kw_only=True):
    """What `aipc doctor` says. Memory in bytes. `problems` are sentences that say what to do.

    `server`: where text of the user's files is sent to instead of a model here, None for nowhere.
    """

    ok: bool
    devices: tuple[Device, ...]
    memory: dict[str, int]
    versions: dict[str, str]
    models: tuple[ModelInfo, ...]
    offline: Offline
    problems: tuple[str, ...]
    server: str | None = None
