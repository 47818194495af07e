"""settings.toml: read strictly, written atomically."""

from __future__ import annotations

import difflib
import re
from pathlib import Path

import msgspec
import tomli_w

from aipc_app.errors import StorageError, UserMistake
from aipc_app.settings.model import Settings


def load(path: Path) -> Settings:
    """The settings of a home; defaults when there is no file. Raises UserMistake for a wrong one."""
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return Settings()
    except OSError as error:
        raise StorageError(f"{path} can't be read ({error.strerror}); make it readable or delete it.") from error
    try:
        return msgspec.toml.decode(raw, type=Settings)
    except msgspec.MsgspecError as error:
        raise UserMistake(f"{path.name}: {_explain(str(error))}") from error


def save(path: Path, settings: Settings) -> None:
    """Write what differs from nothing: every value, so that a reader sees what there is. Raises StorageError."""
    partial = path.with_suffix(".partial")
    try:
        partial.write_text(tomli_w.dumps(_without_none(msgspec.to_builtins(settings))), encoding="utf-8")
        partial.replace(path)
    except OSError as error:
        raise StorageError(f"The settings can't be saved ({error.strerror}); check {path.parent}.") from error


def _without_none(value: object) -> dict[str, object]:
    assert isinstance(value, dict)
    return {k: _without_none(v) if isinstance(v, dict) else v for k, v in value.items() if v is not None}


def _explain(message: str) -> str:
    """msgspec's sentence, with the nearest known name when a name is unknown."""
    unknown = re.search(r"unknown field `(\w+)`", message)
    if unknown is None:
        return f"{message}; correct it or delete the line."
    near = difflib.get_close_matches(unknown.group(1), _names(Settings), n=1)
    hint = f"; did you mean '{near[0]}'?" if near else "; delete the line."
    return f"there is no setting '{unknown.group(1)}'{hint}"


def _names(kind: type[msgspec.Struct]) -> list[str]:
    names: list[str] = []
    for field in msgspec.structs.fields(kind):
        names.append(field.name)
        if isinstance(field.type, type) and issubclass(field.type, msgspec.Struct):
            names += _names(field.type)
    return names
