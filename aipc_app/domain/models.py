"""Language models on this machine."""

from __future__ import annotations

from msgspec import Struct


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


class DoctorReport(Struct, frozen=True, kw_only=True):
    """What `aipc doctor` says. `problems` are sentences."""

    ok: bool
    devices: tuple[dict[str, object], ...]
    memory: dict[str, int]
    versions: dict[str, str]
    models: tuple[ModelInfo, ...]
    problems: tuple[str, ...]
