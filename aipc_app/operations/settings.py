"""Change settings; see what this machine has."""

from __future__ import annotations

from typing import Any

import msgspec

from aipc_app.domain.jobs import Changes
from aipc_app.errors import UserMistake
from aipc_app.operations.op import Op, simply
from aipc_app.operations.services import Services
from aipc_app.settings.model import Settings
from engine.types.model import Inspection


def change_setting(services: Services, *, section: str, name: str, value: object) -> Op[Settings]:
    """Set one setting and save it. Raises UserMistake for a value it can't have, StorageError when not saved."""
    return simply("change setting", lambda: _change(services, section, name, value))


def inspect_machine(services: Services) -> Op[Inspection]:
    """Devices as the engine sees them; starts its process if need be."""
    return simply("inspect machine", services.engine.inspect)


def _change(services: Services, section: str, name: str, value: object) -> Settings:
    raw: Any = msgspec.to_builtins(services.settings())
    if name not in raw.get(section, {}):
        raise UserMistake(f"There is no setting '{section}.{name}'.")
    raw[section][name] = value
    try:
        changed = msgspec.convert(raw, Settings)
    except msgspec.ValidationError as error:
        raise UserMistake(f"{error.args[0]}.") from error
    services.settings.replace(changed)
    services.changes.publish(Changes(settings=True))
    return changed
