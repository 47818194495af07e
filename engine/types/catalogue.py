"""A model the program knows by name."""

from __future__ import annotations

from msgspec import Struct


class CatalogueEntry(Struct, frozen=True, kw_only=True):
    """Size in bytes. `file` is its name in a model folder; a folder's for multi-file models."""

    name: str
    role: str
    file: str
    size: int
    sha256: str
    licence: str
    about: str = ""
