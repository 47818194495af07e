"""How a child is started: this program, told to be one of its own children."""

from __future__ import annotations

import sys

KINDS = ("reader", "encoder", "engine", "models", "plan")


def child_command(kind: str) -> list[str]:
    """The command of a child; arguments of its own follow. `kind` is one of KINDS."""
    if kind not in KINDS:
        raise ValueError(f"there is no child of kind {kind!r}; kinds are {', '.join(KINDS)}")
    if getattr(sys, "frozen", False):
        return [sys.executable, "--child", kind]
    # -P: the folder a user happens to be in is not searched for modules; it may hold anything.
    return [sys.executable, "-P", "-m", "aipc_app", "--child", kind]
