"""Libraries that an installed build brings for systems that lack them (installers/building/libraries.py)."""

from __future__ import annotations

import ctypes
from contextlib import suppress
from pathlib import Path

from aipc_app import paths


def load_libraries() -> None:
    """Before Qt is imported: what its libraries need of the desktop, the system's own first, else the one carried.

    Loaded once, a library satisfies whoever names it later. In a checkout nothing is done.
    """
    root = paths.installation()
    if root is not None:
        load_from(root / "libraries")


def load_from(folder: Path) -> None:
    """`folder`/order lists the names, what is needed before what needs it. One that can't be loaded is left to Qt."""
    for name in (folder / "order").read_text(encoding="utf-8").split():
        try:
            ctypes.CDLL(name)
        except OSError:
            with suppress(OSError):
                ctypes.CDLL(str(folder / name))
