"""Which editor each setting gets: read from the settings' own types and bounds. Pure."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from aipc_app.settings.model import Server, Settings

# Set elsewhere: the chat model and its limits on their own page, the first start by going through it, a server on its
# card.
ELSEWHERE = frozenset({
    ("models", "chat"), ("models", "vram_mib"), ("models", "ram_mib"), ("window", "welcomed"),
    *(("server", name) for name in Server.__struct_fields__),
})  # fmt: skip


@dataclass(frozen=True)
class Choice:
    """One of these values."""

    section: str
    name: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Number:
    """A whole number within bounds; empty means automatic where `optional`."""

    section: str
    name: str
    low: int
    high: int
    optional: bool


@dataclass(frozen=True)
class Folder:
    """A folder on this machine, or none."""

    section: str
    name: str


@dataclass(frozen=True)
class Switch:
    """On or off."""

    section: str
    name: str


Field = Choice | Number | Folder | Switch


def sections() -> tuple[tuple[str, tuple[Field, ...]], ...]:
    """All settings by section, in the order of the model. Raises TypeError for a type without an editor."""
    found = []
    for section in msgspec.structs.fields(Settings):
        fields = tuple(
            _field(section.name, field) for field in msgspec.structs.fields(section.type)
            if (section.name, field.name) not in ELSEWHERE)
        found.append((section.name, fields))
    return tuple((name, fields) for name, fields in found if fields)


def _field(section: str, field: msgspec.structs.FieldInfo) -> Field:
    info = msgspec.inspect.type_info(field.type)
    options = info.types if isinstance(info, msgspec.inspect.UnionType) else (info,)
    optional = any(isinstance(option, msgspec.inspect.NoneType) for option in options)
    for option in options:
        match option:
            case msgspec.inspect.EnumType(cls=kind):
                return Choice(section, field.name, tuple(member.value for member in kind))
            case msgspec.inspect.IntType(ge=low, le=high) if low is not None and high is not None:
                return Number(section, field.name, low, high, optional)
            case msgspec.inspect.BoolType():
                return Switch(section, field.name)
            case msgspec.inspect.StrType() if optional:
                return Folder(section, field.name)
            case _:
                continue
    raise TypeError(f"no editor for the setting {section}.{field.name}")
