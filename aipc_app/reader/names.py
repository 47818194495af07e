"""Names that archives and mail give to the files inside them: written by strangers, shown, never used as paths."""

from __future__ import annotations

import re

_MAX_NAME = 400
_DRIVE = re.compile(r"^[A-Za-z]:")


def safe_name(name: str) -> str | None:
    """The path inside the container with "/", None when it leads out of it or can't be a name."""
    plain = name.replace("\\", "/").removeprefix("./")
    parts = [part for part in plain.split("/") if part not in ("", ".")]
    if plain.startswith("/") or _DRIVE.match(plain) or ".." in parts or not parts or len(name) > _MAX_NAME:
        return None
    return None if any(ord(char) < 32 or ord(char) == 127 for char in plain) else "/".join(parts)


def shown_name(name: str) -> str:
    """A name that can be shown, whatever is in it."""
    return "".join(char if char.isprintable() else "\ufffd" for char in name)[:_MAX_NAME] or "\ufffd"
