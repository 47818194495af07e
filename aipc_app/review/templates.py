"""Templates are data: those that ship, and the user's own copies in the home's folder, read strictly."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec.structs import replace

from aipc_app.domain.review import Item, ItemType, Scope, Template
from aipc_app.errors import StorageError, UserMistake
from aipc_app.review.computing import INPUTS

SHIPPED = Path(__file__).parent / "templates"
ORDER = ("judge", "credit", "paper")
_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,40}")
_OWN_ID = re.compile(r"^id\s*=\s*\"[^\"]*\"", re.MULTILINE)
_PLACE = re.compile(r"\{(\w+)\}")


def shipped_templates() -> tuple[Template, ...]:
    """The three that ship, in their order."""
    return tuple(read_template(SHIPPED / f"{name}.toml") for name in ORDER)


def all_templates(own: Path) -> tuple[Template, ...]:
    """Those that ship and the user's, by file name. Raises UserMistake for one that can't be used."""
    files = sorted(own.glob("*.toml")) if own.is_dir() else []
    return (*shipped_templates(), *(replace(read_template(file), own=True) for file in files))


def find_template(own: Path, name: str) -> Template:
    """The template with this id; a broken other one does not matter. Raises UserMistake naming what there is."""
    for file in (own / f"{name}.toml", SHIPPED / f"{name}.toml"):
        if _ID.fullmatch(name) and file.is_file():
            return replace(read_template(file), own=file.parent == own)
    known = sorted({*ORDER, *(file.stem for file in own.glob("*.toml"))})
    raise UserMistake(f"There is no template '{name}'; there are: {', '.join(known)}.")


def copy_template(own: Path, template: str, name: str) -> Path:
    """A copy under a new id for the user to edit. Raises UserMistake, StorageError."""
    if not _ID.fullmatch(name) or name in ORDER:
        raise UserMistake(f"'{name}' can't name a template; use small letters, digits and dashes, and a new name.")
    target = own / f"{name}.toml"
    if target.exists():
        raise UserMistake(f"There is a template '{name}' already; choose another name.")
    source = own / f"{template}.toml" if find_template(own, template).own else SHIPPED / f"{template}.toml"
    try:
        own.mkdir(exist_ok=True)
        target.write_text(_OWN_ID.sub(f'id = "{name}"', source.read_text(encoding="utf-8"), count=1), encoding="utf-8")
    except OSError as error:
        raise StorageError(f"The template can't be written to {own} ({error.strerror}).") from error
    return target


def read_template(file: Path) -> Template:
    """A template checked in full. Raises UserMistake saying what is wrong where."""
    try:
        raw = file.read_bytes()
        template = msgspec.toml.decode(raw, type=Template)
    except (OSError, UnicodeDecodeError, msgspec.DecodeError) as error:
        raise UserMistake(f"The template {file.name} can't be used: {error}") from error
    for problem in problems(template):
        raise UserMistake(f"The template {file.name} can't be used: {problem}")
    return replace(template, hash=hashlib.sha256(raw).hexdigest())


def problems(template: Template) -> Iterator[str]:
    """What is wrong with it beyond its form, a sentence each."""
    if not _ID.fullmatch(template.id):
        yield f"its id '{template.id}' is not of small letters, digits and dashes."
    items = {item.id: item for item in template.items}
    if len(items) < len(template.items):
        yield "two of its items have the same id."
    for item in template.items:
        yield from _item_problems(item, items, template)
    for part in template.draft:
        for language in ("zh", "en"):
            for name in _PLACE.findall(part.text.of(language)):
                if name not in items:
                    yield f"its draft names the item '{name}', which is not there."


def _item_problems(item: Item, items: dict[str, Item], template: Template) -> Iterator[str]:
    yield from _way_problems(item)
    for name in item.documents:
        if name not in template.documents:
            yield f"the item '{item.id}' names the documents '{name}', which the template doesn't describe."
    if item.compute and item.compute not in INPUTS:
        yield f"the item '{item.id}' names the computation '{item.compute}', which there is not."
    elif item.compute:
        for name in (n for n in INPUTS[item.compute] if not n.endswith("?") and n not in item.inputs):
            yield f"the item '{item.id}' lacks the input '{name}'."
    taken = (name for value in item.inputs.values() for name in value.split("|"))
    for other in (*taken, *item.about):
        if other not in items:
            yield f"the item '{item.id}' takes the item '{other}', which is not there."


def _way_problems(item: Item) -> Iterator[str]:
    ways = [bool(item.question), bool(item.compute), bool(item.queries or item.about)]
    if sum(ways) > 1 or not any((*ways, item.look != type(item.look)())):
        yield f"the item '{item.id}' needs one of question, compute and queries, or a look."
    if item.scope is not Scope.DOCUMENTS and not (item.queries or item.about):
        yield f"the item '{item.id}' searches the library and needs queries."
    if item.type is ItemType.CHOICE and not item.compute and len(item.options) < 2:
        yield f"the item '{item.id}' is a choice and needs two options."
    if item.type is ItemType.TABLE and not item.columns:
        yield f"the item '{item.id}' is a table and needs columns."
